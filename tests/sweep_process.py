"""A sweep in processes of its own, for tests that kill, interrupt or distribute it."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

TESTS = Path(__file__).parent


class SweepProcess:
    """`python -m bias_lab -m ...` in `folder`, into folder/"sweep"."""

    def __init__(self, folder, faults, **environment):
        self.folder = folder
        self.sweep = folder / "sweep"
        self._environment = os.environ | {
            "PYTHONPATH": str(TESTS),
            "BIAS_LAB_CACHE": str(folder / "cache"),
            "OMP_WAIT_POLICY": "PASSIVE",
            **environment,
        }
        self._faults = str(faults)
        self.common = ("task=sample", "tracking=off", "trainer=cpu")

    def start(self, *arguments, sweep=True):
        """Start it as the leader of a process group; without `sweep`, with the given arguments alone."""
        where = [*self.common, "-m", f"hydra.sweep.dir={self.sweep}"] if sweep else []
        return subprocess.Popen(
            [sys.executable, "-m", "bias_lab", "--config-dir", self._faults, *where, *arguments],
            cwd=self.folder,
            env=self._environment,
            start_new_session=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, *arguments, sweep=True, timeout=150):
        """Run it to its end; returns (exit code, output)."""
        process = self.start(*arguments, sweep=sweep)
        output, _ = process.communicate(timeout=timeout)
        return process.returncode, output

    def statuses(self):
        """Status of each cell, by folder name."""
        return {path.parent.name: told(path)["status"] for path in sorted(self.sweep.glob("*/manifest.json"))}

    def wait_for(self, ready, *, timeout=90):
        """Wait until `ready(statuses)`."""
        end = time.monotonic() + timeout
        while not ready(self.statuses()):
            assert time.monotonic() < end, self.statuses()
            time.sleep(0.05)


def told(path):
    """A manifest."""
    return json.loads(path.read_text(encoding="utf-8"))
