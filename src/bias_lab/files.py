"""Files at the rim: digests, atomic writes, canonical JSON."""

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any


def sha256_of(path: Path) -> str:
    """SHA-256 of a file's bytes, as hex; remembered within the process while size and times stay the same."""
    status = path.stat()
    # Which file it is, device and inode tell; resolving links would cost more than hashing a small file.
    return _sha256(os.path.abspath(path), status.st_size, status.st_mtime_ns, (status.st_dev, status.st_ino))  # noqa: PTH100


@lru_cache(maxsize=1024)
def _sha256(path: str, _size: int, _mtime_ns: int, _inode: tuple[int, int]) -> str:
    with Path(path).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def canonical_json(value: Any) -> str:
    """The one JSON text of a plain value: sorted keys, no blanks, NaN refused."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest_of(value: Any) -> str:
    """SHA-256 (hex) of a plain value's canonical JSON."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


@contextmanager
def part_file(folder: Path, name: str) -> Iterator[Path]:
    """A temporary path in `folder`, removed at the end of the block unless it was published."""
    folder.mkdir(parents=True, exist_ok=True)
    handle, part = tempfile.mkstemp(dir=folder, prefix=f".{name}.", suffix=".part")
    os.close(handle)
    try:
        yield Path(part)
    finally:
        Path(part).unlink(missing_ok=True)


def publish(part: Path, target: Path) -> None:
    """Give a finished temporary file its name in one step, on the disk before the name is."""
    part.chmod(0o666 & ~_umask())  # mkstemp makes files private; results are for colleagues too
    with part.open("rb") as stream:
        os.fsync(stream.fileno())
    part.replace(target)


def write_atomic(target: Path, write: Callable[[Path], None]) -> None:
    """Call `write` with a temporary path, then move the result to `target` in one step."""
    with part_file(target.parent, target.name) as part:
        write(part)
        publish(part, target)


def write_text(target: Path, text: str) -> None:
    """Write UTF-8 text atomically."""
    write_atomic(target, lambda part: _write_utf8(part, text))


def _write_utf8(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def write_json(target: Path, value: Any) -> None:
    """Write a plain value as readable JSON, atomically; NaN is refused (JSON has none)."""
    write_text(target, json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def _umask() -> int:
    """The process's umask; the system only tells it while setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
