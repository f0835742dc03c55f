"""The processes of a Slurm in a folder, told by descent and by environment, never by a name: find and end them."""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

MARK = "BIAS_LAB_TEST_NODE"
PATIENCE = 1.5  # seconds until a process that was asked to end is killed; jobs of submitit ignore the request
LIMIT = 30.0  # seconds for all to be gone


class NodeError(Exception):
    """Slurm did not start, or something of it does not end."""


def end_all(folder: Path) -> None:
    """End this Slurm's processes and wait until they are gone. Raises NodeError where one does not go."""
    begun, asked = time.monotonic(), set[int]()
    while left := processes_of(folder):
        waited = time.monotonic() - begun
        if waited > LIMIT:
            raise NodeError(f"processes {sorted(left)} do not end")
        for pid in left if waited > PATIENCE else left - asked:
            send(pid, signal.SIGKILL if waited > PATIENCE else signal.SIGTERM)
        asked |= left
        time.sleep(0.02)
        reap()
    reap()


def send(pid: int, number: int) -> None:
    """Send a signal to a process, if it is still there."""
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def reap() -> None:
    """Take note of children that ended."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def processes_of(folder: Path) -> set[int]:
    """Processes of the Slurm in a folder, but for this one and those that it descends from."""
    parents = running()
    this, spared = os.getpid(), set[int]()
    pid = this
    while pid in parents and pid not in spared:
        spared.add(pid)
        pid = parents[pid]
    found, more = set[int](), {this} | {pid for pid in parents if pid not in spared and is_marked(pid, folder)}
    while more:
        found |= more
        more = {pid for pid, parent in parents.items() if parent in found} - found - spared
    return found - spared


def running() -> dict[int, int]:
    """Parent of each process, by process id; without those that ended and are not reaped."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = path.read_text(errors="replace").rpartition(")")[2].split()[:2]
        except OSError:  # it ended meanwhile
            continue
        if state not in "ZX":
            parents[int(path.parent.name)] = int(parent)
    return parents


def is_marked(pid: int, folder: Path) -> bool:
    """Whether a process has this folder's mark, or is a job or a step manager of its Slurm."""
    process = Path(f"/proc/{pid}")
    try:
        environment = (process / "environ").read_bytes().split(b"\0")
        if f"{MARK}={folder}".encode() in environment:
            return True
        if f"SLURM_CONF={folder}/slurm.conf".encode() not in environment:  # which a shell may have as well
            return False
        in_job = any(variable.startswith(b"SLURM_JOB_ID=") for variable in environment)
        return in_job or (process / "exe").readlink().name.startswith("slurmstepd")
    except OSError:  # it ended meanwhile, or is the kernel's
        return False
