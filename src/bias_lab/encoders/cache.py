"""Vectors on disk, shared by all runs and processes, addressed by everything that decides them.

A folder an encoder identity; in it immutable shards, each one safetensors file whose name is the SHA-256 of its
content. A shard appears under its name only when it is whole, so a killed process leaves nothing that is read, and
a damaged file no longer fits its name: each process reads a shard through once before it takes a vector from it.
A text is known by the digest of the exact string the tokenizer gets.
"""

import contextlib
import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock

from bias_lab.encoders.frozen import Encoded
from bias_lab.encoders.key_index import KeyIndex
from bias_lab.encoders.shards import SUFFIX, DamagedShardError, Shard, open_shard, text_keys, write_shard
from bias_lab.errors import ConfigError
from bias_lab.files import digest_of, write_json

log = logging.getLogger(__name__)

# Rows a shard while encoding: what a killed process loses at most, and the memory one write needs.
SHARD_ROWS = 16_384

Encode = Callable[[Sequence[str]], Encoded]
State = tuple[int, int, int]


@dataclass(frozen=True)
class Lookup:
    """What is known of the n asked texts, in order, and how many distinct ones were found and encoded.

    `tokens` and `unknown` int32 (n,); `vectors` float32 (n, d), (n, 0) where they were not asked for.
    """

    vectors: np.ndarray
    tokens: np.ndarray
    unknown: np.ndarray
    hits: int
    encoded: int


