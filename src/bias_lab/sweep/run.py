"""A sweep from its override lines to its end: what is done already, what runs, and what an interruption leaves."""

import os
import shlex
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hydra.plugins.launcher import Launcher
from hydra.types import HydraContext
from omegaconf import DictConfig

from bias_lab.errors import DataError
from bias_lab.sweep.cells import read_content
from bias_lab.sweep.claims import Claims
from bias_lab.sweep.command import dir_argument, keep_command
from bias_lab.sweep.compose import Composer
from bias_lab.sweep.ending import forget, own_and_others, remember
from bias_lab.sweep.folders import check_pattern, place_cells
from bias_lab.sweep.launch import CellLauncher, has_ended, prepare
from bias_lab.sweep.plan import PlannedCell, draft_cells
from bias_lab.sweep.process import COMMAND_PID
from bias_lab.sweep.progress import Watch
from bias_lab.sweep.show import show_cells, upload_line
from bias_lab.sweep.slurm import check_queue, waiting_jobs
from bias_lab.sweep.worker import is_locked, leave_all

POLL_SECONDS = 1.0


@dataclass(frozen=True)
class _Sweep:
    """What stays the same while a sweep runs."""

    folder: Path
    config: DictConfig
    composer: Composer
    claims: Claims
    launcher: CellLauncher
    batch_size: int | None


def run_sweep(
    lines: Sequence[Sequence[str]],
    *,
    config: DictConfig,
    context: HydraContext,
    launcher: Launcher,
    batch_size: int | None = None,
) -> None:
    """Run those of a sweep's cells whose results are not there yet, at most `batch_size` in one launch.

    Every cell ends finished or failed, and says so in its manifest; no failure keeps another cell from running. Cells
    that another command has planned in the same folder are left to it and waited for; what it does not finish runs
    here. Raises ConfigError before anything runs; KeyboardInterrupt after the cells in flight have been marked.
    """
    os.environ[COMMAND_PID] = str(os.getpid())
    folder = Path(config.hydra.sweep.dir)
    if len(lines) > 1:
        print(f"checking {len(lines)} cells", file=sys.stderr)
    composer = Composer(config, context.config_loader)
    drafts = draft_cells(lines, composer)
    check_pattern(drafts, config, composer)
    claims = Claims(folder)
    claims.open()
    remember(folder, (), claims)
    try:
        cell_launcher = CellLauncher(launcher, sweep=folder, command=claims.command)
        _run(drafts, _Sweep(folder, config, composer, claims, cell_launcher, batch_size))
        cell_launcher.check_recorded()
    except BaseException:
        forget()
        raise


def _run(drafts: Sequence[PlannedCell], sweep: _Sweep) -> None:
    """Plan and run cells, then those that another command had and did not finish."""
    cells, ours = _plan(drafts, sweep, first=True)
    remember(sweep.folder, cells, sweep.claims)
    try:
        for line in told_plan(cells, sweep.folder):
            print(line, file=sys.stderr)
        _run_planned(cells, sweep)
        while left := [place for place, cell in enumerate(cells) if cell.elsewhere]:
            again, _ = _plan([drafts[place] for place in left], sweep, first=False)
            for place, cell in zip(left, again, strict=True):
                cells[place] = cell
            remember(sweep.folder, cells, sweep.claims)
            if not_done := sum(cell.reason is not None and not cell.elsewhere for cell in again):
                print(f"left unfinished by another command, now run here: {not_done}", file=sys.stderr)
            _run_planned(again, sweep)
    except KeyboardInterrupt:
        leave_all()
        _interrupted(cells, sweep, ours=ours)
        raise


