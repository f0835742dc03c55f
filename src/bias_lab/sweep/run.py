"""A sweep from its override lines to its end: what is done already, what runs, and what an interruption leaves."""

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from hydra.plugins.launcher import Launcher
from hydra.types import HydraContext
from omegaconf import DictConfig, OmegaConf

from bias_lab.errors import ConfigError, DataError
from bias_lab.files import write_text
from bias_lab.manifest import FINISHED
from bias_lab.sweep.cells import SWEEP_FILE, read_cells, read_content, show_cells
from bias_lab.sweep.launch import CellLauncher, has_ended, prepare
from bias_lab.sweep.plan import PlannedCell, plan_cells
from bias_lab.sweep.progress import Watch
from bias_lab.sweep.slurm import waiting_jobs
from bias_lab.sweep.worker import COMMAND_PID, is_locked, leave_all

POLL_SECONDS = 1.0


def run_sweep(
    lines: Sequence[Sequence[str]],
    *,
    config: DictConfig,
    context: HydraContext,
    launcher: Launcher,
    batch_size: int | None = None,
) -> None:
    """Run those of a sweep's cells whose results are not there yet, at most `batch_size` in one launch.

    Every cell ends finished or failed, and says so in its manifest; no failure keeps another cell from running.
    Raises ConfigError before anything runs; KeyboardInterrupt after the cells in flight have been marked.
    """
    os.environ[COMMAND_PID] = str(os.getpid())
    sweep = Path(config.hydra.sweep.dir)
    _check_queue(sweep)
    if len(lines) > 1:
        print(f"checking {len(lines)} cells", file=sys.stderr)
    cells = plan_cells(lines, config, context.config_loader)
    try:
        write_text(sweep / SWEEP_FILE, OmegaConf.to_yaml(config))
    except OSError as error:
        raise DataError(f"{sweep} cannot be written to: {error}") from error
    for line in told_plan(cells, sweep):
        print(line, file=sys.stderr)
    cell_launcher = CellLauncher(launcher, sweep=sweep)
    try:
        _fail_uncomposed(cells, cell_launcher, sweep)
        busy = [cell for cell in cells if cell.reason is not None and is_locked(cell.folder)]
        with Watch(cells, busy=busy) as watch:
            _run(cells, busy, cell_launcher, batch_size, watch)
    except KeyboardInterrupt:
        leave_all()
        _interrupted(cells, cell_launcher, sweep)
        raise
    cell_launcher.check_recorded()


def _check_queue(sweep: Path) -> None:
    if jobs := waiting_jobs(sweep):
        raise ConfigError(
            f"{sweep}: jobs of this sweep are still in Slurm ({', '.join(jobs)}). Wait for them, or end them with "
            f"scancel {' '.join(jobs)}; the same command then runs what is missing"
        )


def _fail_uncomposed(cells: Sequence[PlannedCell], launcher: CellLauncher, sweep: Path) -> None:
    for cell in cells:
        if cell.problem is not None:
            prepare(cell, sweep)
            launcher.record(cell, composition_error(cell.problem), cell.problem)


def told_plan(cells: Sequence[PlannedCell], sweep: Path) -> list[str]:
    """What a sweep is about to do, in words."""
    reasons: dict[str, int] = {}
    for cell in cells:
        if cell.reason is not None:
            reason = cell.reason if cell.problem is None else "cannot be composed"
            reasons[reason] = reasons.get(reason, 0) + 1
    done = len(cells) - sum(reasons.values())
    told = []
    if done or set(reasons) != {"missing"}:
        rest = ", ".join(f"{number} {reason}" for reason, number in reasons.items())
        what = f"to run: {rest}" if rest else "nothing is left to run"
        told.append(f"{done} of {len(cells)} cells are finished already; {what} ({sweep})")
    else:
        told.append(f"{len(cells)} cells: {sweep}")
    replaced = sum(cell.replaces for cell in cells)
    if replaced:
        told.append(f"finished results of {replaced} changed cells are kept in {sweep / 'replaced'}")
    return told


def composition_error(error: Exception) -> str:
    """Hydra's message in one line, without the list of the places it looked in."""
    return f"{type(error).__name__}: {' '.join(str(error).partition('Config search path:')[0].split())}"


def _run(
    cells: Sequence[PlannedCell],
    busy: Sequence[PlannedCell],
    launcher: CellLauncher,
    batch_size: int | None,
    watch: Watch,
) -> None:
    todo = [cell for cell in cells if cell.reason is not None and cell.problem is None]
    if busy:
        watch.say(f"{len(busy)} cells are at work in processes of an earlier command; they are left to them")
    # Those that took their process along last time come last, so that the others are not lost to them again.
    free = sorted((cell for cell in todo if cell not in busy), key=lambda cell: cell.reason == "did not end")
    for start in range(0, len(free), batch_size or max(len(free), 1)):
        launcher.run(free[start : start + (batch_size or len(free))])
    while any(is_locked(cell.folder) for cell in busy):
        time.sleep(POLL_SECONDS)
    launcher.run([cell for cell in busy if read_content(cell.folder).get("status") != FINISHED])


def _interrupted(cells: Sequence[PlannedCell], launcher: CellLauncher, sweep: Path) -> None:
    """Mark the cells in flight, show what there is, and say how to go on."""
    todo = [cell for cell in cells if cell.reason is not None and cell.problem is None]
    for cell in todo:
        if read_content(cell.folder) and not has_ended(cell) and not is_locked(cell.folder):
            launcher.record(cell, "interrupted")
    show_cells(read_cells(sweep), sweep)
    waiting = sum(not read_content(cell.folder) for cell in todo)
    print(f"interrupted: {waiting} cells were not started; to go on: python -m bias_lab resume={sweep}")
    if jobs := waiting_jobs(sweep):
        print(f"jobs that Slurm has go on; to end them: scancel {' '.join(jobs)}")
