// What is chosen, and which rows of tables, cards and data belong to it. Nothing ticked in a filter means all.

const FORM = document.getElementById("filter-form");
const DIMENSIONS = { model: "model", language: "language", emotion: "emotion", corpus: "eec", term: "factors" };
const VIEWS = { coding: "coding", persons: "subset" };

const chosen = { sets: {}, views: {} };

function readForm() {
  for (const name of Object.keys(DIMENSIONS)) {
    chosen.sets[name] = new Set(Array.from(FORM.querySelectorAll(`input[name="${name}"]:checked`), (box) => box.value));
  }
  for (const name of Object.keys(VIEWS)) {
    const radio = FORM.querySelector(`input[name="${name}"]:checked`);
    chosen.views[name] = radio ? radio.value : FORM.dataset[name];
  }
}

// A record of the data; those of names have no term and no coding.
function matches(record) {
  const inSets = Object.entries(DIMENSIONS).every(([name, field]) =>
    chosen.sets[name].size === 0 || record[field] === undefined || chosen.sets[name].has(record[field]));
  return inSets && Object.entries(VIEWS).every(([name, field]) =>
    record[field] === undefined || record[field] === chosen.views[name]);
}

// An element: it belongs to a filter if any of its values is chosen, or if it has none.
function belongs(element) {
  const data = element.dataset;
  const inSets = Object.keys(DIMENSIONS).every((name) => chosen.sets[name].size === 0 || data[name] === undefined
    || data[name].split("\n").some((value) => chosen.sets[name].has(value)));
  return inSets && Object.keys(VIEWS).every((name) => data[name] === undefined || data[name] === chosen.views[name]);
}

function filterElements() {
  for (const element of document.querySelectorAll("[data-filtered]")) element.hidden = !belongs(element);
  for (const table of document.querySelectorAll("table[data-sortable]")) showCount(table);
}

function showLegends() {
  for (const field of FORM.querySelectorAll("[data-filter]")) {
    const set = chosen.sets[field.dataset.filter];
    const all = field.querySelectorAll("input").length;
    field.querySelector("[data-set]").textContent = set.size === 0 ? "all" : `${set.size} of ${all}`;
  }
}

// The address holds what is chosen, so that a view can be kept or sent.
function writeAddress() {
  const parts = new URLSearchParams();
  for (const [name, set] of Object.entries(chosen.sets)) for (const value of set) parts.append(name, value);
  for (const [name, value] of Object.entries(chosen.views)) if (value !== FORM.dataset[name]) parts.append(name, value);
  const text = parts.toString();
  history.replaceState(null, "", text ? `#?${text}` : location.pathname + location.search);
}

function readAddress() {
  if (!location.hash.startsWith("#?")) return false;
  const parts = new URLSearchParams(location.hash.slice(2));
  for (const input of FORM.querySelectorAll("input")) {
    if (input.type === "checkbox") input.checked = parts.getAll(input.name).includes(input.value);
    else if (parts.has(input.name)) input.checked = parts.get(input.name) === input.value;
  }
  return true;
}

function showStatus(shown) {
  const { coding, persons } = chosen.views;
  const all = EFFECTS.filter((effect) => effect.coding === coding && effect.subset === persons).length;
  document.querySelector("[data-status]").textContent = all ? `${shown.length} of ${all} effects shown` : "";
}

function showHeadline(shown) {
  const counts = countTests(once(shown));
  for (const place of document.querySelectorAll("[data-count]")) place.textContent = counts[place.dataset.count];
  const detectable = median(shown.map((effect) => effect.mde_response));
  for (const place of document.querySelectorAll("[data-detectable]")) place.textContent = fixed(detectable);
  for (const sentence of document.querySelectorAll("[data-if-detectable]")) sentence.hidden = detectable === null;
}

// As bias_lab.report.findings.counts does.
function countTests(effects) {
  const tested = effects.filter((effect) => effect.kind !== "no_test");
  const of = (...kinds) => tested.filter((effect) => kinds.includes(effect.kind)).length;
  const below = (p) => tested.filter((effect) => effect[p] !== null && effect[p] < 0.05).length;
  return { tests: tested.length, claims: below("p_iid"), by_names: below("p_name"), finding: of("finding"),
    bounded: of("bounded"), inconclusive: of("inconclusive", "paper_only"), no_test: effects.length - tested.length };
}

// Of tests on the same sentences the first corpus' one, or that of the first which is shown.
function once(effects) {
  const first = new Map();
  const order = [...effects].sort((a, b) => Boolean(a.same_as) - Boolean(b.same_as) || (a.eec < b.eec ? -1 : Number(a.eec > b.eec)));
  for (const effect of order) {
    const key = [effect.model, effect.language, effect.emotion, effect.subset, effect.coding, effect.term, effect.same_as || effect.eec].join("\n");
    if (!first.has(key)) first.set(key, effect);
  }
  return [...first.values()];
}

// One card for each question, with a summary of the effects shown.
function showQuestions(shown) {
  const groups = groupBy(shown, (effect) => effect.question);
  let visible = 0;
  for (const card of document.querySelectorAll("[data-question]")) {
    const effects = groups.get(card.dataset.question) ?? [];
    card.hidden = card.hidden || effects.length === 0;
    if (card.hidden) continue;
    visible += 1;
    card.querySelector("[data-summary]").textContent = inWords(effects);
    const details = card.querySelector("details");
    if (details) {
      const told = card.querySelectorAll("li:not([hidden])").length;
      details.hidden = told === 0;
      details.querySelector("summary").textContent = `In words (${told})`;
    }
  }
  const empty = document.querySelector("[data-empty-cards]");
  if (empty) empty.hidden = visible > 0;
}

// As bias_lab.report.findings.in_words does.
function inWords(effects) {
  const of = (kind) => effects.filter((effect) => effect.kind === kind);
  const held = of("finding");
  const higher = held.filter((effect) => effect.effect > 0).length;
  const parts = [];
  if (held.length) {
    const ways = [[higher, "higher"], [held.length - higher, "lower"]].filter(([n]) => n).map(([n, word]) => `${n} ${word}`);
    parts.push(`Holds in ${held.length} of ${effects.length}: ${ways.join(", ")}.`);
  } else parts.push(`Holds in none of ${effects.length}.`);
  if (of("bounded").length) parts.push(`No larger than the smallest effect of interest: ${of("bounded").length}.`);
  const open = of("inconclusive").length + of("paper_only").length;
  if (open) {
    const unadjusted = of("inconclusive").filter((effect) => effect.p_name !== null && effect.p_name < 0.05).length;
    const aside = [[of("paper_only").length, "claimed by the published test only"],
      [unadjusted, "below .05 by names before adjustment"]].filter(([n]) => n).map(([n, words]) => `${n} ${words}`).join(", ");
    parts.push(`Inconclusive: ${open}${aside ? ` (${aside})` : ""}.`);
  }
  if (of("no_test").length) parts.push(`No test: ${of("no_test").length}.`);
  return parts.join(" ");
}

function groupBy(items, key) {
  const groups = new Map();
  for (const item of items) {
    if (!groups.has(key(item))) groups.set(key(item), []);
    groups.get(key(item)).push(item);
  }
  return groups;
}

function applyFilters() {
  readForm();
  const shown = EFFECTS.filter(matches);
  filterElements();
  showLegends();
  showStatus(shown);
  showHeadline(shown);
  showQuestions(shown);
  showForests(shown);
  showHeatMaps(shown);
  showRuns();
}
