"""How a sweep's cells ended, on the screen."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from rich.markup import escape
from rich.table import Table

from bias_lab.manifest import FAILED, FINISHED
from bias_lab.sweep.cells import AT_WORK, MISSING, NOT_ENDED, Cell, run_folders
from bias_lab.terminal import number, print_tables

MOST_ROWS = 24  # of a table that still fits a screen
ORDER = (FINISHED, FAILED, NOT_ENDED, "unreadable", AT_WORK, MISSING)


def show_cells(cells: Sequence[Cell], sweep: Path, *, others: Sequence[Cell] = ()) -> None:
    """Print how the cells ended, in one row each where that fits a screen, then all that failed, by reason.

    `others`, which the sweep's folder holds besides, are counted only.
    """
    print(f"{counts(cells)} ({sweep})")
    if len(cells) <= MOST_ROWS:
        print_tables(_table(cells))
    by_reason: dict[str, list[Cell]] = {}
    for cell in cells:
        if cell.failed:
            by_reason.setdefault(cell.error or "no reason is known", []).append(cell)
    for reason, members in by_reason.items():
        for cell in members:
            print(f"{cell.status}: {' '.join(cell.overrides)} (log: {cell.folder / 'bias_lab.log'})")
        print(f"  {reason}")
    if others:
        print(f"of other commands in {sweep}: {counts(others)}")


def counts(cells: Sequence[Cell]) -> str:
    """Such as "8 cells: 2 finished, 1 failed, 5 missing"."""
    found = [cell.status for cell in cells]
    told = ", ".join(f"{found.count(status)} {status}" for status in ORDER if status in found)
    return f"{len(cells)} cell{'' if len(cells) == 1 else 's'}: {told}"


def upload_line(sweep: Path) -> str | None:
    """How to upload what W&B kept of a sweep's cells and of its summary, as a shell takes it; `None` for nothing."""
    kept = [folder for folder in (*run_folders(sweep), sweep) if any((folder / "wandb").glob("offline-run-*"))]
    depths = sorted({len(folder.relative_to(sweep).parts) for folder in kept}, reverse=True)
    # Outside the quotes, so that the shell spells them out.
    globs = [f"{shlex.quote(str(sweep))}{'/*' * depth}/wandb/offline-run-*" for depth in depths]
    return f"W&B is offline; to upload later: wandb sync {' '.join(globs)}" if globs else None


def _table(cells: Sequence[Cell]) -> Table:
    table = Table()
    shared = set.intersection(*(set(cell.overrides) for cell in cells)) if cells else set()
    for name in ("cell", "what differs", "status"):
        table.add_column(name)
    table.add_column("test Pearson", justify="right")
    for cell in cells:
        differs = " ".join(override for override in cell.overrides if override not in shared)
        table.add_row(escape(cell.label), escape(differs), cell.status, number(cell.test_pearson))
    return table
