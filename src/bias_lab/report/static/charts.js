// Charts are drawn when they come near the window, or when the browser is idle, so that the page opens at once.

const DARK = matchMedia("(prefers-color-scheme: dark)");
const NARROW = matchMedia("(max-width: 600px)");
const waiting = new Map(); // element -> what to draw there
const busy = new Set(); // elements that are being drawn
const drawn = new WeakMap(); // element -> the view that is there
// The interpreter of expressions (ast) needs no `eval`, which the page's security policy forbids.
const OPTIONS = {
  ast: true,
  renderer: "svg",
  actions: false,
  defaultStyle: false,
  tooltip: { theme: "page", disableDefaultStyle: true },
};

const nearby = new IntersectionObserver((entries) => {
  for (const entry of entries) if (entry.isIntersecting) drawNow(entry.target);
}, { rootMargin: "300px" });

function draw(element, chart) {
  waiting.set(element, chart);
  element.dataset.state = "waiting";
  describe(element, chart.label);
  chart.rows = new Set(chart.datasets.rows.map((row) => row.key)).size;
  element.style.minHeight = `${chart.rows * DATA.charts[chart.name].height.step + 50}px`;
  nearby.unobserve(element);
  nearby.observe(element);
  if (!idles) whenIdle(drawWhenIdle);
  idles = true;
}

async function drawNow(element) {
  const chart = waiting.get(element);
  if (!chart || busy.has(element)) return;
  busy.add(element);
  waiting.delete(element);
  nearby.unobserve(element);
  const spec = structuredClone(DATA.charts[chart.name]);
  spec.datasets = chart.datasets;
  spec.height = chart.rows * spec.height.step; // a number, as Vega-Lite warns of steps in a container
  for (const param of spec.params ?? []) if (param.name in chart.params) param.value = chart.params[param.name];
  const result = await vegaEmbed(element, spec, { ...OPTIONS, config: theme() });
  drawn.get(element)?.finalize();
  drawn.set(element, result);
  describe(element, chart.label); // Vega calls it a document, but offers nothing to read in it
  busy.delete(element);
  if (waiting.has(element)) await drawNow(element); // the filters changed meanwhile
  else element.dataset.state = "drawn";
}

// To a screen reader a chart is one image that tells where its values are.
function describe(element, label) {
  element.setAttribute("role", "img");
  element.setAttribute("aria-label", label);
  element.removeAttribute("aria-roledescription");
  element.querySelector("svg")?.setAttribute("aria-hidden", "true");
}

function theme() {
  const config = structuredClone(DARK.matches ? DATA.themes.dark : DATA.themes.light);
  if (NARROW.matches) config.axisY.labelLimit = 110;
  return config;
}

let idles = false;

function drawWhenIdle() {
  const next = waiting.keys().next().value;
  idles = next !== undefined;
  if (idles) drawNow(next).then(() => whenIdle(drawWhenIdle));
}

function whenIdle(work) {
  if (window.requestIdleCallback) requestIdleCallback(work, { timeout: 2000 });
  else setTimeout(work, 200);
}

// Keep one figure for each key, in order, and drop the others.
function figures(place, keys) {
  const old = new Map(Array.from(place.querySelectorAll("figure"), (figure) => [figure.dataset.key, figure]));
  const found = keys.map((key) => old.get(key) ?? newFigure(key));
  for (const figure of old.values()) if (!keys.includes(figure.dataset.key)) forget(figure);
  place.replaceChildren(...found);
  return found;
}

function newFigure(key) {
  const figure = document.createElement("figure");
  figure.dataset.key = key;
  const caption = document.createElement("figcaption");
  caption.dir = "auto";
  const chart = document.createElement("div");
  chart.className = "chart";
  figure.append(caption, chart);
  return figure;
}

function forget(figure) {
  const chart = figure.querySelector(".chart");
  waiting.delete(chart);
  nearby.unobserve(chart);
  drawn.get(chart)?.finalize();
}

// Rows under headings: `key` is what the chart's axis splits into group and label.
function grouped(items, groupOf, labelOf, row) {
  const rows = [];
  for (const [group, members] of groupBy(items, groupOf)) {
    rows.push({ key: `${group}${DATA.separator}`, heading: group, note: "", shown: "" });
    for (const item of members) rows.push({ heading: "", key: `${group}${DATA.separator}${labelOf(item)}`, ...row(item) });
  }
  return rows;
}

function byText(...fields) {
  return (a, b) => {
    for (const field of fields) {
      const order = COLLATOR.compare(a[field], b[field]);
      if (order) return order;
    }
    return 0;
  };
}

// As the summary has them, by language.
function corpusOrder(a, b) {
  return DATA.corpora.indexOf(a.eec) - DATA.corpora.indexOf(b.eec);
}

function forestLabel(effects, title) {
  const held = effects.filter((effect) => effect.kind === "finding").length;
  return `Forest plot of ${effects.length} effects, ${title}; ${held} hold after adjustment. The table of effects has the same values.`;
}

