"""The Hydra callback that turns predictions into coefficients, tracks the job, and decides how it ended.

Hydra swallows an exception inside a callback with a warning, stops a sweep's summary at the first failed job, and
leaves a failed job's log empty. So this callback never raises: it writes the job's outcome into its result.
"""

import logging
from pathlib import Path
from typing import Any

from hydra.core.utils import JobReturn, JobStatus
from hydra.experimental.callback import Callback
from hydra.types import RunMode, TaskFunction
from omegaconf import DictConfig, open_dict, read_write

from bias_lab.errors import BiasLabError, ConfigError

log = logging.getLogger(__name__)
traceback_log = logging.getLogger("bias_lab.traceback")


class PostRun(Callback):
    """After each job: regressions, figures, W&B, status. After a sweep: its cells, and exit code 1 if any failed."""

    def __init__(self) -> None:
        self._tracker: Any = None
        self._trouble: Exception | None = None

    def on_job_start(self, config: DictConfig, *, task_function: TaskFunction, **_kwargs: Any) -> None:
        """Open the tracker, so that a long job can be seen while it runs."""
        from bias_lab.config import build_part, parse

        self._tracker, self._trouble = None, None
        try:
            settings = parse(_job_config(config), model_choice=str(config.hydra.runtime.choices.model))
            tracker = build_part(config, "tracking")
            sweep = Path(config.hydra.sweep.dir)
            group = f"{sweep.parent.name}_{sweep.name}" if _is_sweep(config) else None
            tracker.start(
                run_id=settings.identity[:16],
                name=settings.label,
                group=group,
                config=settings.plain,
                folder=Path(config.hydra.runtime.output_dir),
            )
            self._tracker = tracker
        except ConfigError:
            return  # the job itself checks the same configuration first and says so
        except Exception as error:  # told when the job ends; the job is worth running all the same
            self._trouble = error

    def on_job_end(self, config: DictConfig, job_return: JobReturn, **_kwargs: Any) -> None:
        """Analyse what the job wrote, then record how it ended: in its manifest, its log, the tracker, its result."""
        folder = Path(config.hydra.runtime.output_dir)
        error: Exception | None = _failure(job_return)
        if error is None:
            try:
                if self._trouble is not None:
                    raise self._trouble
                _analyse(config, folder, self._tracker)
            except Exception as problem:
                error = problem
        error = self._close_tracker(error)
        try:
            _record(folder, error)
        except Exception as problem:  # a full disk, say: the job must not count as done
            error = error or problem
        if error is not None:
            _tell(config, job_return, error)

    def _close_tracker(self, error: Exception | None) -> Exception | None:
        """Close the tracker's run as the job ended; a tracker that cannot be closed fails a job that had not failed."""
        if self._tracker is None:
            return error
        try:
            self._tracker.finish(succeeded=error is None)
        except Exception as problem:
            return error or problem
        return error

    def on_multirun_end(self, config: DictConfig, **_kwargs: Any) -> None:
        """Show all cells; SystemExit passes Hydra, which swallows only what derives from Exception."""
        from bias_lab.sweep import read_cells, show_cells

        sweep = Path(config.hydra.sweep.dir)
        cells = read_cells(sweep)
        show_cells(cells, sweep)
        if any(cell.failed for cell in cells):
            raise SystemExit(1)


def _analyse(config: DictConfig, folder: Path, tracker: Any) -> None:
    from bias_lab.analysis import analyse_run
    from bias_lab.config import build_part
    from bias_lab.terminal import print_results

    found = analyse_run(folder, build_part(config, "stats"), tracker)
    print_results(found.label, found.agreement, found.coefficients)
    print(f"run folder: {folder}")


def _job_config(config: DictConfig) -> DictConfig:
    """The job's own part of the configuration."""
    job = config.copy()
    with read_write(job), open_dict(job):
        job.pop("hydra")
    return job


def _is_sweep(config: DictConfig) -> bool:
    return config.hydra.mode == RunMode.MULTIRUN


def _failure(job_return: JobReturn) -> Exception | None:
    # The public property raises the exception, and prints a line of its own each time.
    return job_return._return_value if job_return.status == JobStatus.FAILED else None


def _record(folder: Path, error: Exception | None) -> None:
    """Write the outcome into the manifest."""
    from bias_lab.manifest import FAILED, FINISHED, Manifest

    manifest = Manifest.read(folder)
    if error is None:
        manifest.end(FINISHED)
    else:
        manifest.end(FAILED, f"{type(error).__name__}: {error}")


def _tell(config: DictConfig, job_return: JobReturn, error: Exception) -> None:
    """Log the failure and make Hydra count the job as failed; in a sweep, let the other jobs' results be told."""
    traceback_log.error("the job failed", exc_info=error)
    if _is_sweep(config):
        # Hydra would raise the first failure before the sweep's end is reached and hide the others.
        what = str(error) if isinstance(error, BiasLabError) else f"{type(error).__name__}: {error}"
        log.error("failed: %s\n  %s", " ".join(config.hydra.overrides.task), what)
        job_return.status, job_return.return_value = JobStatus.COMPLETED, "failed"
    else:
        job_return.status, job_return.return_value = JobStatus.FAILED, error
