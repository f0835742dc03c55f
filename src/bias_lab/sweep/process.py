"""The process that a job runs in: whose it is, and how what would end it becomes the job's error."""

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager

from bias_lab.errors import BiasLabError

COMMAND_PID = "BIAS_LAB_SWEEP_PID"  # environment variable: the process that the user started
LAUNCHERS = {"BasicLauncher": "basic", "JoblibLauncher": "joblib", "SlurmLauncher": "slurm", "RayLauncher": "ray"}


class InterruptedJobError(BiasLabError):
    """The job was stopped from outside (Ctrl-C)."""


@contextmanager
def as_job_error() -> Iterator[None]:
    """Turn what would end the process, Ctrl-C or `exit()`, into an error of the job, so that its status is written."""
    try:
        yield
    except KeyboardInterrupt as stop:
        raise InterruptedJobError("interrupted") from stop
    except SystemExit as stop:
        raise RuntimeError(f"the job called exit({'' if stop.code is None else repr(stop.code)})") from stop


def in_commands_process() -> bool:
    """Whether this is the process that the user started, and not one of a launcher's, which that one ends."""
    return os.environ.get(COMMAND_PID, str(os.getpid())) == str(os.getpid())


def leave_if_orphaned() -> None:
    """End this process, a pool's worker, if the command that started it is gone: it would wait for ever for work."""
    command = os.environ.get(COMMAND_PID)
    if command is not None and command not in (str(os.getpid()), str(os.getppid())):
        logging.shutdown()
        os._exit(0)


def launcher_kind(target: str) -> str:
    """What a Hydra launcher is, from its class's path: basic, joblib, slurm, ray; else the path."""
    return LAUNCHERS.get(target.rpartition(".")[2], target)
