"""One file of the embedding cache: n texts' keys, vectors and token counts, named by the SHA-256 of its content."""

import hashlib
import json
import math
import mmap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bias_lab.encoders.frozen import Encoded
from bias_lab.files import part_file, publish, sha256_of

SUFFIX = ".safetensors"
KEY_BYTES = 16  # 128 bits: no two texts of any corpus share one by chance
# As bytes of fixed length numpy sorts and finds keys by memcmp, far faster than any table of Python objects.
KEY = np.dtype(f"S{KEY_BYTES}")
DTYPES = {"F32": np.float32, "I32": np.int32, "U8": np.uint8}
TENSORS = {"keys": "U8", "vectors": "F32", "tokens": "I32", "unknown": "I32"}


class DamagedShardError(Exception):
    """A cache file whose content does not fit its name or its folder."""


def text_key(model_input: str) -> bytes:
    """Digest of the exact string that the tokenizer gets."""
    return hashlib.blake2b(model_input.encode("utf-8", "surrogatepass"), digest_size=KEY_BYTES).digest()


def text_keys(model_inputs: Sequence[str]) -> np.ndarray:
    """Digests (n,) of n strings, of dtype `KEY`."""
    return np.frombuffer(b"".join(map(text_key, model_inputs)), dtype=KEY)


@dataclass(frozen=True)
class Shard:
    """A file of `rows` texts: dtype, shape and offset of each tensor, which are read when asked for.

    `keys` uint8 (n, 16), `vectors` float32 (n, d), `tokens` and `unknown` int32 (n,).
    """

    path: Path
    rows: int
    width: int
    tensors: dict[str, tuple[str, tuple[int, ...], int]]

    def map(self) -> dict[str, np.ndarray]:
        """Read-only memory maps of all tensors; the pages read leave memory with the last of them.

        safetensors' own reader would copy the file, numpy's memmap takes ten times as long to open it.
        """
        with self.path.open("rb") as stream:
            buffer = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        return {
            name: np.frombuffer(buffer, DTYPES[dtype], math.prod(shape), offset).reshape(shape)
            for name, (dtype, shape, offset) in self.tensors.items()
        }

    def keys(self) -> np.ndarray:
        """The keys (n,), of dtype `KEY`."""
        return np.array(self.map()["keys"]).view(KEY)[:, 0]

    def check(self) -> None:
        """Read the whole file; raises `DamagedShardError` where its content does not fit its name."""
        if sha256_of(self.path) != self.path.stem:
            raise damaged(self.path, "its content does not fit its name")


def damaged(path: Path, reason: str) -> DamagedShardError:
    """The error that tells of a file that is not what was written."""
    return DamagedShardError(f"embedding cache file {path} is damaged ({reason})")


def open_shard(path: Path, encoder: str) -> Shard:
    """Read a file's header; raises `DamagedShardError` where it has none or is of another encoder (its digest).

    The content is not read: see `Shard.check`.
    """
    try:
        header, start = _header(path)
        told = header.pop("__metadata__", {}).get("encoder")
        tensors = {name: _tensor(header[name], dtype, start) for name, dtype in TENSORS.items()}
        (rows, width), end = tensors["vectors"][1], max(entry["data_offsets"][1] for entry in header.values())
        fits = [tensors[name][1] for name in ("keys", "tokens", "unknown")] == [(rows, KEY_BYTES), (rows,), (rows,)]
        if not fits or start + end != path.stat().st_size:
            raise ValueError
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise damaged(path, "its header does not fit its content") from error
    if told != encoder:
        raise DamagedShardError(f"embedding cache file {path} belongs to another encoder")
    return Shard(path, rows, width, tensors)


def _header(path: Path) -> tuple[dict[str, Any], int]:
    """The header as plain types, and where the data begins; raises ValueError where there is none."""
    with path.open("rb") as stream:
        length = int.from_bytes(stream.read(8), "little")
        if length > path.stat().st_size:
            raise ValueError
        return json.loads(stream.read(length)), 8 + length


def _tensor(entry: dict[str, Any], dtype: str, start: int) -> tuple[str, tuple[int, ...], int]:
    if entry["dtype"] != dtype:
        raise ValueError
    return dtype, tuple(entry["shape"]), start + entry["data_offsets"][0]


def write_shard(folder: Path, keys: np.ndarray, encoded: Encoded, encoder: str) -> Path:
    """Write the vectors of the texts with these keys (n,); the file appears under its name when it is whole."""
    from safetensors.numpy import save_file

    tensors: dict[str, np.ndarray] = {
        "keys": np.ascontiguousarray(keys).view(np.uint8).reshape(len(keys), KEY_BYTES),
        "vectors": np.ascontiguousarray(encoded.vectors, dtype=np.float32),
        "tokens": encoded.tokens,
        "unknown": encoded.unknown,
    }
    with part_file(folder, "shard") as part:
        save_file(tensors, part, metadata={"encoder": encoder})
        path = folder / f"{sha256_of(part)}{SUFFIX}"
        publish(part, path)
    return path
