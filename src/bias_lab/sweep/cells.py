"""A sweep folder's cells: how each ended, and its main figure."""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.markup import escape
from rich.table import Table

from bias_lab.manifest import FAILED, FINISHED, MANIFEST, Manifest
from bias_lab.run import METRICS
from bias_lab.terminal import number, print_tables

SWEEP_FILE = "multirun.yaml"  # Hydra's: the sweep's own configuration, with the line that asked for it
ENDED = (FINISHED, FAILED)
NOT_ENDED = "did not end: its process was killed, or is still at work"
MOST_ROWS = 24  # of a table that still fits a screen


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


def run_folders(sweep: Path) -> list[Path]:
    """The run folders in a sweep's folder, in job order; a name may hold slashes."""
    found = []
    for path, below, files in os.walk(sweep):
        if MANIFEST in files:
            found.append(Path(path))
            below.clear()
    return sorted(found, key=lambda path: (len(path.name), path.name, str(path)))


def read_cells(sweep: Path) -> list[Cell]:
    """The cells of a sweep folder, in job order."""
    return [read_cell(folder) for folder in run_folders(sweep)]


def read_content(folder: Path) -> dict[str, Any]:
    """A cell's manifest; empty where there is none that can be read."""
    try:
        content = Manifest.read(folder).content
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def is_finished(folder: Path) -> bool:
    """Whether a run folder says that its run finished."""
    return read_content(folder).get("status") == FINISHED


def read_cell(folder: Path) -> Cell:
    """One cell, from its manifest and metrics."""
    content = read_content(folder)
    try:
        scores = json.loads((folder / METRICS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        scores = {}
    status = content.get("status", "unreadable")
    return Cell(
        folder=folder,
        label=content.get("label") or "?",
        status=status,
        overrides=tuple(content.get("overrides", ())),
        error=content.get("error") or (None if status in ENDED else NOT_ENDED),
        test_pearson=scores.get("test", {}).get("pearson"),
    )


def show_cells(cells: Sequence[Cell], sweep: Path) -> None:
    """Print how the cells ended, in one row each where that fits a screen, then all that did not finish, by reason."""
    failed = [cell for cell in cells if cell.failed]
    title = f"{len(cells)} cells, {len(failed)} failed: {sweep}"
    if len(cells) <= MOST_ROWS:
        print_tables(_table(cells, title))
    else:
        print(title)
    by_reason: dict[str, list[Cell]] = {}
    for cell in failed:
        by_reason.setdefault(cell.error or "no reason is known", []).append(cell)
    for reason, members in by_reason.items():
        for cell in members:
            print(f"failed: {' '.join(cell.overrides)} (log: {cell.folder / 'bias_lab.log'})")
        print(f"  {reason}")
    if any(any((cell.folder / "wandb").glob("offline-run-*")) for cell in cells):
        print(f"W&B is offline; to upload later: wandb sync {sweep}/*/wandb/offline-run-*")


def _table(cells: Sequence[Cell], title: str) -> Table:
    table = Table(title=escape(title), title_justify="left")
    shared = set.intersection(*(set(cell.overrides) for cell in cells)) if cells else set()
    for name in ("cell", "what differs", "status"):
        table.add_column(name)
    table.add_column("test Pearson", justify="right")
    for cell in cells:
        differs = " ".join(override for override in cell.overrides if override not in shared)
        table.add_row(escape(cell.label), escape(differs), cell.status, number(cell.test_pearson))
    return table
