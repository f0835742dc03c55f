"""Hand cells to a Hydra launcher and see to it that each ends finished or failed, whatever becomes of the launcher."""

import re
import shutil
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hydra.core.utils import JobReturn
from hydra.plugins.launcher import Launcher

from bias_lab.errors import ConfigError, DataError
from bias_lab.manifest import FAILED, FINISHED, MANIFEST, Manifest
from bias_lab.sweep.cells import ENDED, LOCK, read_content, set_aside
from bias_lab.sweep.plan import PlannedCell
from bias_lab.sweep.process import launcher_kind
from bias_lab.sweep.slurm import SUBMITIT, LostJobsError, Vigil, keep_jobs_in, wait_for_jobs
from bias_lab.sweep.worker import leave_all


class CellLauncher:
    """Launches cells through one of Hydra's launchers; `kind` is `launcher_kind` of it, `command` names the command."""

    def __init__(self, launcher: Launcher, *, sweep: Path, command: str) -> None:
        self._launcher = launcher
        self._sweep = sweep
        self._unrecorded: dict[str, str] = {}
        self.kind = launcher_kind(f"{type(launcher).__module__}.{type(launcher).__name__}")
        self.jobs = keep_jobs_in(launcher, sweep, command) if self.kind == "slurm" else sweep / SUBMITIT / command

    def run(self, cells: Sequence[PlannedCell]) -> None:
        """Run cells; those that ended without a status are recorded as failed. Raises what no cell is to blame for."""
        groups = [list(cells)] if cells else []
        while groups:
            group = groups.pop(0)
            for cell in group:
                prepare(cell, self._sweep)
            try:
                returns = self._launch(group)
            except Exception as error:
                leave_all()
                groups[:0] = self._survivors(group, error)
            else:
                for cell, job in zip(group, returns, strict=True):
                    if not has_ended(cell):
                        self.record(cell, _reason(job))

    def _launch(self, group: list[PlannedCell]) -> Sequence[JobReturn]:
        lines = [[*cell.line, *job_options(cell)] for cell in group]
        if self.kind != "slurm":
            return self._launcher.launch(lines, initial_job_idx=0)
        with Vigil(self.jobs, lambda: all(has_ended(cell) for cell in group)) as vigil:
            try:
                return self._launcher.launch(lines, initial_job_idx=0)
            except KeyboardInterrupt:
                if not vigil.lost:
                    raise
                raise LostJobsError("its Slurm job ended without a result (killed, out of memory or time)") from None

    def record(self, cell: PlannedCell, reason: str, error: BaseException | None = None) -> None:
        """Write that a cell failed; where the disk does not take it, keep it for `check_recorded`."""
        try:
            record_failure(cell, reason, error)
        except OSError as problem:
            self._unrecorded[" ".join(cell.line)] = f"{reason} ({problem})"

    def check_recorded(self) -> None:
        """Raise DataError for failures that could not be written."""
        if self._unrecorded:
            lines = "\n".join(f"failed: {line}\n  {reason}" for line, reason in self._unrecorded.items())
            raise DataError(
                f"{len(self._unrecorded)} cells failed, and {self._sweep} does not take their status:\n{lines}"
            )

    def _survivors(self, group: list[PlannedCell], error: Exception) -> list[list[PlannedCell]]:
        """What to launch next after a launcher gave up: records who is to blame, or narrows it down by halves."""
        self._settle()
        left = [cell for cell in group if not has_ended(cell)]
        started = [cell for cell in left if read_content(cell.folder)]
        waiting = [cell for cell in left if cell not in started]
        if self.kind not in ("basic", "joblib") and len(waiting) == len(group):
            raise ConfigError(f"the launcher started no cell: {_told(error)}") from error
        if self.kind == "basic" or len(group) == 1:  # one after the other, so that the first left is the one
            return self._blame((started or waiting)[:1], left, error)
        if self.kind == "slurm":  # each in a process of its own
            return self._blame(started, left, error)
        # A pool dies with one of its processes, and takes the other jobs in flight along.
        suspects = started or waiting
        half = (len(suspects) + 1) // 2
        return [part for part in (waiting if started else [], suspects[:half], suspects[half:]) if part]

    def _blame(self, culprits: list[PlannedCell], left: list[PlannedCell], error: Exception) -> list[list[PlannedCell]]:
        for cell in culprits:
            self.record(cell, _told(error), error)
        rest = [cell for cell in left if cell not in culprits]
        return [rest] if rest else []

    def _settle(self) -> None:
        """Wait until no job of a launcher that gave up is at work any more, or end them."""
        if self.kind == "slurm":
            wait_for_jobs(self.jobs)
        elif self.kind == "ray" and "ray" in sys.modules:
            sys.modules["ray"].shutdown()


def job_options(cell: PlannedCell) -> list[str]:
    """Hydra options of one job: its folder, and a log that goes to its file alone, as many jobs share the screen."""
    return [f"hydra.sweep.subdir={quoted(cell.name)}", "hydra.job_logging.root.handlers=[file]"]


def quoted(value: str) -> str:
    """A value in Hydra's grammar that is taken as it is."""
    # A backslash means itself there, but before a quote.
    escaped = re.sub(r"(\\*)('|$)", lambda found: found[1] * 2 + ("\\'" if found[2] else ""), value)
    return f"'{escaped}'"


def has_ended(cell: PlannedCell) -> bool:
    """Whether a cell's manifest says that it finished or failed."""
    return read_content(cell.folder).get("status") in ENDED


def prepare(cell: PlannedCell, sweep: Path) -> None:
    """Empty a cell's folder, so that nothing of an earlier attempt passes for this one's; results are moved aside.

    Raises ConfigError for a folder that is not a run's.
    """
    if not cell.folder.is_dir():
        return
    content = [path for path in cell.folder.iterdir() if path.name != LOCK]
    if content and not any((cell.folder / name).exists() for name in (MANIFEST, ".hydra", LOCK)):
        raise ConfigError(f"{cell.folder} holds files that are not a run's: choose another hydra.sweep.dir")
    if cell.replaces and read_content(cell.folder).get("status") == FINISHED:
        set_aside(cell.folder, sweep)
        return
    # The manifest last: without it a folder that could not be emptied would look like a cell that never ran.
    for path in sorted(content, key=lambda path: path.name == MANIFEST):
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


def record_failure(cell: PlannedCell, reason: str, error: BaseException | None = None) -> None:
    """Write that a cell failed, with the error's traceback in its log. Raises OSError."""
    content = read_content(cell.folder)
    cell.folder.mkdir(parents=True, exist_ok=True)
    manifest = Manifest(cell.folder, content) if content else Manifest.start(cell.folder, overrides=list(cell.line))
    known = {"label": cell.label, "identity": cell.settings.identity} if cell.settings else {}
    manifest.content = known | manifest.content
    manifest.end(FAILED, reason)
    if error is not None:
        with (cell.folder / "bias_lab.log").open("a", encoding="utf-8") as log:
            log.write("".join(traceback.format_exception(error)))


def _reason(job: Any) -> str:
    value = job._return_value if isinstance(job, JobReturn) else None
    return _told(value) if isinstance(value, BaseException) else str(value or "its job ended without a result")


def _told(error: BaseException) -> str:
    """An error in one line; of the pools' pages of advice what happened, and the exit code."""
    first, *others = str(error).strip().split("\n\n")
    told = " ".join([first, *(part for part in others if part.startswith("The exit code"))])
    return f"{type(error).__name__}: {' '.join(told.split())}"