function showForests(shown) {
  const place = document.getElementById("forest-charts");
  if (!place) return;
  const group = document.querySelector('input[name="group"]:checked').value;
  const inner = group === "emotion" ? "model" : "emotion";
  const paper = document.querySelector('input[name="paper"]').checked;
  const params = { ...ends(shown, paper), paper };
  const corpora = groupBy([...shown].sort(corpusOrder), (effect) => effect.eec);
  const old = new Map(Array.from(place.children, (block) => [block.dataset.corpus, block]));
  place.replaceChildren(...Array.from(corpora.keys(), (corpus) => old.get(corpus) ?? corpusBlock(corpus)));
  for (const [corpus, effects] of corpora) {
    const questions = groupBy(effects.sort(byText(group, inner)), (effect) => effect.question);
    const keys = [...questions.keys()].sort((a, b) => questionOrder(questions.get(a)[0], questions.get(b)[0]));
    const block = Array.from(place.children).find((one) => one.dataset.corpus === corpus);
    figures(block.querySelector(".charts"), keys).forEach((figure, i) => {
      const members = questions.get(keys[i]);
      const title = contrastTitle(members[0]);
      figure.querySelector("figcaption").textContent = title;
      const rows = grouped(members, (effect) => effect[group], (effect) => effect[inner], (effect) => ({
        effect: effect.effect, low: effect.low, high: effect.high, low_iid: effect.low_iid, high_iid: effect.high_iid,
        kind: effect.kind, note: effect.note, tip: tipOf(effect) }));
      draw(figure.querySelector(".chart"), { name: "forest", datasets: { rows }, params,
        label: forestLabel(members, `${title}, ${corpus}`) });
    });
  }
}

function corpusBlock(corpus) {
  const block = document.createElement("div");
  block.dataset.corpus = corpus;
  const heading = document.createElement("h3");
  heading.dir = "auto";
  heading.textContent = corpus;
  const charts = document.createElement("div");
  charts.className = "charts";
  block.append(heading, charts);
  return block;
}

function contrastTitle(effect) {
  return effect.condition ? `${effect.contrast} (${effect.condition})` : effect.contrast;
}

// What the pointer shows on an effect.
function tipOf(effect) {
  const lines = [contrastTitle(effect), `${effect.model} · ${effect.emotion} · ${effect.eec}`, effect.verdict];
  if (effect.effect !== null) {
    if (effect.low_iid !== null) lines.push(`the paper's interval [${fixed(effect.low_iid)}, ${fixed(effect.high_iid)}]`);
    lines.push(`q ${probability(effect.q)}, p (names) ${probability(effect.p_name)}, p (published test) ${probability(effect.p_iid)}`);
  }
  if (effect.seed_sd_effect !== null) lines.push(`${effect.n_seeds} seeds, spread ${fixed(effect.seed_sd_effect)}`);
  return lines.join("\n");
}

// Main effects before products.
function questionOrder(a, b) {
  return a.factors.split(":").length - b.factors.split(":").length || a.order - b.order;
}

// The ends of the axis that all forest plots share, so that they can be compared.
function ends(shown, paper) {
  const fields = paper ? ["low", "high", "low_iid", "high_iid"] : ["low", "high", "effect"];
  const values = shown.flatMap((effect) => fields.map((field) => effect[field])).filter((value) => value !== null);
  const [least, most] = [Math.min(0, ...values), Math.max(0, ...values)];
  const margin = 0.03 * (most - least) || 0.1;
  return { least: least - margin, most: most + margin };
}

function showHeatMaps(shown) {
  const place = document.getElementById("heat-charts");
  if (!place) return;
  const most = Math.max(1e-6, ...shown.map((effect) => Math.abs(effect.effect ?? 0)));
  const terms = groupBy([...shown].sort(questionOrder), (effect) => effect.factors);
  const keys = [...terms.keys()];
  figures(place, keys).forEach((figure, i) => {
    const members = terms.get(keys[i]).sort((a, b) => corpusOrder(a, b) || byText("term", "emotion", "model")(a, b));
    figure.querySelector("figcaption").textContent = keys[i].replaceAll(":", " × ");
    const rows = grouped(heatRows(members), (row) => row.group, (row) => row.emotion, (row) => row.fields);
    draw(figure.querySelector(".chart"), { name: "heat", datasets: { rows }, params: { most },
      label: `Heat map of ${members.length} effects, ${keys[i]}. The table of effects has the same values.` });
  });
}

// One group of rows for each corpus, or for each contrast where a corpus has several of one kind.
function heatRows(effects) {
  const terms = groupBy(effects, (effect) => effect.eec);
  const several = (corpus) => new Set(terms.get(corpus).map((effect) => effect.term)).size > 1;
  return effects.map((effect) => ({
    group: several(effect.eec) ? `${effect.eec}: ${effect.contrast}` : effect.eec,
    emotion: effect.emotion,
    fields: { model: effect.model, effect: effect.effect, tip: tipOf(effect),
      shown: effect.effect === null ? "–" : `${signed(effect.effect, 2)}${effect.marks}` },
  }));
}
