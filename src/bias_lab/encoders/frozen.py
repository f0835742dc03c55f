"""A frozen pre-trained transformer: texts in, one vector a text out."""

import logging
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from bias_lab.encoders.checkpoint import Checkpoint, identify, locate
from bias_lab.encoders.pooling import POOLINGS, pool
from bias_lab.errors import ConfigError, ModelError
from bias_lab.files import digest_of

if TYPE_CHECKING:
    import torch

log = logging.getLogger(__name__)

DTYPES = ("float32", "bfloat16", "float16")
DEVICE = re.compile(r"auto|cpu|mps|cuda(:\d+)?")
FORMAT = 1  # part of every cache key: raise it when a vector of the same inputs would come out differently


@dataclass(frozen=True)
class Encoded:
    """Vectors of n texts: `vectors` float32 (n, d); `tokens` and `unknown` int32 (n,), counts of subword tokens.

    Special tokens do not count, those of the prefix do.
    """

    vectors: np.ndarray
    tokens: np.ndarray
    unknown: np.ndarray


class FrozenEncoder:
    """A transformer in eval mode whose weights never change; nothing is loaded before a text needs it.

    `layer` indexes the hidden states as transformers does: 0 the embeddings, -1 the last layer. `max_length` is
    in tokens and includes the special ones. `batch_tokens` bounds texts x tokens of one forward pass; it does not
    change the vectors: a batch holds texts of equal token length only, so that nothing is padded and a text's
    vector does not depend on its batch mates.
    """

    def __init__(
        self,
        *,
        name_or_path: str,
        revision: str | None = None,
        pooling: str = "cls",
        layer: int = -1,
        max_length: int = 128,
        dtype: str = "float32",
        prefix: str = "",
        batch_tokens: int = 8192,
        device: str = "auto",
        trust_remote_code: bool = False,
    ) -> None:
        _check_choice("model.pooling", pooling, POOLINGS)
        _check_choice("model.dtype", dtype, DTYPES)
        _check_positive("model.max_length", max_length)
        _check_positive("model.batch_tokens", batch_tokens)
        if not DEVICE.fullmatch(device):
            raise ConfigError(f"model.device={device}: choose auto, cpu, mps, cuda or cuda:NUMBER")
        self.name_or_path = name_or_path
        self.revision = revision
        self.pooling = pooling
        self.layer = layer
        self.max_length = max_length
        self.dtype = dtype
        self.prefix = prefix
        self.batch_tokens = batch_tokens
        self.trust_remote_code = trust_remote_code
        self._device = device

    @cached_property
    def checkpoint(self) -> Checkpoint:
        """Which weights these are; raises `ModelError` where they cannot be found."""
        return identify(self.name_or_path, self.revision)

    @property
    def identity(self) -> dict[str, Any]:
        """Everything but the text that decides a vector, as plain types."""
        return {
            "format": FORMAT,
            "checkpoint": self.checkpoint.identity,
            "pooling": self.pooling,
            "layer": self.layer,
            "max_length": self.max_length,
            "dtype": self.dtype,
            "trust_remote_code": self.trust_remote_code,
        }

    @property
    def key(self) -> str:
        """SHA-256 (hex) of `identity`."""
        return digest_of(self.identity)

    def model_input(self, text: str) -> str:
        """The string that the tokenizer gets for a cleaned text."""
        return self.prefix + text

    @cached_property
    def device(self) -> "torch.device":
        """Where the transformer runs: `auto` takes a GPU where there is one."""
        import torch

        if self._device != "auto":
            return torch.device(self._device)
        if torch.cuda.is_available():
            return torch.device("cuda")
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")

    @cached_property
    def tokenizer(self) -> Any:
        """The checkpoint's fast tokenizer."""
        from transformers import AutoTokenizer

        folder = locate(self.checkpoint)
        try:
            tokenizer = AutoTokenizer.from_pretrained(str(folder), trust_remote_code=self.trust_remote_code)
        except (OSError, ValueError, KeyError) as error:
            raise ModelError(
                f"model.name_or_path={self.name_or_path}: its tokenizer cannot be loaded: {error}"
            ) from error
        return tokenizer

    @cached_property
    def transformer(self) -> "torch.nn.Module":
        """The transformer in eval mode, without gradients, on `device`."""
        import torch
        from transformers import AutoModel
        from transformers.utils import logging as transformers_logging

        transformers_logging.disable_progress_bar()
        folder = locate(self.checkpoint)
        log.info("loading %s on %s (%s)", self.name_or_path, self.device, self.dtype)
        try:
            model, told = AutoModel.from_pretrained(
                str(folder),
                dtype=getattr(torch, self.dtype),
                trust_remote_code=self.trust_remote_code,
                output_loading_info=True,
            )
        except Exception as error:  # loaders raise whatever their format's library raises
            raise ModelError(
                f"model.name_or_path={self.name_or_path}: its weights cannot be loaded: {error}"
            ) from error
        # A pooler is not used here; any other weight that the file lacks would be random.
        missing = sorted(key for key in told["missing_keys"] if not key.startswith("pooler."))
        if missing or told["mismatched_keys"]:
            raise ModelError(
                f"model.name_or_path={self.name_or_path}: its weights do not fit its config.json: "
                f"{len(missing)} tensors are missing ({', '.join(missing[:3])}) and "
                f"{len(told['mismatched_keys'])} have another shape"
            )
        layers = getattr(model.config, "num_hidden_layers", None)
        if layers is not None and not -(layers + 1) <= self.layer <= layers:
            raise ConfigError(
                f"model.layer={self.layer}: {self.name_or_path} has hidden states {-(layers + 1)}..{layers}"
            )
        return model.requires_grad_(False).eval().to(self.device)

    def tokenize(self, texts: Sequence[str]) -> Mapping[str, "torch.Tensor"]:
        """One padded batch of token tensors (n, tokens) for `forward`, from model inputs."""
        return self.tokenizer(list(texts), padding=True, truncation=True, max_length=self._limit, return_tensors="pt")

    def forward(self, batch: Mapping[str, "torch.Tensor"]) -> "torch.Tensor":
        """Vectors float32 (n, d) of one batch of token tensors, without gradients."""
        import torch

        inputs = {name: tensor.to(self.device) for name, tensor in batch.items()}
        with torch.inference_mode():
            last = self.layer == -1
            out = self.transformer(**inputs, output_hidden_states=not last)
            states = out.last_hidden_state if last else out.hidden_states[self.layer]
            return pool(states, inputs.get("attention_mask"), self.pooling).float()

    def encode(self, texts: Sequence[str]) -> Encoded:
        """Encode n model inputs, in order; raises `ModelError` if a vector comes out as NaN or infinite."""
        import torch

        ids = self._token_ids(texts)
        vectors: np.ndarray | None = None
        for rows in _equal_length_batches([len(row) for row in ids], self.batch_tokens):
            batch = {"input_ids": torch.tensor([ids[row] for row in rows])}
            out = self.forward(batch).cpu().numpy()
            if vectors is None:
                vectors = np.empty((len(ids), out.shape[1]), dtype=np.float32)
            vectors[rows] = out
        if vectors is None:
            raise ValueError("encode() needs at least one text")
        self._check_finite(vectors, texts)
        unknown_id, special = self.tokenizer.unk_token_id, self.tokenizer.num_special_tokens_to_add()
        return Encoded(
            vectors,
            np.array([len(row) - special for row in ids], dtype=np.int32),
            np.array([row.count(unknown_id) for row in ids], dtype=np.int32),
        )

    def _token_ids(self, texts: Sequence[str]) -> list[list[int]]:
        return list(self.tokenizer(list(texts), truncation=True, max_length=self._limit)["input_ids"])

    @property
    def _limit(self) -> int:
        """Token limit: the smaller of ours and the checkpoint's own (which may be absent, written as 1e30)."""
        return int(min(self.max_length, self.tokenizer.model_max_length))

    def _check_finite(self, vectors: np.ndarray, texts: Sequence[str]) -> None:
        bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
        if len(bad):
            raise ModelError(
                f"{self.name_or_path} gives NaN or infinite vectors for {len(bad)} of {len(texts)} texts "
                f"(dtype {self.dtype}); use model.dtype=float32 or bfloat16"
            )


def _equal_length_batches(lengths: Sequence[int], batch_tokens: int) -> Iterator[np.ndarray]:
    """Row numbers of batches whose texts have one token length each, longest first, so that memory peaks early."""
    order = np.argsort(np.asarray(lengths), kind="stable")[::-1]
    by_length = np.asarray(lengths)[order]
    for rows in np.split(order, np.flatnonzero(np.diff(by_length)) + 1):
        if len(rows):
            size = max(1, batch_tokens // max(1, lengths[rows[0]]))
            yield from np.array_split(rows, math.ceil(len(rows) / size))


def _check_choice(key: str, got: str, choices: Sequence[str]) -> None:
    if got not in choices:
        raise ConfigError(f"{key}={got}: choose one of {', '.join(choices)}")


def _check_positive(key: str, got: int) -> None:
    if isinstance(got, bool) or not isinstance(got, int) or got < 1:
        raise ConfigError(f"{key}={got}: give a whole number, 1 or more")
