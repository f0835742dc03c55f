"""What surrounds one job of a sweep in the process that runs it: its folder's lock, its output file, its GPU."""

import io
import logging
import os
import sys
import threading
import time
from pathlib import Path
from typing import TextIO

from filelock import FileLock, Timeout

from bias_lab.sweep.cells import LOCK, OUTPUT
from bias_lab.sweep.process import in_commands_process, leave_if_orphaned

log = logging.getLogger(__name__)

ORPHAN_WATCH, ORPHAN_SECONDS = "parent watch", 5.0


def leave_when_orphaned() -> None:
    """Let a thread do so while no job runs here; called again, it does nothing."""
    if not in_commands_process() and not any(thread.name == ORPHAN_WATCH for thread in threading.enumerate()):
        threading.Thread(target=_watch_parent, name=ORPHAN_WATCH, daemon=True).start()


def _watch_parent() -> None:
    while True:
        time.sleep(ORPHAN_SECONDS)
        if not _entered:
            leave_if_orphaned()


class Surroundings:
    """From `enter` to `leave`, this process alone works in `folder`, and what it prints goes to a file there.

    The lock is the kernel's: it is free as soon as its process is gone, however it ended.
    """

    def __init__(self, folder: Path) -> None:
        self._lock = FileLock(folder / LOCK)
        self._output = folder / OUTPUT
        self._file: TextIO | None = None

    def enter(self) -> None:
        """Wait for another process that works on the same cell, then take the folder. Raises OSError."""
        leave_all()
        _entered.append(self)
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            log.warning("another process is at work in %s: waiting for it", self._output.parent)
            self._lock.acquire()
        except NotImplementedError:
            log.warning("this file system has no locks: do not run two sweeps in one folder at a time")
        self._file = self._output.open("w", buffering=1, encoding="utf-8")
        _OUTPUT.take(self._file)

    def leave(self) -> None:
        """Give output and folder back; may be called twice."""
        _OUTPUT.give_back()
        if self._file is not None:
            self._file.close()
            self._file = None
        self._lock.release()
        if self in _entered:
            _entered.remove(self)


class _JobOutput(io.TextIOBase):
    """Writes to the file of the job at hand; one object for all jobs, as libraries keep the stream they first saw."""

    encoding = "utf-8"

    def __init__(self) -> None:
        self._target: TextIO | None = None
        self._saved: tuple[TextIO, TextIO] | None = None

    def take(self, target: TextIO) -> None:
        """Stand in for standard output and error, and write to `target`."""
        self._target, self._saved = target, self._saved or (sys.stdout, sys.stderr)
        sys.stdout = sys.stderr = self

    def give_back(self) -> None:
        """Put the process's own streams back."""
        if self._saved is not None:
            sys.stdout, sys.stderr = self._saved
        self._target = self._saved = None

    def write(self, text: str) -> int:
        return self._stream().write(text)

    def flush(self) -> None:
        self._stream().flush()

    def fileno(self) -> int:
        return self._stream().fileno()

    def _stream(self) -> TextIO:
        stream = self._target or sys.__stderr__
        if stream is None:
            raise io.UnsupportedOperation("this process has no standard error")
        return stream


_OUTPUT = _JobOutput()


def leave_all() -> None:
    """Leave what a job that was stopped half-way entered."""
    _OUTPUT.give_back()
    for surroundings in list(_entered):
        surroundings.leave()


_entered: list[Surroundings] = []


def is_locked(folder: Path) -> bool:
    """Whether a process is at work in a cell's folder."""
    return is_held(folder / LOCK)


def is_held(lock: Path) -> bool:
    """Whether a process holds a lock, given its file."""
    if not lock.exists():
        return False
    try:
        with FileLock(lock, timeout=0):
            return False
    except Timeout:
        return True
    except NotImplementedError:
        return False


def claim_gpu(locks: Path, job_number: int) -> None:
    """Show this process one GPU alone, where there are several: a free one, else the one of the job's number.

    A worker process keeps its GPU over all its jobs, as CUDA does not let it change. Must come before CUDA starts.
    """
    devices = visible_gpus()
    if len(devices) < 2:  # noqa: PLR2004
        return
    locks.mkdir(parents=True, exist_ok=True)
    chosen = devices[job_number % len(devices)]
    for device in devices:
        lock = FileLock(locks / f"gpu-{device}.lock", timeout=0)
        try:
            lock.acquire()
        except (Timeout, NotImplementedError):
            continue
        _held.append(lock)
        chosen = device
        break
    os.environ["CUDA_VISIBLE_DEVICES"] = chosen


_held: list[FileLock] = []  # of the GPU, for as long as the process lives


def visible_gpus() -> list[str]:
    """NVIDIA GPUs that CUDA would show this process, found without starting CUDA."""
    told = os.environ.get("CUDA_VISIBLE_DEVICES")
    if told is not None:
        return [device.strip() for device in told.split(",") if device.strip() not in ("", "-1", "NoDevFiles")]
    return [str(number) for number, _ in enumerate(Path("/dev").glob("nvidia[0-9]*"))]
