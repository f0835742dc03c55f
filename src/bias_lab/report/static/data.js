// The page's data, as lists of records.

const DATA = JSON.parse(document.getElementById("data").textContent);

function records(columns) {
  const names = Object.keys(columns);
  if (names.length === 0) return [];
  const first = columns[names[0]];
  const length = (first.codes ?? first).length;
  const found = Array.from({ length }, () => ({}));
  for (const name of names) {
    const column = columns[name];
    if (column.codes) column.codes.forEach((code, i) => { found[i][name] = code < 0 ? null : column.values[code]; });
    else column.forEach((value, i) => { found[i][name] = value; });
  }
  return found;
}

const EFFECTS = records(DATA.effects);
const NAMES = records(DATA.names);

// Whole numbers packed as base64.
function unpack(packed) {
  const bytes = Uint8Array.from(atob(packed.base64), (letter) => letter.charCodeAt(0));
  return packed.bytes === 2 ? new Uint16Array(bytes.buffer) : new Uint32Array(bytes.buffer);
}

// The sentences of one run, each with its person and score; none where the page does not hold them.
function sentencesOf(run) {
  const found = DATA.scores.runs.find((one) => one.model === run.model && one.language === run.language
    && one.emotion === run.emotion && one.eec === run.eec);
  if (!found) return [];
  const layout = DATA.scores.layouts[found.layout];
  const person = unpack(layout.person);
  const pattern = unpack(layout.pattern);
  return Array.from(unpack(found.scores), (score, i) => {
    const name = layout.persons[person[i]];
    const capitalised = name.slice(0, 1).toUpperCase() + name.slice(1);
    const sentence = layout.patterns[pattern[i]].replace("\u0000", () => name).replace("\u0001", () => capitalised);
    return { person: name, sentence, score: score / 65535 };
  });
}

// Numbers as the tables have them: three decimals, no zero before the point.
function fixed(value, decimals = 3) {
  if (value === null || value === undefined) return "–";
  const text = value.toFixed(decimals);
  return (Number(text) === 0 ? text.replace("-", "") : text).replace(/^(-?)0\./, "$1.");
}

// With the value's own sign even where it rounds to zero, as the colour of a cell shows it; zero has none.
function signed(value, decimals = 3) {
  if (value === null || value === undefined) return "–";
  return `${value < 0 ? "-" : value > 0 ? "+" : ""}${fixed(Math.abs(value), decimals)}`;
}

function probability(p) {
  return p !== null && p < 0.001 ? "<.001" : fixed(p);
}

function median(values) {
  const sorted = values.filter((value) => value !== null).sort((a, b) => a - b);
  if (sorted.length === 0) return null;
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
