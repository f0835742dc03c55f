"""The Hydra callback that turns predictions into coefficients, tracks the job, and decides how it ended.

Hydra swallows an exception inside a callback with a warning, stops a sweep's summary at the first failed job, and
leaves a failed job's log empty. So this callback never raises an error: it writes the job's outcome into its result.
"""

import logging
import sys
import traceback
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from hydra.core.utils import JobReturn, JobStatus
from hydra.experimental.callback import Callback
from hydra.types import RunMode, TaskFunction
from omegaconf import DictConfig
from omegaconf.errors import OmegaConfBaseException

from bias_lab.callback_failures import note_failures, noted_failure
from bias_lab.config import Settings
from bias_lab.errors import BiasLabError, ConfigError, DataError, TrackingError
from bias_lab.sweep.process import (
    InterruptedJobError,
    as_job_error,
    in_commands_process,
    launcher_kind,
    leave_if_orphaned,
)
from bias_lab.tracking import NoTracker, group_of

log = logging.getLogger(__name__)
traceback_log = logging.getLogger("bias_lab.traceback")


class PostRun(Callback):
    """After each job: regressions, figures, W&B, status. After a sweep: its cells, and exit code 1 if any failed."""

    def __init__(self) -> None:
        self._tracker: Any = None
        self._trouble: Exception | None = None
        self._around: Any = None
        self._done = False

    def on_run_start(self, config: DictConfig, **_kwargs: Any) -> None:
        """Say in one line that the run's folder cannot be written to; SystemExit passes Hydra, other errors do not."""
        try:
            folder = Path(str(config.hydra.run.dir))
        except OmegaConfBaseException:  # ${hydra:...} is not known yet
            return
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with TemporaryFile(dir=folder):
                pass
        except OSError as error:
            print(f"error: {folder} cannot be written to: {error}", file=sys.stderr)
            raise SystemExit(1) from None

    def on_multirun_start(self, config: DictConfig, **_kwargs: Any) -> None:
        """Let no other callback of the sweep fail unseen."""
        note_failures()

    def on_job_start(self, config: DictConfig, *, task_function: TaskFunction, **_kwargs: Any) -> None:
        """In a sweep, take the cell's folder. Open the tracker, so that a long job can be seen while it runs."""
        note_failures()
        self._tracker, self._trouble, self._around, self._done = None, None, None, False
        try:
            if _is_sweep(config):
                self._enter(config)
        except Exception as error:  # told when the job ends, as Hydra takes no error from here
            self._trouble = error
        if not self._done:
            self._start_tracker(config)

    def _enter(self, config: DictConfig) -> None:
        from bias_lab.sweep.cells import LOCKS
        from bias_lab.sweep.resume import finished_already
        from bias_lab.sweep.worker import Surroundings, claim_gpu, leave_when_orphaned

        self._around = Surroundings(Path(config.hydra.runtime.output_dir))
        self._around.enter()
        self._done = finished_already(config)
        if _launcher(config) == "joblib":
            leave_when_orphaned()
            claim_gpu(Path(config.hydra.sweep.dir) / LOCKS, int(config.hydra.job.num))

    def _leave(self) -> None:
        if self._around is not None:
            self._around.leave()
            self._around = None

    def _start_tracker(self, config: DictConfig) -> None:
        from bias_lab.config import build_part, check
        from bias_lab.sweep.resume import job_config

        try:
            settings = check(job_config(config), model_choice=str(config.hydra.runtime.choices.model))
            tracker = build_part(config, "tracking")
            if isinstance(tracker, NoTracker):
                return
            group = group_of(Path(config.hydra.sweep.dir).absolute()) if _is_sweep(config) else None
            tracker.start(
                run_id=_run_id(settings, config),
                name=settings.label,
                group=group,
                config=settings.plain,
                folder=Path(config.hydra.runtime.output_dir),
            )
            self._tracker = tracker
        except ConfigError:
            return  # the job itself checks the same configuration first and says so
        except Exception as error:  # told when the job ends; the job is worth running all the same
            self._trouble = self._trouble or TrackingError(
                f"tracking: W&B could not be started ({type(error).__name__}: {error}). The results are in "
                f"{config.hydra.runtime.output_dir}; set tracking=off or tracking.mode=offline to do without"
            )

    def on_job_end(self, config: DictConfig, job_return: JobReturn, **_kwargs: Any) -> None:
        """Analyse what the job wrote, then record how it ended: in its manifest, its log, the tracker, its result."""
        try:
            error = None if self._done else self._end(config, job_return)
        finally:
            self._leave()
        if _launcher(config) == "joblib":
            leave_if_orphaned()
        if isinstance(error, InterruptedJobError) and (not _is_sweep(config) or in_commands_process()):
            raise KeyboardInterrupt  # which Hydra lets pass: the jobs to come must not start

    def _end(self, config: DictConfig, job_return: JobReturn) -> Exception | None:
        folder = Path(config.hydra.runtime.output_dir)
        error: Exception | None = _failure(job_return)
        if error is None:
            try:
                with as_job_error():
                    _analyse(config, folder, self._tracker or NoTracker())
                if self._trouble is not None:
                    raise self._trouble
            except Exception as problem:
                error = problem
        noted = noted_failure()
        error = error or noted
        error = self._close_tracker(error)
        try:
            _record(folder, error)
        except Exception as problem:  # a full disk, say: the job must not count as done
            error = error or problem
        if error is not None:
            _tell(config, job_return, error)
        return error

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
        try:
            succeeded, error = _end_sweep(config), noted_failure()
        except Exception as problem:
            succeeded, error = False, problem
        if error is not None:
            if not isinstance(error, BiasLabError):
                traceback.print_exception(error)
            print(f"error: the cells have run, but not what follows them: {error}", file=sys.stderr)
        if error is not None or not succeeded:
            raise SystemExit(1)


