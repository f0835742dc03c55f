"""The LightningModule: a frozen encoder, and a head that is trained on its vectors."""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pytorch_lightning as pl
import torch
from torch import Tensor, nn

from bias_lab.errors import ModelError
from bias_lab.evaluation import pearson
from bias_lab.models.head import two_layer_head

if TYPE_CHECKING:
    from bias_lab.encoders.frozen import FrozenEncoder

OptimizerFactory = Callable[[Iterable[nn.Parameter]], torch.optim.Optimizer]
# By epoch; the final metrics have names of their own.
TRAIN_LOSS, DEV_LOSS, DEV_PEARSON = "train/loss", "train/dev_loss", "train/dev_pearson"


class FrozenEncoderRegressor(pl.LightningModule):
    """Emotion intensity from a frozen encoder: `forward` goes from tokens to scores, training uses cached vectors.

    `encoder` is no submodule: it takes no part in training, moving, or saving, and its weights are read only when
    `forward` is called. Checkpoints therefore hold the head and its plain hyperparameters, and load with
    `load_from_checkpoint(path, encoder=...)`.
    """

    def __init__(
        self,
        *,
        in_features: int,
        hidden: int = 128,
        activation: str = "relu",
        output: str = "sigmoid",
        dropout: float = 0.0,
        encoder: "FrozenEncoder | None" = None,
        optimizer: OptimizerFactory = torch.optim.Adam,
        loss: nn.Module | None = None,
    ) -> None:
        super().__init__()
        self.save_hyperparameters("in_features", "hidden", "activation", "output", "dropout")
        self.head = two_layer_head(
            in_features=in_features, hidden=hidden, activation=activation, output=output, dropout=dropout
        )
        self.loss = loss or nn.MSELoss()
        self._optimizer = optimizer
        self._encoder = encoder
        self._losses: list[tuple[Tensor, int]] = []

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an attribute, as any module does."""
        # Lightning sets this one forty times a batch, and each time torch would look whether it is a parameter.
        if name == "_current_fx_name":
            object.__setattr__(self, name, value)
        else:
            super().__setattr__(name, value)

    def forward(self, batch: Mapping[str, Tensor]) -> Tensor:
        """Scores (n,) of a token batch: `input_ids` and `attention_mask`, each (n, tokens)."""
        if self._encoder is None:
            raise RuntimeError("this module was loaded without an encoder: pass encoder= or call score_vectors()")
        return self.score_vectors(self._encoder.forward(batch).to(self.device))

    def score_vectors(self, vectors: Tensor) -> Tensor:
        """Scores (n,) of encoder vectors (n, d), which is what training and the cached path use."""
        scores: Tensor = self.head(vectors)
        return scores

    def training_step(self, batch: tuple[Tensor, Tensor], _batch_idx: int) -> Tensor:
        """Loss of one batch of vectors (n, d) and gold scores (n,)."""
        vectors, gold = batch
        loss: Tensor = self.loss(self.score_vectors(vectors), gold)
        # Lightning's log() takes as long as a step of so small a network, so it is called once an epoch.
        self._losses.append((loss.detach(), len(gold)))
        return loss

    def on_train_epoch_end(self) -> None:
        """Log the epoch's training loss, the mean over its rows."""
        losses, rows = zip(*self._losses, strict=True)
        self._losses.clear()
        mean = np.average(torch.stack(losses).cpu().double().numpy(), weights=rows)
        self.log(TRAIN_LOSS, float(mean), batch_size=sum(rows))

    def validation_step(self, batch: tuple[Tensor, Tensor], _batch_idx: int) -> None:
        """Loss and Pearson of the dev split, which comes as one batch: correlations of parts do not average."""
        vectors, gold = batch
        scores = self.score_vectors(vectors)
        if not torch.isfinite(scores).all():
            raise ModelError("the head's training diverged (NaN or infinite scores); lower model.optimizer.lr")
        self.log(DEV_LOSS, self.loss(scores, gold), batch_size=len(gold))
        found = pearson(scores.cpu().double().numpy(), gold.cpu().double().numpy())
        # Undefined (a constant prediction) must never look like an improvement.
        self.log(DEV_PEARSON, -1.0 if found is None else found, batch_size=len(gold), prog_bar=True)

    def configure_optimizers(self) -> torch.optim.Optimizer:
        """The optimiser passed in, over the head's parameters."""
        return self._optimizer(self.head.parameters())

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Keep what a reader of the head needs; optimiser and loop states only serve resuming a fit."""
        for name in ("optimizer_states", "lr_schedulers", "loops", "callbacks"):
            checkpoint.pop(name, None)
