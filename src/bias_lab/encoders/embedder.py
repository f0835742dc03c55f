"""Texts to vectors: clean, look up, encode what is missing."""

import logging
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bias_lab.encoders.cache import EmbeddingCache
from bias_lab.encoders.frozen import Encoded, FrozenEncoder
from bias_lab.text import Cleaning, clean

log = logging.getLogger(__name__)


class Embedder:
    """Vectors of raw texts under one encoder and one cleaning, through the cache under `cache_root`.

    Tweets and corpus sentences take the same way, so they are cleaned alike.
    """

    def __init__(self, encoder: FrozenEncoder, cleaning: Cleaning, cache_root: Path) -> None:
        self.encoder = encoder
        self.cleaning = cleaning
        self._cache_root = cache_root
        self._cache: EmbeddingCache | None = None
        self.hits = 0
        self.encoded = 0
        self.encode_seconds = 0.0

    def __call__(self, texts: Sequence[str]) -> np.ndarray:
        """Vectors float32 (n, d) of n raw texts, in order."""
        return self.look_up(texts).vectors

    def look_up(self, texts: Sequence[str]) -> Encoded:
        """Vectors of n raw texts with their token and unknown-token counts."""
        if self._cache is None:
            self._cache = EmbeddingCache(self._cache_root, self.encoder.identity)
        inputs = [self.encoder.model_input(clean(text, self.cleaning)) for text in texts]
        found = self._cache.get(inputs, self._encode)
        self.hits += found.hits
        self.encoded += found.encoded
        return Encoded(found.vectors, found.tokens, found.unknown)

    def _encode(self, inputs: Sequence[str]) -> Encoded:
        start = time.perf_counter()
        encoded = self.encoder.encode(inputs)
        seconds = time.perf_counter() - start
        self.encode_seconds += seconds
        log.info("encoded %s texts with %s in %.1f s", f"{len(inputs):,}", self.encoder.name_or_path, seconds)
        return encoded

    def describe(self) -> dict[str, Any]:
        """What decided the vectors and what the cache saved, as plain types."""
        return {
            "name_or_path": self.encoder.name_or_path,
            "revision": self.encoder.checkpoint.revision,
            "prefix": self.encoder.prefix,
            **self.encoder.identity,
            "cleaning": self.cleaning.as_dict(),
            "cache": {
                "hits": self.hits,
                "encoded": self.encoded,
                "encode_seconds": round(self.encode_seconds, 3),
            },
        }
