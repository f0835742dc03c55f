"""A frozen pre-trained transformer: texts in, one vector a text out."""

import logging
import math
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from bias_lab.encoders.batches import equal_length_batches, tokenised_ahead
from bias_lab.encoders.checkpoint import Checkpoint, identify, locate
from bias_lab.encoders.device import DEVICE, DTYPES, choose_device, choose_dtype
from bias_lab.encoders.parallel import parallel_map
from bias_lab.encoders.pooling import POOLINGS, pool
from bias_lab.errors import ConfigError, ModelError
from bias_lab.files import digest_of
from bias_lab.strict import check_choice, check_whole

if TYPE_CHECKING:
    import torch

log = logging.getLogger(__name__)

# Tokens of a forward pass: what keeps the intermediate results of one layer in a core's cache, or a GPU busy.
BATCH_TOKENS = {"cpu": 2048, "cuda": 32_768, "mps": 8192}
FORMAT = 2  # part of every cache key: raise it when a vector of the same inputs would come out differently


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
    in tokens and includes the special ones. `dtype` is that of the arithmetic, `auto` for bfloat16 on a GPU and
    float32 elsewhere; vectors are float32 in any case. `batch_tokens` bounds texts x tokens of one forward pass, `None`
    for what suits the device; it does not change the vectors: a batch holds texts of equal token length only, so that
    nothing is padded and a text's vector does not depend on its batch mates.
    """

    def __init__(
        self,
        *,
        name_or_path: str,
        revision: str | None = None,
        pooling: str = "cls",
        layer: int = -1,
        max_length: int = 128,
        dtype: str = "auto",
        prefix: str = "",
        batch_tokens: int | None = None,
        device: str = "auto",
        trust_remote_code: bool = False,
    ) -> None:
        check_choice("model.pooling", pooling, POOLINGS)
        check_choice("model.dtype", dtype, DTYPES)
        check_whole("model.max_length", max_length)
        if batch_tokens is not None:
            check_whole("model.batch_tokens", batch_tokens)
        if not DEVICE.fullmatch(device):
            raise ConfigError(f"model.device={device}: choose auto, cpu, mps, cuda or cuda:NUMBER")
        self.name_or_path = name_or_path
        self.revision = revision
        self.pooling = pooling
        self.layer = layer
        self.max_length = max_length
        self.prefix = prefix
        self.batch_tokens = batch_tokens
        self.trust_remote_code = trust_remote_code
        self._device = device
        self._dtype = dtype

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
        """Where the transformer runs."""
        return choose_device(self._device)

    @cached_property
    def dtype(self) -> str:
        """The arithmetic, such as `float32`; raises `ConfigError` where the processor lacks its instructions."""
        return choose_dtype(self._dtype, self.device)

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

        from bias_lab.encoders.shortcuts import take_shortcuts

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
        model = model.requires_grad_(False).eval().to(self.device)
        take_shortcuts(model, first_token_only=self.pooling == "cls" and self.layer == -1)
        return model

    def tokenize(self, texts: Sequence[str]) -> Mapping[str, "torch.Tensor"]:
        """One padded batch of token tensors (n, tokens) for `forward`, from model inputs."""
        return self.tokenizer(list(texts), padding=True, truncation=True, max_length=self._limit, return_tensors="pt")

    def forward(self, batch: Mapping[str, "torch.Tensor"]) -> "torch.Tensor":
        """Vectors float32 (n, d) of one batch of token tensors, without gradients."""
        import torch

        inputs = {name: self._moved(tensor) for name, tensor in batch.items()}
        with torch.inference_mode():
            last = self.layer == -1
            out = self.transformer(**inputs, output_hidden_states=not last)
            states = out.last_hidden_state if last else out.hidden_states[self.layer]
            return pool(states, inputs.get("attention_mask"), self.pooling).float()

    def encode(self, texts: Sequence[str]) -> Encoded:
        """Encode n model inputs, in order; raises `ModelError` if a vector comes out as NaN or infinite."""
        import torch

        if not texts:
            raise ValueError("encode() needs at least one text")
        batch_tokens = self.batch_tokens or BATCH_TOKENS.get(self.device.type, BATCH_TOKENS["cpu"])
        unknown_id, special = self.tokenizer.unk_token_id, self.tokenizer.num_special_tokens_to_add()
        tokens, unknown = np.empty(len(texts), dtype=np.int32), np.empty(len(texts), dtype=np.int32)
        same_as = np.arange(len(texts))
        first: dict[tuple[int, ...], int] = {}
        parts: list[tuple[np.ndarray, torch.Tensor]] = []
        _ = self.transformer  # loaded here, not by several threads at once
        with self._map_batches() as mapped:
            for rows, ids in tokenised_ahead(texts, self._token_ids):
                self._check_tokens(ids, [texts[row] for row in rows])
                tokens[rows] = [len(row) - special for row in ids]
                unknown[rows] = [row.count(unknown_id) for row in ids]
                # The same tokens get the same bits: names that the vocabulary lacks must not differ by rounding.
                same_as[rows] = [first.setdefault(tuple(row), int(place)) for place, row in zip(rows, ids, strict=True)]
                new = np.flatnonzero(same_as[rows] == rows)
                batches = list(equal_length_batches([len(ids[row]) for row in new], batch_tokens))
                inputs = (np.array([ids[row] for row in new[batch]]) for batch in batches)
                parts += zip((rows[new[batch]] for batch in batches), mapped(self._vectors, inputs), strict=True)
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)  # the copies above were only asked for
        vectors = np.empty((len(texts), parts[0][1].shape[1]), dtype=np.float32)
        for rows, part in parts:
            vectors[rows] = part.numpy()
        vectors = vectors[same_as]
        self._check_finite(vectors, texts)
        return Encoded(vectors, tokens, unknown)

    def _map_batches(self) -> "AbstractContextManager[Any]":
        """A `map` over batches, several at a time where that is faster; code from the hub may not be made for it."""
        return nullcontext(map) if self.trust_remote_code else parallel_map(self.device.type)

    def _vectors(self, ids: np.ndarray) -> "torch.Tensor":
        """Vectors (n, d) of n texts of equal length, on their way to the CPU."""
        import torch

        try:
            return self.forward({"input_ids": torch.from_numpy(ids)}).to("cpu", non_blocking=True)
        except IndexError as error:
            raise ModelError(f"{self.name_or_path}: its tokenizer and its weights do not fit: {error}") from error

    def _moved(self, tensor: "torch.Tensor") -> "torch.Tensor":
        """On the device; to a GPU from pinned memory, so that the copy does not wait for the batch before."""
        if self.device.type != "cuda":
            return tensor.to(self.device)
        return tensor.pin_memory().to(self.device, non_blocking=True)

    def _token_ids(self, texts: Sequence[str]) -> list[list[int]]:
        return list(self.tokenizer(list(texts), truncation=True, max_length=self._limit)["input_ids"])

    @property
    def _limit(self) -> int:
        """Token limit: the smallest of ours, the tokenizer's (which may be absent, written as 1e30) and the model's."""
        limit = int(min(self.max_length, self.tokenizer.model_max_length, positions(self.transformer)))
        if limit <= (special := self.tokenizer.num_special_tokens_to_add()):
            raise ConfigError(
                f"model.max_length={self.max_length}: {special} of them are special tokens, so that nothing of a text "
                f"would be read; give {special + 1} or more"
            )
        return limit

    def _check_tokens(self, ids: Sequence[list[int]], texts: Sequence[str]) -> None:
        nothing = [text for row, text in zip(ids, texts, strict=True) if not row]
        if nothing:
            raise ModelError(
                f"{self.name_or_path}: its tokenizer, which adds no special tokens, makes nothing of {nothing[0]!r}, "
                "so that there is no vector; take texts without content out"
            )

    def _check_finite(self, vectors: np.ndarray, texts: Sequence[str]) -> None:
        bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
        if len(bad):
            advice = "use model.dtype=float32" if self.dtype != "float32" else "its weights are damaged or too large"
            raise ModelError(
                f"{self.name_or_path} gives NaN or infinite vectors for {len(bad)} of {len(texts)} texts "
                f"(dtype {self.dtype}); {advice}"
            )


def positions(model: "torch.nn.Module") -> float:
    """How many tokens a transformer has positions for; infinite where it does not say."""
    table: Any = getattr(getattr(model, "embeddings", None), "position_embeddings", None)
    if hasattr(table, "num_embeddings"):
        # RoBERTa's first position comes after that of the padding.
        return int(table.num_embeddings) - (0 if table.padding_idx is None else int(table.padding_idx) + 1)
    told: int | None = getattr(model.config, "max_position_embeddings", None)
    return told or math.inf
