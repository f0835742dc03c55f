// Sorting by a click on a column's heading, and how many rows are shown.

function makeSortable(table) {
  table.querySelectorAll("thead th").forEach((heading, column) => {
    heading.querySelector("button").addEventListener("click", () => {
      const descends = heading.getAttribute("aria-sort") === "ascending";
      for (const other of table.querySelectorAll("thead th")) other.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", descends ? "descending" : "ascending");
      sortRows(table, column, descends ? -1 : 1);
    });
  });
}

function sortRows(table, column, direction) {
  const body = table.tBodies[0];
  const isNumber = table.tHead.rows[0].cells[column].classList.contains("number");
  const keyed = Array.from(body.rows, (row) => ({ row, key: sortKey(row.cells[column], isNumber) }));
  keyed.sort((a, b) => {
    // What is missing goes last in both directions.
    if (a.key === null || b.key === null) return (a.key === null) - (b.key === null);
    return direction * (typeof a.key === "number" && typeof b.key === "number" ? a.key - b.key : COLLATOR.compare(a.key, b.key));
  });
  body.append(...keyed.map(({ row }) => row));
}

const COLLATOR = new Intl.Collator(undefined, { numeric: true });

function sortKey(cell, isNumber) {
  if (cell.dataset.sort !== undefined) return Number(cell.dataset.sort);
  if (isNumber || cell.textContent === "–") return null;
  return cell.textContent;
}

function showCount(table) {
  const rows = Array.from(table.tBodies[0].rows);
  const shown = rows.filter((row) => !row.hidden).length;
  table.querySelector("[data-shown]").textContent = rows.length ? `${shown} ${shown === 1 ? "row" : "rows"}` : "";
  const empty = document.querySelector(`[data-empty="${table.id}"]`);
  if (empty) empty.hidden = shown > 0;
  table.parentElement.hidden = shown === 0;
}
