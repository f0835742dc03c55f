"""A real Slurm of one node, this machine, for tests.

    single_node.py start FOLDER   runs it until standard input ends, SIGTERM, or Ctrl-C; says "ready" when it is
    single_node.py stop FOLDER    ends what a start that was killed by `kill -9` left behind

Needs root and Debian's slurm-wlm and munge; then use it with SLURM_CONF=FOLDER/slurm.conf. It writes in FOLDER alone,
its munge key and socket included, and listens on free ports of 127.0.0.1, so that it neither needs nor touches a Slurm
that is configured or runs here.

Nothing outlives `start`: it adopts orphaned descendants (jobs and their step managers), the daemons stay in its
foreground and die with it even by `kill -9`, and it ends when whoever holds its standard input does. Commands that use
this Slurm, sweeps for instance, end with it as well if BIAS_LAB_TEST_NODE=FOLDER is in their environment.
"""

import ctypes
import os
import random
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from node_processes import MARK, NodeError, end_all

DAEMONS = ("munged", "slurmctld", "slurmd")
LIMIT = 30.0  # seconds for Slurm to get ready
PORTS = range(20000, 30000)  # below those that the kernel gives to connections
TRIES = 3
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36  # linux/prctl.h
CONFIGURATION = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2
SchedulerParameters=batch_sched_delay=0,sched_interval=1
KillWait=1
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} State=UNKNOWN
PartitionName=test Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


class Stop:
    """Whether a signal or the end of standard input asked for the end."""

    def __init__(self) -> None:
        self._signals: list[int] = []
        # A flag rather than an exception: the end must not be interrupted by a second Ctrl-C.
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda number, _frame: self._signals.append(number))

    def within(self, seconds: float) -> bool:
        """Whether it is asked for, after at most so many seconds."""
        readable, _, _ = select.select([0], [], [], seconds)
        return bool(self._signals) or bool(readable and not os.read(0, 1024))


def start(folder: Path) -> None:
    """Run Slurm until asked to stop. Raises NodeError."""
    stop = Stop()
    if ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise NodeError("this kernel does not let a process adopt its orphaned descendants")
    try:
        daemons = started(folder, stop)
        print("ready", flush=True)
        while not stop.within(0.1):
            if ended := first_ended(daemons):
                raise NodeError(f"{ended} ended; the logs are in {folder}")
    finally:
        end_all(folder)


def started(folder: Path, stop: Stop) -> dict[str, "subprocess.Popen[bytes]"]:
    """Start the daemons and wait until jobs can be submitted; on other ports if these were taken meanwhile."""
    for name in ("state", "spool"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "munge.key").write_bytes(os.urandom(128))
    (folder / "munge.key").chmod(0o600)
    tries = 0
    while True:
        tries += 1
        write_configuration(folder)
        daemons: dict[str, subprocess.Popen[bytes]] = {}
        why_not = wait_until_ready(daemons, folder, stop)
        if why_not is None:
            return daemons
        end_all(folder)
        told = {name: (folder / f"{name}.out").read_text(errors="replace").splitlines()[-5:] for name in daemons}
        if tries == TRIES or "already in use" not in str(told):
            lines = "\n".join(f"  {name}: {line}" for name, log in told.items() for line in log)
            raise NodeError(f"{why_not}; the logs in {folder} end with\n{lines}")


def write_configuration(folder: Path) -> None:
    """Write slurm.conf, with two free ports."""
    host = socket.gethostname().split(".")[0]
    ports = free_ports(2)
    cores = len(os.sched_getaffinity(0))
    content = CONFIGURATION.format(host=host, folder=folder, ports=ports, cores=cores)
    (folder / "slurm.conf").write_text(content, encoding="utf-8")


def free_ports(count: int) -> list[int]:
    """Ports on which nobody listens."""
    found: list[int] = []
    for port in random.sample(PORTS, len(PORTS)):
        with socket.socket() as probe:
            try:
                probe.bind(("", port))
            except OSError:
                continue
        found.append(port)
        if len(found) == count:
            return found
    raise NodeError(f"no free ports between {PORTS.start} and {PORTS.stop}")


def daemon(name: str, folder: Path) -> "subprocess.Popen[bytes]":
    """Start a daemon in the foreground, so that it is a child of this process and dies with it."""
    options = ["-D", "-c", "-f", f"{folder}/slurm.conf"]
    if name == "munged":
        # --force: a folder of tests is not as closed as munge wants its own to be.
        options = ["--foreground", "--force", f"--socket={folder}/munge.socket"]
        options += [f"--{option}-file={folder}/munge.{option}" for option in ("key", "seed", "pid")]
    with (folder / f"{name}.out").open("wb") as output:
        return subprocess.Popen(
            [name, *options],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            preexec_fn=die_with_parent,  # noqa: PLW1509  there are no threads
        )


def die_with_parent() -> None:
    """Have the kernel kill this process when its parent ends, however it ends."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def wait_until_ready(daemons: dict[str, "subprocess.Popen[bytes]"], folder: Path, stop: Stop) -> str | None:
    """Start the daemons, into `daemons`, and wait until the node is idle; returns why it will not be, or None."""
    end = time.monotonic() + LIMIT
    for name, ready in (("munged", munge_answers), ("slurmctld", lambda _: True), ("slurmd", node_is_idle)):
        daemons[name] = daemon(name, folder)
        while not ready(folder):
            if ended := first_ended(daemons):
                return f"{ended} ended"
            if stop.within(0.05):
                return "it was stopped before it was ready"
            if time.monotonic() > end:
                return f"it was not ready within {LIMIT:.0f} s"
    return None


def munge_answers(folder: Path) -> bool:
    """Whether credentials can be had, without which Slurm's daemons do not understand each other."""
    return output_of(["munge", "--no-input", f"--socket={folder}/munge.socket"]) is not None


def node_is_idle(folder: Path) -> bool:
    """Whether jobs can start."""
    return output_of(["sinfo", "--noheader", "--format=%t"], SLURM_CONF=f"{folder}/slurm.conf") == "idle"


def output_of(command: list[str], **environment: str) -> str | None:
    """What a command that fails or waits while there is no daemon says, or None."""
    try:
        done = subprocess.run(
            command, env=os.environ | environment, capture_output=True, text=True, check=True, timeout=1
        )
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip()


def first_ended(daemons: dict[str, "subprocess.Popen[bytes]"]) -> str | None:
    """Name of a daemon that does not run any more."""
    return next((name for name, process in daemons.items() if process.poll() is not None), None)


def main() -> None:
    if len(sys.argv) != 3 or sys.argv[1] not in ("start", "stop"):
        sys.exit(__doc__)
    folder = Path(sys.argv[2]).resolve()
    if sys.argv[1] == "stop":
        end_all(folder)
        return
    if missing := [name for name in (*DAEMONS, "munge", "sinfo") if shutil.which(name) is None]:
        raise NodeError(f"not installed: {', '.join(missing)} (apt-get install slurm-wlm munge)")
    if os.environ.get(MARK) != str(folder):  # `stop` is to find this process, too
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | {MARK: str(folder)})
    start(folder)


if __name__ == "__main__":
    try:
        main()
    except NodeError as error:
        sys.exit(f"single_node.py: {error}")