class EmbeddingCache:
    """The vectors of one encoder identity (plain types) under `root`; in memory it keeps 24 bytes a text."""

    def __init__(self, root: Path, identity: dict[str, Any]) -> None:
        self.folder = root / "embeddings" / digest_of(identity)[:32]
        self._identity = identity
        self._encoder = digest_of(identity)
        self._lock = threading.Lock()
        self._checked: dict[Path, State | None] = {}
        self._forget()

    def get(self, inputs: Sequence[str], encode: Encode, *, vectors: bool = True) -> Lookup:
        """Look up n model inputs; what is missing is encoded once, `encode` being called with distinct texts.

        Other processes that need the same encoder wait, then find what this one wrote.
        """
        if len(inputs) == 0:
            raise ValueError("get() needs at least one text")
        distinct, first, inverse = np.unique(text_keys(inputs), return_index=True, return_inverse=True)
        with self._lock:
            self._read_new_shards()
            places, encoded = self._find(distinct), 0
            while (places < 0).any():  # again only where a file was set aside just after it was written
                places, more = self._fill(inputs, distinct, first, encode)
                encoded += more
            found = self._gather(places[inverse], vectors=vectors)
        return Lookup(*found, hits=len(distinct) - encoded, encoded=encoded)

    def _fill(
        self, inputs: Sequence[str], distinct: np.ndarray, first: np.ndarray, encode: Encode
    ) -> tuple[np.ndarray, int]:
        """Encode and write under the lock what is still missing; returns the places of all and how many were missing.

        distinct: keys (m,). first: (m,) row of each in `inputs`.
        """
        with self._held():
            self._read_new_shards(certainly=True)
            for part in self.folder.glob(".*.part"):  # what a killed writer left; nobody else writes under the lock
                part.unlink()
            missing = np.flatnonzero(self._find(distinct) < 0)
            # Longest first keeps texts of one length together, and so batches full, across shards.
            missing = missing[np.argsort(first[missing])]
            missing = missing[np.argsort([-len(inputs[row]) for row in first[missing]], kind="stable")]
            if len(missing) and not (self.folder / "encoder.json").is_file():
                write_json(self.folder / "encoder.json", self._identity)
            for start in range(0, len(missing), SHARD_ROWS):
                now = missing[start : start + SHARD_ROWS]
                encoded = encode([inputs[row] for row in first[now]])
                path = write_shard(self.folder, distinct[now], encoded, self._encoder)
                self._checked[path] = _state(path)
            self._read_new_shards(certainly=True)
            return self._find(distinct), len(missing)

    def _held(self) -> contextlib.AbstractContextManager[Any]:
        """The folder's lock, taken; raises `ConfigError` where the folder cannot be written."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            return FileLock(self.folder / ".lock").acquire()
        except OSError as error:
            raise ConfigError(
                f"cache_dir: embeddings cannot be kept in {self.folder} ({error.strerror or error}); "
                "set cache_dir=FOLDER or $BIAS_LAB_CACHE to a folder that can be written"
            ) from error

    def _forget(self) -> None:
        """Know of no shard, as at the start."""
        self._shards: list[Shard] = []
        self._starts: list[int] = []  # the row of the index at which each shard begins
        self._index = KeyIndex()
        self._listed: State | None = None

    def _read_new_shards(self, *, certainly: bool = False) -> None:
        """Take in what other processes wrote and forget what is gone; `certainly` does not trust the folder's time."""
        seen = _state(self.folder)  # of before, so that what comes meanwhile is seen the next time
        if seen is None:
            self._forget()
        elif certainly or seen != self._listed:
            there = sorted(self.folder.glob(f"*{SUFFIX}"))
            if not {shard.path for shard in self._shards}.issubset(there):
                self._forget()
            known = {shard.path for shard in self._shards}
            for path in there:
                if path not in known:
                    self._add(path)
            self._listed = seen

    def _add(self, path: Path) -> None:
        try:
            shard = open_shard(path, self._encoder)
        except FileNotFoundError:  # another process set it aside
            return
        except DamagedShardError as error:
            _set_aside(path, error)
            return
        self._starts.append(self._starts[-1] + self._shards[-1].rows if self._shards else 0)
        self._shards.append(shard)
        self._index.add(shard.keys())

    def _find(self, keys: np.ndarray) -> np.ndarray:
        """Rows (m,) of keys (m,), -1 where missing; the shards that they are in have been read through."""
        while True:
            places = self._index.find(keys)
            used = np.unique(np.searchsorted(self._starts, places[places >= 0], side="right") - 1)
            if all(self._is_sound(self._shards[number]) for number in used):
                return places
            self._forget()
            self._read_new_shards()

    def _is_sound(self, shard: Shard) -> bool:
        """Whether a shard's content fits its name; read through once, and again where the file has changed since."""
        state = _state(shard.path)
        if state is not None and self._checked.get(shard.path) == state:
            return True
        try:
            shard.check()
        except FileNotFoundError:  # another process set it aside
            return False
        except DamagedShardError as error:
            _set_aside(shard.path, error)
            return False
        self._checked[shard.path] = state
        return True

    def _gather(self, places: np.ndarray, *, vectors: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Vectors, tokens and unknown tokens of n rows, one shard in memory at a time."""
        number_of = np.searchsorted(self._starts, places, side="right") - 1
        tokens, unknown = (np.empty(len(places), dtype=np.int32) for _ in range(2))
        width = self._shards[number_of[0]].width if vectors else 0
        out = np.empty((len(places), width), dtype=np.float32)
        for number in np.unique(number_of):
            rows = np.flatnonzero(number_of == number)
            inside, tensors = places[rows] - self._starts[number], self._shards[number].map()
            tokens[rows], unknown[rows] = tensors["tokens"][inside], tensors["unknown"][inside]
            if vectors:
                out[rows] = tensors["vectors"][inside]
        return out, tokens, unknown


def _state(path: Path) -> State | None:
    """What changes with a file's content, or when a file of a folder comes or goes; `None` where nothing is there."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns, status.st_ino


def _set_aside(path: Path, error: DamagedShardError) -> None:
    """Keep a damaged file where nobody reads it; its texts are encoded again."""
    log.warning("%s; its texts are encoded again", error)
    with contextlib.suppress(FileNotFoundError):  # another process set it aside first
        path.rename(path.with_suffix(".damaged"))


_open: dict[Path, EmbeddingCache] = {}


def open_cache(root: Path, identity: dict[str, Any]) -> EmbeddingCache:
    """The cache of an encoder identity, opened once in a process: the next cell of a sweep finds it as it was left."""
    cache = EmbeddingCache(root, identity)
    return _open.setdefault(cache.folder.absolute(), cache)
