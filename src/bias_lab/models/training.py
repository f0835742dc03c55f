"""Train a head on vectors in memory with Lightning's Trainer: early stopping on dev, best weights restored."""

import copy
import logging
import math
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import EarlyStopping
from pytorch_lightning.utilities.exceptions import MisconfigurationException
from torch import Tensor

from bias_lab.errors import ConfigError
from bias_lab.models.module import DEV_PEARSON, FrozenEncoderRegressor

log = logging.getLogger(__name__)

TrainerFactory = Callable[..., pl.Trainer]


@dataclass(frozen=True)
class History:
    """One row an epoch: `train/loss`, `train/dev_loss`, `train/dev_pearson`; `best_epoch` counts from 0."""

    epochs: tuple[dict[str, float], ...]
    best_epoch: int
    best_dev_pearson: float


class TensorBatches:
    """Batches of rows (x, y), in a fresh seeded order each epoch; slicing whole tensors spares per-row collation.

    Without `seed` the order stays. The rows lie on `device` from the start, so that no batch has to be sent there.
    """

    def __init__(
        self,
        rows: tuple[np.ndarray, np.ndarray],
        *,
        batch_size: int,
        seed: int | None = None,
        device: torch.device | None = None,
    ) -> None:
        x, y = rows
        self._x = torch.from_numpy(np.ascontiguousarray(x)).to(device)
        self._y = torch.tensor(np.asarray(y), dtype=torch.float32).to(device)
        self._batch_size = batch_size
        self._generator = None if seed is None else torch.Generator().manual_seed(seed)

    def __len__(self) -> int:
        return math.ceil(len(self._y) / self._batch_size)

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        x, y = self._x, self._y
        if self._generator is not None:
            order = torch.randperm(len(y), generator=self._generator).to(y.device)
            x, y = x[order], y[order]
        return zip(x.split(self._batch_size), y.split(self._batch_size), strict=True)


class BestHead(EarlyStopping):
    """Remembers the head of the epoch with the highest dev Pearson, and puts it back when fitting ends.

    Stops fitting after `patience` epochs without a higher one. One callback for both: Lightning calls all hooks of each
    at every batch, which takes a share of the time of so small a network.
    """

    state_key = "BestHead"  # Lightning's own makes a new text of it at each call of a hook

    def __init__(self, *, patience: int) -> None:
        super().__init__(DEV_PEARSON, mode="max", patience=patience, check_finite=False)
        self.epochs: list[dict[str, float]] = []
        self.best_epoch = -1
        self.best = float("-inf")
        self._state: dict[str, Tensor] = {}

    def on_train_epoch_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Compare this epoch, whose validation is done, with the best one."""
        super().on_train_epoch_end(trainer, pl_module)
        metrics = {name: float(value) for name, value in trainer.callback_metrics.items()}
        self.epochs.append(metrics)
        if metrics[DEV_PEARSON] > self.best:
            self.best, self.best_epoch = metrics[DEV_PEARSON], trainer.current_epoch
            self._state = copy.deepcopy(pl_module.head.state_dict())  # type: ignore[union-attr]

    def on_fit_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Restore the best epoch's head."""
        if self._state:
            pl_module.head.load_state_dict(self._state)  # type: ignore[union-attr]


def _make(trainer: TrainerFactory, **options: Any) -> pl.Trainer:
    """The Trainer; a device that is not there is the configuration's fault."""
    try:
        return trainer(**options)
    except MisconfigurationException as error:
        raise ConfigError(f"trainer: {error}") from error


def _check_course(best: BestHead, fitter: pl.Trainer) -> None:
    """Raise where nothing was learnt; say where more would have been."""
    if not best.epochs:
        raise ConfigError("trainer.max_epochs: no epoch was trained; give 1 or more")
    if best.best_epoch + 1 == fitter.max_epochs:
        log.info("head: still improving at the last epoch; raise trainer.max_epochs to train on")


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch use one thread in the block: faster for a head, and sums add up alike whatever the number of cores."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


@contextmanager
def _same_algorithms() -> Iterator[None]:
    """Put back after the block what `deterministic` of a Trainer sets for the whole process."""
    chosen, warns = torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(chosen, warn_only=warns)


def train_head(
    module: FrozenEncoderRegressor,
    train: tuple[np.ndarray, np.ndarray],
    dev: tuple[np.ndarray, np.ndarray],
    *,
    trainer: TrainerFactory,
    batch_size: int,
    patience: int,
    seed: int,
) -> tuple[pl.Trainer, History]:
    """Fit the module's head on vectors (n, d) and scores (n,); stops after `patience` epochs without a better dev.

    Torch's global state is left as it was. The same seed on the same device gives the same head.
    """
    best = BestHead(patience=patience)
    with torch.random.fork_rng(), one_thread(), _same_algorithms(), warnings.catch_warnings():
        # Our loaders slice tensors in memory: worker processes would only slow them.
        warnings.filterwarnings("ignore", message=".*does not have many workers.*")
        # Lightning 2.6 still asks torch for a class that torch 2.13 has renamed.
        warnings.filterwarnings("ignore", message=".*LeafSpec.*is deprecated.*")
        # A cell is one process on purpose, also on a cluster.
        warnings.filterwarnings("ignore", message=".*`srun` command is available.*")
        torch.manual_seed(seed)
        fitter = _make(trainer, callbacks=[best])
        # Where there are several devices, each process sends batches to its own.
        device = fitter.strategy.root_device if fitter.num_devices * fitter.num_nodes == 1 else None
        fitter.fit(
            module,
            train_dataloaders=TensorBatches(train, batch_size=batch_size, seed=seed, device=device),
            val_dataloaders=TensorBatches(dev, batch_size=len(dev[1]), device=device),
        )
    _check_course(best, fitter)
    log.info("head: best dev Pearson %.3f in epoch %d of %d", best.best, best.best_epoch + 1, len(best.epochs))
    return fitter, History(tuple(best.epochs), best.best_epoch, best.best)
