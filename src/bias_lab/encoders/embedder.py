"""Texts to vectors: clean, look up, encode what is missing."""

import logging
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bias_lab.encoders.cache import Lookup, open_cache
from bias_lab.encoders.frozen import Encoded, FrozenEncoder
from bias_lab.text import Cleaning, clean

log = logging.getLogger(__name__)

# Rows looked up at once where not all are needed together: enough texts for full batches, 200 MB of width 768.
BLOCK_ROWS = 65_536


class Embedder:
    """Vectors of raw texts under one encoder and one cleaning, through the cache under `cache_root`.

    Tweets and corpus sentences take the same way, so they are cleaned alike.
    """

    def __init__(self, encoder: FrozenEncoder, cleaning: Cleaning, cache_root: Path) -> None:
        self.encoder = encoder
        self.cleaning = cleaning
        self._cache_root = cache_root
        self.hits = 0
        self.encoded = 0
        self.encode_seconds = 0.0

    def __call__(self, texts: Sequence[str]) -> np.ndarray:
        """Vectors float32 (n, d) of n raw texts, in order, all in memory."""
        return self._look_up(texts).vectors

    def blocks(self, texts: Sequence[str]) -> Iterator[np.ndarray]:
        """The vectors of n raw texts, in order, in blocks of `BLOCK_ROWS`: what is missing is encoded block by block.

        However many the texts, one block is in memory. Raises ValueError where there is no text.
        """
        for start in range(0, max(1, len(texts)), BLOCK_ROWS):
            yield self._look_up(texts[start : start + BLOCK_ROWS]).vectors

    def counts(self, texts: Sequence[str]) -> tuple[int, int]:
        """Sums of tokens and, of them, unknown ones over all texts."""
        tokens = unknown = 0
        for start in range(0, max(1, len(texts)), BLOCK_ROWS):
            found = self._look_up(texts[start : start + BLOCK_ROWS], vectors=False)
            tokens, unknown = tokens + int(found.tokens.sum()), unknown + int(found.unknown.sum())
        return tokens, unknown

    def _look_up(self, texts: Sequence[str], *, vectors: bool = True) -> Lookup:
        inputs = [self.encoder.model_input(clean(text, self.cleaning)) for text in texts]
        cache = open_cache(self._cache_root, self.encoder.identity)
        found = cache.get(inputs, self._encode, vectors=vectors)
        self.hits += found.hits
        self.encoded += found.encoded
        return found

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
