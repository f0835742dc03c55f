"""What Slurm knows of a sweep's jobs."""

import _thread
import logging
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from bias_lab.errors import ConfigError

SUBMITIT = ".submitit"  # submitit's folder in the sweep's: an entry for each job id
POLL_SECONDS = 3.0
ANSWER_SECONDS = 60.0


class LostJobsError(Exception):
    """Slurm has no job of the sweep any more, and not all cells ended."""


class Vigil:
    """While a launcher waits for Slurm, see whether its jobs are still there.

    submitit asks `sacct`, which knows nothing where Slurm keeps no accounts, and then waits for a job that died until
    the end of time. On entering, `lost` is false; it becomes true, and the main thread is interrupted, when no job is
    left while `all_ended` says no.
    """

    def __init__(self, folder: Path, all_ended: Callable[[], bool]) -> None:
        self.lost = False
        self._folder, self._all_ended = folder, all_ended
        self._before: set[str] = set()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="slurm", daemon=True)

    def __enter__(self) -> "Vigil":
        import submitit  # noqa: F401  sets its logger's level

        logging.getLogger("submitit").setLevel(logging.ERROR)  # it reports each unanswered sacct
        self._before = set(job_ids(self._folder))
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()

    def _watch(self) -> None:
        gone = 0
        while not self._stop.wait(POLL_SECONDS):
            submitted = set(job_ids(self._folder)) - self._before
            try:
                left = not submitted or bool(waiting_jobs(self._folder))
            except ConfigError:  # a controller that is busy or restarts
                continue
            gone = 0 if left else gone + 1
            # Twice: results reach a network's disk a little after the job's end.
            if gone > 1 and not self._all_ended() and not self._stop.is_set():
                self.lost = True
                _thread.interrupt_main()
                return


def keep_jobs_in(launcher: Any, sweep: Path, command: str) -> Path:
    """Let a launcher keep its jobs in a folder of the command's own, so that they are told from other commands' jobs.

    Returns that folder; the one for all commands where the user chose another place for them.
    """
    if Path(launcher.params["submitit_folder"]) != sweep / SUBMITIT / "%j":
        return sweep / SUBMITIT
    own = sweep / SUBMITIT / command
    launcher.params["submitit_folder"] = str(own / "%j")
    return own


def job_ids(folder: Path) -> list[str]:
    """Ids of the jobs (job arrays) that were ever submitted from a folder of submitit's."""
    names = {path.name.split("_")[0] for path in folder.iterdir()} if folder.is_dir() else set()
    return sorted(name for name in names if name.isdigit())


def waiting_jobs(*folders: Path) -> list[str]:
    """Those of `job_ids` that wait or run. Raises ConfigError where Slurm is installed and does not answer."""
    ids = sorted({job for folder in folders for job in job_ids(folder)})
    if not ids or shutil.which("squeue") is None:
        return []
    command = ["squeue", "--noheader", "--format=%F", "--me"]
    try:
        told = subprocess.run(command, capture_output=True, text=True, check=True, timeout=ANSWER_SECONDS).stdout
    except subprocess.CalledProcessError as error:
        raise ConfigError(f"squeue does not answer: {error.stderr.strip()}") from error
    except subprocess.TimeoutExpired as error:
        raise ConfigError(f"squeue does not answer within {ANSWER_SECONDS:.0f} s") from error
    return [job for job in ids if job in told.split()]


def check_queue(sweep: Path, living: Collection[str]) -> None:
    """Raise ConfigError if Slurm still has jobs of commands that have ended; `living`: names of those that have not."""
    every = sweep / SUBMITIT
    below = [path for path in every.iterdir() if path.is_dir()] if every.is_dir() else []
    if jobs := waiting_jobs(every, *(path for path in below if path.name not in living)):
        raise ConfigError(
            f"{sweep}: jobs of this sweep are still in Slurm ({', '.join(jobs)}). Wait for them, or end them with "
            f"scancel {' '.join(jobs)}; the same command then runs what is missing"
        )


def wait_for_jobs(folder: Path) -> None:
    """Wait until none of the jobs submitted from a folder waits or runs any more."""
    while waiting_jobs(folder):
        time.sleep(POLL_SECONDS)
