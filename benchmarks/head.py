"""Training the head on vectors in memory (Lightning's Trainer) against a bare PyTorch loop with the same settings.

Both are given 1,700 vectors of width 384 and 390 for development, batches of 32, Adam, the squared error, 30 epochs, a
Pearson correlation on dev after each, and keep the best epoch's weights; they start at the same weights, see the same
batches and end at the same correlation. Ours computes on one thread. The bare loop is timed on one, too, and on as many
as torch takes by itself. The vectors are random, with a signal.
"""

import argparse
import importlib
import logging
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks import plain_cell
from benchmarks.timing import Figure, ratios, take_turns, told

TRAIN, DEV, WIDTH, EPOCHS = 1700, 390, 384, 30
# Sums in another order, or Pearson by another routine; float32 keeps 7 digits.
SAME = 1e-5


def measure(options: argparse.Namespace) -> list[Figure]:
    """On the CPU; on a GPU, too, where there is one and --device does not say cpu."""
    import torch

    importlib.import_module("pytorch_lightning")  # sets the level of its messages when it is imported
    logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
    rows = simulated()
    figures = compare("CPU", rows, {"one thread": 1, f"{torch.get_num_threads()} threads": None}, options.rounds)
    if torch.cuda.is_available() and options.device != "cpu":
        figures += compare("cuda", rows, {"one stream": None}, options.rounds)
    return figures


def compare(device: str, rows: Any, threads: dict[str, int | None], rounds: int) -> list[Figure]:
    """Ours and the bare loop with each number of threads, in turns."""
    found: dict[str, float] = {}

    def note(name: str, best: Callable[[], float]) -> Callable[[], None]:
        return lambda: found.__setitem__(name, best())

    kind = device.lower()
    contenders = {"ours": note("ours", lambda: ours(rows, kind))}
    contenders |= {name: note(name, partial(bare, rows, kind, number)) for name, number in threads.items()}
    seconds = take_turns(contenders, rounds=rounds)
    if max(found.values()) - min(found.values()) > SAME and kind == "cpu":
        raise RuntimeError(f"not the same training: the best correlations are {found}")
    return [
        Figure(
            f"{EPOCHS} epochs, {device}; bare loop: {name}",
            told(seconds["ours"]),
            f"bare loop {told(seconds[name])}",
            *ratios(seconds["ours"], seconds[name]),
            at_most=2,
        )
        for name in threads
    ]


def ours(rows: Any, device: str) -> float:
    """Best dev Pearson of `train_head`, with the shipped trainer's options."""
    import torch

    from bias_lab.models.module import FrozenEncoderRegressor
    from bias_lab.models.training import train_head

    torch.manual_seed(0)
    module = FrozenEncoderRegressor(in_features=WIDTH, optimizer=partial(torch.optim.Adam, lr=plain_cell.LEARNING_RATE))
    _, history = train_head(
        module, *rows, trainer=partial(trainer, device), batch_size=plain_cell.BATCH_SIZE, patience=EPOCHS, seed=0
    )
    return history.best_dev_pearson


def trainer(device: str, **more: Any) -> Any:
    """The Trainer of conf/trainer/auto.yaml."""
    from hydra.utils import instantiate
    from omegaconf import OmegaConf

    from bias_lab.paths import conf_dir

    chosen = {"accelerator": device, "max_epochs": EPOCHS, "enable_progress_bar": False}
    return instantiate(OmegaConf.load(conf_dir() / "trainer" / "auto.yaml"), **chosen, **more)


def bare(rows: Any, device: str, threads: int | None) -> float:
    """Best dev Pearson of the bare loop."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(threads or before)
    try:
        return plain_cell.train(*rows, seed=0, epochs=EPOCHS, patience=EPOCHS, device=device).best
    finally:
        torch.set_num_threads(before)


def simulated() -> tuple[plain_cell.Rows, plain_cell.Rows]:
    """Vectors of length 1 and scores in (0, 1) that depend on them, for training and for development."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(TRAIN + DEV, WIDTH))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    y = 1 / (1 + np.exp(-(2 * x @ rng.normal(size=WIDTH) + rng.normal(size=len(x)))))
    vectors = x.astype(np.float32)
    return (vectors[:TRAIN], y[:TRAIN]), (vectors[TRAIN:], y[TRAIN:])
