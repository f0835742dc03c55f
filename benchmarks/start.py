"""How long a user waits for a command that computes nothing, in times of `python -c "import hydra"`."""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from benchmarks.timing import Figure, ratios, take_turns, told

PEER = "import hydra"
CASES: Mapping[str, Sequence[str]] = {
    "--help": ["--help"],
    "--cfg job": ["--cfg", "job"],
    "error: no such choice": ["model=nope"],
    "error: no such key": ["model.lrr=1"],
    "error: a value that only its owner can refuse": ["model=minilm", "model.dropout=2", "task=sample"],
}


def measure(options: argparse.Namespace) -> list[Figure]:
    """Start each command in a process of its own, in turns with the peer."""
    with tempfile.TemporaryDirectory() as scratch:
        where = f"hydra.run.dir={Path(scratch) / 'run'}"
        contenders = {PEER: partial(run, ["-c", PEER], expected=0)}
        for case, arguments in CASES.items():
            command = ["-m", "bias_lab", *arguments, where]
            contenders[case] = partial(run, command, expected=int(case.startswith("error")))
        seconds = take_turns(contenders, rounds=options.rounds)
    peer = seconds.pop(PEER)
    return [
        Figure(case, told(own), f"{PEER} {told(peer)}", *ratios(own, peer), at_most=3) for case, own in seconds.items()
    ]


def run(arguments: Sequence[str], *, expected: int) -> None:
    """Run Python; raises RuntimeError where it does not end with the exit code that is expected."""
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)
    if done.returncode != expected:
        raise RuntimeError(f"python {' '.join(arguments)} ended with {done.returncode}: {done.stderr.strip()[-500:]}")