def _plan(drafts: Sequence[PlannedCell], sweep: _Sweep, *, first: bool) -> tuple[list[PlannedCell], bool]:
    """Place cells, claim and empty their folders; also returns whether the command is now the sweep's own.

    first: whether these are all of the command's cells.
    """
    claims = sweep.claims
    try:
        with claims.planning():
            check_queue(sweep.folder, claims.commands())
            cells = place_cells(
                drafts,
                config=sweep.config,
                composer=sweep.composer,
                claimed=claims.living(),
                command=claims.command,
            )
            mine = [cell for cell in cells if not cell.elsewhere]
            for cell in mine:
                if cell.reason is not None:
                    prepare(cell, sweep.folder)
            claims.take(mine)
            ours = first and keep_command(sweep.config, cells, sweep.composer)
    except OSError as error:
        raise DataError(f"{sweep.folder} cannot be written to: {error}") from error
    return cells, ours


def told_plan(cells: Sequence[PlannedCell], sweep: Path) -> list[str]:
    """What a sweep is about to do, in words."""
    reasons: dict[str, int] = {}
    for cell in cells:
        if cell.reason is not None and not cell.elsewhere:
            reason = cell.reason if cell.problem is None else "cannot be composed"
            reasons[reason] = reasons.get(reason, 0) + 1
    elsewhere = sum(cell.elsewhere for cell in cells)
    done = len(cells) - sum(reasons.values()) - elsewhere
    told = []
    if done or elsewhere or set(reasons) != {"missing"}:
        rest = ", ".join(f"{number} {reason}" for reason, number in reasons.items())
        what = f"to run: {rest}" if rest else "nothing is left to run"
        others = f"{elsewhere} at work in another command, left to it; " if elsewhere else ""
        told.append(f"{done} of {len(cells)} cells are finished already; {others}{what} ({sweep})")
    else:
        told.append(f"{len(cells)} cells: {sweep}")
    replaced = sum(cell.replaces and not cell.elsewhere for cell in cells)
    if replaced:
        told.append(f"finished results of {replaced} changed cells are kept in {sweep / 'replaced'}")
    return told


def composition_error(error: Exception) -> str:
    """Hydra's message in one line, without the list of the places it looked in."""
    return f"{type(error).__name__}: {' '.join(str(error).partition('Config search path:')[0].split())}"


def _run_planned(cells: Sequence[PlannedCell], sweep: _Sweep) -> None:
    """Run this command's cells, and wait for those of other commands to end."""
    todo = [cell for cell in cells if cell.reason is not None and not cell.elsewhere]
    for cell in todo:
        if cell.problem is not None:
            sweep.launcher.record(cell, composition_error(cell.problem), cell.problem)
    # Those that took their process along last time come last, so that the others are not lost to them again.
    free = sorted((cell for cell in todo if cell.problem is None), key=lambda cell: cell.reason == "did not end")
    elsewhere = [cell for cell in cells if cell.elsewhere]
    with Watch(cells, busy=elsewhere):
        for start in range(0, len(free), sweep.batch_size or max(len(free), 1)):
            sweep.launcher.run(free[start : start + (sweep.batch_size or len(free))])
        while sweep.claims.at_work(cell.name for cell in elsewhere):
            time.sleep(POLL_SECONDS)


def _interrupted(cells: Sequence[PlannedCell], sweep: _Sweep, *, ours: bool) -> None:
    """Mark this command's cells in flight, show what there is, and say how to go on; `ours`: as for `_plan`."""
    for cell in cells:
        mine = cell.reason is not None and cell.problem is None and not cell.elsewhere
        if mine and read_content(cell.folder) and not has_ended(cell) and not is_locked(cell.folder):
            sweep.launcher.record(cell, "interrupted")
    own, others = own_and_others(sweep.folder)
    show_cells(own, sweep.folder, others=others)
    if line := upload_line(sweep.folder):
        print(line)
    again = f"python -m bias_lab {shlex.quote(f'resume={sweep.folder}')}"
    if not ours:
        again = f"the same command again, with {dir_argument(sweep.folder)}"
    print(f"interrupted; to go on: {again}")
    if jobs := waiting_jobs(sweep.launcher.jobs):
        print(f"jobs that Slurm has go on; to end them: scancel {' '.join(jobs)}")