def _end_sweep(config: DictConfig) -> bool:
    """Show what there is and summarise it; whether this command's cells finished."""
    from bias_lab.config import build_part
    from bias_lab.sweep.ending import end_sweep

    return end_sweep(Path(config.hydra.sweep.dir), make_tracker=lambda: build_part(config, "tracking"))


def _analyse(config: DictConfig, folder: Path, tracker: Any) -> None:
    from bias_lab.analysis import analyse_run
    from bias_lab.config import build_part
    from bias_lab.terminal import print_results

    found = analyse_run(folder, build_part(config, "stats"), tracker)
    print_results(found.label, found.agreement, found.coefficients)
    print(f"run folder: {folder}")


def _run_id(settings: Settings, config: DictConfig) -> str:
    """The same for the same configuration and data, so that a job that is run again is no second run."""
    from bias_lab.files import digest_of
    from bias_lab.sweep.resume import corpus_folders, read_inputs

    try:
        inputs = read_inputs(settings, corpus_folders(config.hydra))
    except (DataError, OSError):  # the job will say so
        return settings.identity[:16]
    return digest_of([settings.identity, inputs.data, inputs.corpora])[:16]


def _is_sweep(config: DictConfig) -> bool:
    return config.hydra.mode == RunMode.MULTIRUN


def _launcher(config: DictConfig) -> str | None:
    return launcher_kind(config.hydra.launcher._target_) if _is_sweep(config) else None


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
        manifest.end(
            FAILED, str(error) if isinstance(error, InterruptedJobError) else f"{type(error).__name__}: {error}"
        )


def _tell(config: DictConfig, job_return: JobReturn, error: Exception) -> None:
    """Log the failure and make Hydra count the job as failed; in a sweep, let the other jobs' results be told."""
    traceback_log.error("the job failed", exc_info=error)
    if _is_sweep(config):
        # Hydra would raise the first failure before the sweep's end is reached and hide the others.
        what = str(error) if isinstance(error, BiasLabError) else f"{type(error).__name__}: {error}"
        log.error("failed: %s\n  %s", " ".join(config.hydra.overrides.task), what)
        job_return.status, job_return.return_value = JobStatus.COMPLETED, f"{type(error).__name__}: {error}"
    else:
        job_return.status, job_return.return_value = JobStatus.FAILED, error
