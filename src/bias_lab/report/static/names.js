// Scores by name of one run at a time: a chart, and the table that says the same.

const RUN = document.getElementById("run");
let shownRuns = [];

function runKey(run) {
  return [run.eec, run.emotion, run.model, run.language].join("\n");
}

const RUNS = [...groupBy(NAMES, runKey).values()].map((rows) => {
  const { model, language, emotion, eec } = rows[0];
  return { model, language, emotion, eec, rows };
}).sort((a, b) => corpusOrder(a, b) || byText("emotion", "model")(a, b));

// Offer the runs that match the filters; keep the one that was shown if it still does.
function showRuns() {
  if (!RUN) return;
  const before = RUN.value;
  shownRuns = RUNS.filter(matches);
  RUN.replaceChildren(...shownRuns.map((run) => new Option(`${run.eec} · ${run.emotion} · ${run.model}`, runKey(run))));
  if (shownRuns.some((run) => runKey(run) === before)) RUN.value = before;
  showRun();
}

function showRun() {
  const run = shownRuns.find((one) => runKey(one) === RUN.value);
  document.getElementById("run-before").disabled = RUN.selectedIndex <= 0;
  document.getElementById("run-after").disabled = RUN.selectedIndex >= shownRuns.length - 1;
  const table = document.getElementById("names-table");
  const figure = document.getElementById("names-chart").parentElement;
  figure.hidden = !run;
  if (!run) {
    table.tBodies[0].replaceChildren();
    showCount(table);
    return;
  }
  const title = `${run.eec}, ${run.emotion}, ${run.model}`;
  document.getElementById("names-caption").textContent = title;
  const names = run.rows.filter((row) => row.subset === chosen.views.persons);
  const sentences = groupBy(sentencesOf(run), (one) => one.person);
  const groups = withGroupMeans(names);
  fillNames(table, groups, sentences);
  drawNames(groups, sentences, title);
}

function withGroupMeans(names) {
  const groups = groupBy([...names].sort((a, b) => COLLATOR.compare(a.group, b.group) || a.mean - b.mean), (row) => row.group);
  return [...groups.values()].flatMap((rows) => {
    const mean = rows.reduce((sum, row) => sum + row.mean, 0) / rows.length;
    return rows.map((row) => ({ ...row, groupMean: mean }));
  });
}

function drawNames(names, sentences, title) {
  const rows = grouped(names, (row) => `${row.group}, mean ${fixed(row.groupMean)}`, (row) => row.person, (row) => ({
    mean: row.mean, group_mean: row.groupMean,
    tip: `${row.person}\n${row.group}\nmean ${fixed(row.mean)}, SD ${fixed(row.sd)}, ${row.n} sentences` }));
  const keys = new Map(rows.map((row) => [row.key.split(DATA.separator)[1], row.key]));
  const ticks = names.flatMap((row) => (sentences.get(row.person) ?? []).map((one) => ({
    key: keys.get(row.person), score: one.score, tip: `${one.sentence}\n${one.person}, score ${fixed(one.score)}` })));
  draw(document.getElementById("names-chart"), { name: "names", params: {}, datasets: { rows, sentences: ticks },
    label: `Scores of ${names.length} persons by group, ${title}. The table below has the same means.` });
}

function fillNames(table, names, sentences) {
  const rows = names.map((row) => {
    const own = [...(sentences.get(row.person) ?? [])].sort((a, b) => a.score - b.score);
    const line = document.createElement("tr");
    line.append(
      nameCell("th", row.person), nameCell("td", row.group), nameCell("td", fixed(row.mean), row.mean),
      nameCell("td", signed(row.mean - row.groupMean), row.mean - row.groupMean), nameCell("td", fixed(row.sd), row.sd),
      nameCell("td", String(row.n), row.n), sentenceCell(own[0]), sentenceCell(own.at(-1)));
    return line;
  });
  table.tBodies[0].replaceChildren(...rows);
  for (const heading of table.querySelectorAll("thead th")) heading.removeAttribute("aria-sort");
  showCount(table);
}

function nameCell(tag, text, sort) {
  const cell = document.createElement(tag);
  cell.dir = "auto";
  cell.textContent = text;
  if (tag === "th") cell.scope = "row";
  if (sort !== undefined && sort !== null) cell.dataset.sort = sort;
  if (sort !== undefined) cell.className = "number";
  return cell;
}

function sentenceCell(one) {
  const cell = nameCell("td", "–");
  if (!one) return cell;
  const score = document.createElement("span");
  score.className = "score";
  score.textContent = fixed(one.score);
  const sentence = document.createElement("bdi");
  sentence.textContent = one.sentence;
  cell.dir = "ltr";
  cell.dataset.sort = one.score;
  cell.replaceChildren(score, sentence);
  return cell;
}

function stepRun(by) {
  RUN.selectedIndex += by;
  showRun();
}

// From a finding to the scores behind it.
function showNamesOf(button) {
  const { corpus, emotion, model, language } = button.dataset;
  RUN.value = runKey({ eec: corpus, emotion, model, language });
  showRun();
  document.getElementById("names").scrollIntoView();
  RUN.focus({ preventScroll: true });
}
