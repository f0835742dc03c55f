"""Frozen encoder + two-layer head behind the regressor interface."""

import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bias_lab.errors import ConfigError
from bias_lab.models.head import check_head_options
from bias_lab.strict import check_whole
from bias_lab.text import Cleaning

if TYPE_CHECKING:
    import numpy as np
    from torch import nn

    from bias_lab.models.module import FrozenEncoderRegressor, OptimizerFactory
    from bias_lab.models.training import History, TrainerFactory

log = logging.getLogger(__name__)

ByLanguage = str | None | Mapping[str, str | None]


class EncoderHeadRegressor:
    """Emotion intensity from cached vectors of a frozen encoder and a head trained on them.

    `name_or_path` and `revision` may be mappings from language to value, of which `language` picks one. `languages`
    are those the encoder was made for, where they are few: another one is warned about. All encoder options are those
    of `FrozenEncoder`, all head options those of `two_layer_head`. `trainer`, `optimizer` and
    `loss` are called when training starts: with callbacks, with the head's parameters, and without arguments.
    """

    def __init__(
        self,
        *,
        name_or_path: ByLanguage,
        language: str,
        cache_root: Path,
        trainer: "TrainerFactory",
        revision: ByLanguage = None,
        languages: Sequence[str] | None = None,
        pooling: str = "cls",
        layer: int = -1,
        max_length: int = 128,
        dtype: str = "auto",
        prefix: str = "",
        batch_tokens: int | None = None,
        device: str = "auto",
        trust_remote_code: bool = False,
        cleaning: Mapping[str, Any] | None = None,
        hidden: int = 128,
        activation: str = "relu",
        output: str = "sigmoid",
        dropout: float = 0.0,
        optimizer: "OptimizerFactory | None" = None,
        loss: "Callable[[], nn.Module] | None" = None,
        batch_size: int = 32,
        patience: int = 10,
    ) -> None:
        check_head_options(hidden=hidden, activation=activation, output=output, dropout=dropout)
        check_whole("model.batch_size", batch_size)
        check_whole("model.patience", patience)
        if languages is not None and language not in languages:
            log.warning("task.lang=%s, but this encoder was made for %s only", language, ", ".join(languages))
        name = _for_language("model.name_or_path", name_or_path, language)
        if not name:
            raise ConfigError(
                "model.name_or_path is empty: give a hub id such as FacebookAI/xlm-roberta-base, "
                "or a folder with config.json, tokenizer and *.safetensors"
            )
        from bias_lab.encoders.embedder import Embedder
        from bias_lab.encoders.frozen import FrozenEncoder

        encoder = FrozenEncoder(
            name_or_path=name,
            revision=_for_language("model.revision", revision, language),
            pooling=pooling,
            layer=layer,
            max_length=max_length,
            dtype=dtype,
            prefix=prefix,
            batch_tokens=batch_tokens,
            device=device,
            trust_remote_code=trust_remote_code,
        )
        self.embedder = Embedder(encoder, Cleaning.from_mapping(cleaning), cache_root)
        self._head: dict[str, Any] = {
            "hidden": hidden,
            "activation": activation,
            "output": output,
            "dropout": dropout,
        }
        self._optimizer, self._loss = optimizer, loss
        self._trainer = trainer
        self._batch_size = batch_size
        self._patience = patience
        self.module: FrozenEncoderRegressor | None = None
        self.history: History | None = None
        self._fitter: Any = None

    def prepare(self, texts: Sequence[str]) -> None:
        """Encode n texts that will be asked for, where they are not in the cache: at once they fill batches better."""
        self.embedder.counts(texts)

    def fit(
        self,
        texts: Sequence[str],
        scores: "np.ndarray",
        *,
        dev_texts: Sequence[str],
        dev_scores: "np.ndarray",
        seed: int,
    ) -> None:
        """Train the head on the vectors of n texts; the best epoch on dev Pearson is kept."""
        import torch

        from bias_lab.models.module import FrozenEncoderRegressor
        from bias_lab.models.training import train_head

        vectors, dev_vectors = self.embedder(texts), self.embedder(dev_texts)
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            self.module = FrozenEncoderRegressor(
                in_features=vectors.shape[1],
                encoder=self.embedder.encoder,
                optimizer=self._optimizer or torch.optim.Adam,
                loss=self._loss() if self._loss else None,
                **self._head,
            )
        self._fitter, self.history = train_head(
            self.module,
            (vectors, scores),
            (dev_vectors, dev_scores),
            trainer=self._trainer,
            batch_size=self._batch_size,
            patience=self._patience,
            seed=seed,
        )

    def predict(self, texts: Sequence[str]) -> "np.ndarray":
        """Scores float64 (n,) of n texts, from their cached vectors, a block of them in memory at a time."""
        import torch

        from bias_lab.models.training import one_thread

        module = self._fitted()
        module.eval()
        parts = []
        for vectors in self.embedder.blocks(texts):
            # Not around the loop: the encoder may be loaded in it.
            with torch.inference_mode(), one_thread():
                parts.append(module.score_vectors(torch.from_numpy(vectors).to(module.device)).cpu().double())
        return torch.cat(parts).numpy()

    def coverage(self, texts: Sequence[str]) -> dict[str, int]:
        """`tokens` (subwords without special ones and the prefix) and, of them, `unknown` over all texts."""
        tokens, unknown = self.embedder.counts(texts)
        if self.embedder.encoder.prefix:
            of_prefix = self.embedder.counts([""])
            tokens, unknown = tokens - len(texts) * of_prefix[0], unknown - len(texts) * of_prefix[1]
        return {"tokens": tokens, "unknown": unknown}

    def save(self, folder: Path) -> None:
        """Write `head.ckpt`: the head and its plain hyperparameters, loadable with `weights_only=True`."""
        from bias_lab.files import write_atomic

        self._fitted()
        write_atomic(folder / "head.ckpt", lambda part: self._fitter.save_checkpoint(part, weights_only=True))

    def describe(self) -> dict[str, Any]:
        """Checkpoint, options, cache use and training course, as plain types."""
        told: dict[str, Any] = {"encoder": self.embedder.describe(), "head": dict(self._head)}
        if self.history is not None:
            told["training"] = {
                "epochs": len(self.history.epochs),
                "best_epoch": self.history.best_epoch,
                "best_dev_pearson": self.history.best_dev_pearson,
            }
        return told

    def _fitted(self) -> "FrozenEncoderRegressor":
        if self.module is None:
            raise RuntimeError("call fit() first")
        return self.module


def _for_language(key: str, value: ByLanguage, language: str) -> str | None:
    """The value itself, or the one of `language` where the configuration gives one a language."""
    if value is None or isinstance(value, str):
        return value
    if language not in value:
        raise ConfigError(f"{key} has no entry for task.lang={language}; it has {', '.join(value) or 'none'}")
    return value[language]
