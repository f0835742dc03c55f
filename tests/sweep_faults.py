"""A quick model and a callback that misbehave on request, for tests of sweeps: what a job can do to its process."""

import os
import time
from pathlib import Path

import numpy as np
from hydra.experimental.callback import Callback

MODEL = "_target_: sweep_faults.FaultyModel\nkind: none\nseconds: 0\nslope: 1\n"


def conf_with_faults(folder: Path) -> Path:
    """Write a folder for --config-dir in which `model=fault model.kind=...` can be chosen."""
    (folder / "model").mkdir(parents=True)
    (folder / "model" / "fault.yaml").write_text(MODEL, encoding="utf-8")
    return folder


class FaultyModel:
    """Scores by the length of a text, and by the seed; takes `seconds` to train.

    kind: what happens when training starts: none, die (the process ends at once), exit, interrupt, error, and
    unless:PATH, an error unless the path is there; with late_ before it, when the scored model is saved.
    """

    def __init__(self, *, language, kind, seconds, slope):
        self.kind, self.seconds, self.slope = kind, seconds, slope

    def fit(self, texts, scores, *, dev_texts, dev_scores, seed):
        act(self.kind)
        time.sleep(self.seconds)
        self.seed = seed

    def predict(self, texts):
        return np.array([0.2 + 0.6 * (len(text) * self.slope + self.seed) % 50 / 50 for text in texts])

    def coverage(self, texts):
        return {"tokens": len(texts), "unknown": 0}

    def save(self, folder):
        act(self.kind.removeprefix("late_") if self.kind.startswith("late_") else "none")

    def describe(self):
        return {"slope": self.slope}


def act(kind):
    if kind == "die":
        os._exit(3)
    if kind == "exit":
        raise SystemExit(4)
    if kind == "interrupt":
        raise KeyboardInterrupt
    if kind == "error":
        raise ValueError("no model today")
    if kind.startswith("unless:") and not Path(kind.removeprefix("unless:")).exists():
        raise ValueError("the file is not there yet")


class FaultyCallback(Callback):
    """A user's own callback that fails at the end of each job of seed 1."""

    def on_job_end(self, config, job_return, **_kwargs):
        if config.seed == 1:
            raise OSError("the callback's server is away")
