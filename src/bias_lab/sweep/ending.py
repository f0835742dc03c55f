"""What follows when a sweep's cells have run. Hydra calls a callback for it, which is told the sweep's folder alone."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from bias_lab.manifest import FINISHED
from bias_lab.sweep.cells import LOCKS, Cell, read_cell, read_cells
from bias_lab.sweep.claims import Claims
from bias_lab.sweep.plan import PlannedCell
from bias_lab.sweep.show import show_cells, upload_line
from bias_lab.tracking import Tracker, group_of


@dataclass(frozen=True)
class _Asked:
    """What this process's command asked for, and its claims, which it keeps until the summary is written."""

    sweep: Path
    cells: tuple[PlannedCell, ...]
    claims: Claims


_asked: list[_Asked] = []  # one at most


def remember(sweep: Path, cells: Sequence[PlannedCell], claims: Claims) -> None:
    """Keep what a command asked for until `forget`."""
    _asked[:] = [_Asked(sweep, tuple(cells), claims)]


def forget() -> None:
    """Give up the claims of the command that was remembered, if any."""
    while _asked:
        _asked.pop().claims.close()


def own_and_others(sweep: Path) -> tuple[list[Cell], list[Cell]]:
    """The cells that this command asked for, and those that the folder holds besides; all are its own where another
    sweeper planned them."""
    there = read_cells(sweep)
    if not _asked or _asked[0].sweep != sweep:
        return there, []
    own = [read_cell(cell.folder, label=cell.label, overrides=cell.line) for cell in _asked[0].cells]
    folders = {cell.folder for cell in own}
    return own, [cell for cell in there if cell.folder not in folders]


def end_sweep(sweep: Path, *, make_tracker: Callable[[], Tracker]) -> bool:
    """Show how the cells ended, and summarise all that finished in the folder, in tables, a page and the tracker.

    Returns whether all cells of this command finished. Raises what `summarise` and `track_summary` raise.
    """
    from bias_lab.summarize import FOLDER, report_page, summarise
    from bias_lab.tracking import track_summary

    try:
        cells, others = own_and_others(sweep)
        show_cells(cells, sweep, others=others)
        if any(cell.status == FINISHED for cell in (*cells, *others)):
            (sweep / LOCKS).mkdir(parents=True, exist_ok=True)
            with FileLock(sweep / LOCKS / "summary.lock"):  # commands in one folder may end at the same time
                summary = summarise([sweep], pages=[report_page], failures=False)
                track_summary(make_tracker(), summary, sweep / FOLDER, group=group_of(sweep.absolute()))
    finally:
        forget()
        if line := upload_line(sweep):
            print(line)
    return all(cell.status == FINISHED for cell in cells)
