"""Vectors on disk, shared by all runs and processes, addressed by everything that decides them.

A folder an encoder identity; in it immutable shards, each one safetensors file whose name is the SHA-256 of its
content. A shard appears under its name only when it is whole, so a killed process leaves nothing that is read, and
a damaged file no longer fits its name. A text is known by the digest of the exact string the tokenizer gets.
"""

import contextlib
import hashlib
import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock

from bias_lab.encoders.frozen import Encoded
from bias_lab.errors import ConfigError
from bias_lab.files import digest_of, part_file, publish, sha256_of, write_json

log = logging.getLogger(__name__)

KEY_BYTES = 16  # 128 bits: no two texts of any corpus share one by chance
# Rows a shard while encoding: what a killed process loses at most, and the memory one write needs.
SHARD_ROWS = 16_384

Encode = Callable[[Sequence[str]], Encoded]


def text_key(model_input: str) -> bytes:
    """Digest of the exact string that the tokenizer gets."""
    return hashlib.blake2b(model_input.encode("utf-8", "surrogatepass"), digest_size=KEY_BYTES).digest()


@dataclass(frozen=True)
class Shard:
    """One verified file: memory-mapped `vectors` float32 (n, d), `tokens` and `unknown` int32 (n,)."""

    path: Path
    vectors: np.ndarray
    tokens: np.ndarray
    unknown: np.ndarray


@dataclass(frozen=True)
class Lookup:
    """Vectors of the asked texts, in order, and how many distinct texts were found and encoded."""

    vectors: np.ndarray
    tokens: np.ndarray
    unknown: np.ndarray
    hits: int
    encoded: int


class EmbeddingCache:
    """The vectors of one encoder identity (plain types) under `root`."""

    def __init__(self, root: Path, identity: dict[str, Any]) -> None:
        self.folder = root / "embeddings" / digest_of(identity)[:32]
        self._identity = identity
        self._shards: list[Shard] = []
        self._where: dict[bytes, tuple[int, int]] = {}
        self._seen: set[Path] = set()

    def get(self, inputs: Sequence[str], encode: Encode) -> Lookup:
        """Vectors of n model inputs; what is missing is encoded once, `encode` being called with distinct texts.

        Other processes that need the same encoder wait, then find what this one wrote.
        """
        distinct = {text_key(text): text for text in inputs}
        if len(distinct) == 0:
            raise ValueError("get() needs at least one text")
        self._read_new_shards()
        missing = [key for key in distinct if key not in self._where]
        if missing:
            missing = self._fill(distinct, encode)
        keys = [text_key(text) for text in inputs]
        vectors, tokens, unknown = self._gather(keys)
        return Lookup(vectors, tokens, unknown, hits=len(distinct) - len(missing), encoded=len(missing))

    def _fill(self, distinct: dict[bytes, str], encode: Encode) -> list[bytes]:
        """Encode and write what is still missing under the lock; returns the keys that were encoded here."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            held = FileLock(self.folder / ".lock").acquire()
        except OSError as error:
            raise ConfigError(
                f"cache_dir: embeddings cannot be kept in {self.folder} ({error.strerror or error}); "
                "set cache_dir=FOLDER or $BIAS_LAB_CACHE to a folder that can be written"
            ) from error
        with held:
            self._read_new_shards()
            for part in self.folder.glob(".*.part"):  # what a killed writer left; nobody else writes under the lock
                part.unlink()
            # Longest first keeps texts of one length together, and so batches full, across shards.
            missing = sorted((key for key in distinct if key not in self._where), key=lambda key: -len(distinct[key]))
            if missing and not (self.folder / "encoder.json").is_file():
                write_json(self.folder / "encoder.json", self._identity)
            for start in range(0, len(missing), SHARD_ROWS):
                keys = missing[start : start + SHARD_ROWS]
                self._write_shard(keys, encode([distinct[key] for key in keys]))
            self._read_new_shards()
        return missing

    def _write_shard(self, keys: list[bytes], encoded: Encoded) -> None:
        from safetensors.numpy import save_file

        tensors: dict[str, np.ndarray] = {
            "keys": np.frombuffer(b"".join(keys), dtype=np.uint8).reshape(len(keys), KEY_BYTES),
            "vectors": np.ascontiguousarray(encoded.vectors, dtype=np.float32),
            "tokens": encoded.tokens,
            "unknown": encoded.unknown,
        }
        with part_file(self.folder, "shard") as part:
            save_file(tensors, part, metadata={"encoder": digest_of(self._identity)})
            publish(part, self.folder / f"{sha256_of(part)}.safetensors")

    def _read_new_shards(self) -> None:
        for path in sorted(self.folder.glob("*.safetensors")):
            if path in self._seen:
                continue
            try:
                shard, keys = _read_shard(path, digest_of(self._identity))
            except DamagedShardError as error:
                log.warning("%s; its texts are encoded again", error)
                with contextlib.suppress(FileNotFoundError):  # another process set it aside first
                    path.rename(path.with_suffix(".damaged"))
                continue
            self._seen.add(path)
            for row, key in enumerate(keys):
                self._where.setdefault(key, (len(self._shards), row))
            self._shards.append(shard)

    def _gather(self, keys: list[bytes]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        places = np.array([self._where[key] for key in keys])
        dim = self._shards[places[0, 0]].vectors.shape[1]
        vectors = np.empty((len(keys), dim), dtype=np.float32)
        tokens, unknown = (np.empty(len(keys), dtype=np.int32) for _ in range(2))
        for number in np.unique(places[:, 0]):
            rows = np.flatnonzero(places[:, 0] == number)
            shard, inside = self._shards[number], places[rows, 1]
            vectors[rows], tokens[rows], unknown[rows] = (
                shard.vectors[inside],
                shard.tokens[inside],
                shard.unknown[inside],
            )
        return vectors, tokens, unknown


class DamagedShardError(Exception):
    """A cache file whose content does not fit its name or its folder."""


def _read_shard(path: Path, encoder: str) -> tuple[Shard, list[bytes]]:
    """Verify and map one file; raises `DamagedShardError`."""
    if sha256_of(path) != path.stem:
        raise DamagedShardError(f"embedding cache file {path} is damaged (its content does not fit its name)")
    with path.open("rb") as stream:
        header_bytes = int.from_bytes(stream.read(8), "little")
        header = json.loads(stream.read(header_bytes))
    if header.pop("__metadata__", {}).get("encoder") != encoder:
        raise DamagedShardError(f"embedding cache file {path} belongs to another encoder")
    start = 8 + header_bytes
    arrays = {name: _map(path, start, entry) for name, entry in header.items()}
    keys = arrays["keys"].tobytes()
    shard = Shard(path, arrays["vectors"], np.array(arrays["tokens"]), np.array(arrays["unknown"]))
    return shard, [keys[i : i + KEY_BYTES] for i in range(0, len(keys), KEY_BYTES)]


def _map(path: Path, start: int, entry: dict[str, Any]) -> np.ndarray:
    """Read-only memory map of one tensor; safetensors' own reader would copy it whole."""
    dtypes = {"F32": np.float32, "I32": np.int32, "U8": np.uint8}
    offset = start + entry["data_offsets"][0]
    return np.memmap(path, dtype=dtypes[entry["dtype"]], mode="r", offset=offset, shape=tuple(entry["shape"]))
