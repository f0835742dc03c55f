"""Bytes to lines: one read per file, UTF-8 only, line ends and byte-order mark handled."""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from bias_lab.errors import DataError

_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class Source:
    """A text file in memory.

    Attributes:
        path: where it was read, for messages and the manifest.
        sha256: hex digest of the bytes that were decoded.
        text: the content without byte-order mark, line ends as they stand.
    """

    path: str
    sha256: str
    text: str

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines without their ends (LF or CRLF) and without blank lines at the end of the file.

        Split at LF only: tweets hold U+2028, U+0085 and the like, which `str.splitlines` takes for line ends.
        """
        lines = [line.removesuffix("\r") for line in self.text.split("\n")]
        while lines and not lines[-1].strip():
            lines.pop()
        return tuple(lines)

    @property
    def ends_in_newline(self) -> bool:
        """Whether the last line is complete; a file that was cut off mostly is not."""
        return self.text.endswith("\n")

    @property
    def content_sha256(self) -> str:
        """Digest of the content alone: CRLF, byte-order mark and blank last lines do not change it."""
        return hashlib.sha256(("\n".join(self.lines) + "\n").encode()).hexdigest()


def read_source(path: Path) -> Source:
    """Read a UTF-8 text file.

    Raises:
        DataError: the file is missing, unreadable, or not UTF-8 (the line is named).
    """
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror})") from error
    return decode(raw, path=str(path))


def decode(raw: bytes, *, path: str) -> Source:
    """Turn a file's bytes into a Source; see `read_source` for the errors."""
    if raw.startswith(_UTF16_MARKS) or b"\x00" in raw[:4096]:
        raise DataError(
            f"{path}, line 1: the file is UTF-16 (or binary), expected UTF-8; "
            "save it as UTF-8, for example with `iconv -f UTF-16 -t UTF-8`"
        )
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"{path}, line {line}: byte 0x{raw[error.start]:02x} is not UTF-8; save the file as UTF-8"
        ) from None
    return Source(path=path, sha256=hashlib.sha256(raw).hexdigest(), text=text)
