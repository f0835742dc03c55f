// Everything is tied together here.

function start() {
  FORM.dataset.coding = FORM.querySelector('input[name="coding"]:checked')?.value ?? "treatment";
  FORM.dataset.persons = FORM.querySelector('input[name="persons"]:checked')?.value ?? DATA.persons;
  // Browsers keep ticks over a reload; the address alone says what is chosen.
  FORM.reset();
  readAddress();
  if (matchMedia("(max-width: 900px)").matches) document.getElementById("filters").open = false;
  for (const table of document.querySelectorAll("table[data-sortable]")) makeSortable(table);
  FORM.addEventListener("submit", (event) => event.preventDefault());
  FORM.addEventListener("change", () => { applyFilters(); writeAddress(); });
  FORM.addEventListener("reset", () => setTimeout(() => { applyFilters(); writeAddress(); }));
  for (const input of document.querySelectorAll('input[name="group"], input[name="paper"]')) {
    input.addEventListener("change", () => showForests(EFFECTS.filter(matches)));
  }
  if (RUN) {
    RUN.addEventListener("change", showRun);
    document.getElementById("run-before").addEventListener("click", () => stepRun(-1));
    document.getElementById("run-after").addEventListener("click", () => stepRun(1));
  }
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-show-names]");
    if (button) showNamesOf(button);
  });
  DARK.addEventListener("change", redraw);
  NARROW.addEventListener("change", redraw);
  window.addEventListener("hashchange", () => { if (readAddress()) applyFilters(); });
  applyFilters();
}

function redraw() {
  const shown = EFFECTS.filter(matches);
  showForests(shown);
  showHeatMaps(shown);
  showRuns();
}

start();
