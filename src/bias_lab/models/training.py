"""Train a head on vectors in memory with Lightning's Trainer: early stopping on dev, best weights restored."""

import copy
import logging
import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import Callback, EarlyStopping
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

    Without `seed` the order stays.
    """

    def __init__(self, rows: tuple[np.ndarray, np.ndarray], *, batch_size: int, seed: int | None = None) -> None:
        x, y = rows
        self._x = torch.from_numpy(np.ascontiguousarray(x))
        self._y = torch.tensor(np.asarray(y), dtype=torch.float32)
        self._batch_size = batch_size
        self._generator = None if seed is None else torch.Generator().manual_seed(seed)

    def __len__(self) -> int:
        return math.ceil(len(self._y) / self._batch_size)

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        x, y = self._x, self._y
        if self._generator is not None:
            order = torch.randperm(len(y), generator=self._generator)
            x, y = x[order], y[order]
        return zip(x.split(self._batch_size), y.split(self._batch_size), strict=True)


class BestHead(Callback):
    """Remembers the head of the epoch with the highest dev Pearson and puts it back when fitting ends."""

    def __init__(self) -> None:
        self.epochs: list[dict[str, float]] = []
        self.best_epoch = -1
        self.best = float("-inf")
        self._state: dict[str, Tensor] = {}

    def on_train_epoch_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Compare this epoch, whose validation is done, with the best one."""
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

    The global random state is left as it was. The same seed on the same device gives the same head.
    """
    best = BestHead()
    stop = EarlyStopping(monitor=DEV_PEARSON, mode="max", patience=patience, check_finite=False)
    with torch.random.fork_rng(), warnings.catch_warnings():
        # Our loaders slice tensors in memory: worker processes would only slow them.
        warnings.filterwarnings("ignore", message=".*does not have many workers.*")
        # Lightning 2.6 still asks torch for a class that torch 2.13 has renamed.
        warnings.filterwarnings("ignore", message=".*LeafSpec.*is deprecated.*")
        # A cell is one process on purpose, also on a cluster.
        warnings.filterwarnings("ignore", message=".*`srun` command is available.*")
        torch.manual_seed(seed)
        fitter = _make(trainer, callbacks=[best, stop])
        fitter.fit(
            module,
            train_dataloaders=TensorBatches(train, batch_size=batch_size, seed=seed),
            val_dataloaders=TensorBatches(dev, batch_size=len(dev[1])),
        )
    _check_course(best, fitter)
    log.info("head: best dev Pearson %.3f in epoch %d of %d", best.best, best.best_epoch + 1, len(best.epochs))
    return fitter, History(tuple(best.epochs), best.best_epoch, best.best)
