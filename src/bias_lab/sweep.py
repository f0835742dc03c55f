"""A sweep folder's cells: how each ended, and its main figure."""

import json
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

from bias_lab.manifest import FINISHED, MANIFEST, Manifest
from bias_lab.run import METRICS
from bias_lab.terminal import number, print_tables


@dataclass(frozen=True)
class Cell:
    """One cell of a sweep; `test_pearson` is `None` where there is none."""

    folder: Path
    label: str
    status: str
    overrides: tuple[str, ...]
    error: str | None
    test_pearson: float | None

    @property
    def failed(self) -> bool:
        """Whether the cell did not finish."""
        return self.status != FINISHED


def read_cells(sweep: Path) -> list[Cell]:
    """The cells of a sweep folder, in job order."""
    folders = [path.parent for path in sweep.glob(f"*/{MANIFEST}")]
    return [read_cell(folder) for folder in sorted(folders, key=lambda path: (len(path.name), path.name))]


def read_cell(folder: Path) -> Cell:
    """One cell, from its manifest and metrics."""
    content = Manifest.read(folder).content
    metrics = folder / METRICS
    scores = json.loads(metrics.read_text(encoding="utf-8")) if metrics.is_file() else {}
    return Cell(
        folder=folder,
        label=content.get("label") or "?",
        status=content.get("status", "?"),
        overrides=tuple(content.get("overrides", ())),
        error=content.get("error"),
        test_pearson=scores.get("test", {}).get("pearson"),
    )


def show_cells(cells: list[Cell], sweep: Path) -> None:
    """Print one row a cell, then the failed ones with their override line and reason."""
    failed = [cell for cell in cells if cell.failed]
    table = Table(title=f"{len(cells)} cells, {len(failed)} failed: {sweep}", title_justify="left")
    shared = set.intersection(*(set(cell.overrides) for cell in cells)) if cells else set()
    for name in ("cell", "what differs", "status"):
        table.add_column(name)
    table.add_column("test Pearson", justify="right")
    for cell in cells:
        table.add_row(
            cell.label, " ".join(o for o in cell.overrides if o not in shared), cell.status, number(cell.test_pearson)
        )
    print_tables(table)
    for cell in failed:
        print(f"failed: {' '.join(cell.overrides)}\n  {cell.error}\n  log: {cell.folder / 'bias_lab.log'}")
