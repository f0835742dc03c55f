"""Read a CSV file by column, so that a million rows take little more memory than their sentences."""

import codecs
import csv
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TextIO

from bias_lab.errors import DataError

_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_CHUNK_ROWS = 500  # larger ones live long enough for the garbage collector to look at their rows again and again
_CHUNK_BYTES = 1 << 20
# A column with no more different cells than this keeps one object for all equal cells.
_FEW = 50_000


@dataclass(frozen=True)
class Table:
    """A CSV file: header, the cells of each column as they stand there, and the line each row starts in."""

    path: Path
    header: tuple[str, ...]
    cells: tuple[list[str], ...]
    lines: "array[int]"

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.lines)

    def column(self, position: int) -> list[str]:
        """Return the cells of a column without blanks around them."""
        return list(map(str.strip, self.cells[position]))

    def find(self, name: str, *, first: bool = False) -> int:
        """Return the position of a column, -1 where there is none.

        Raises:
            DataError: There are several, and `first` does not say to take the first.
        """
        if self.header.count(name) > 1 and not first:
            raise self.error(1, f"the column {name!r} stands twice")
        return self.header.index(name) if name in self.header else -1

    def described(self) -> str:
        """Say what columns there are."""
        return f"the columns are {', '.join(name or '(unnamed)' for name in self.header)}"

    def error(self, line: int, message: str) -> DataError:
        """Make the error that says `message` about a line."""
        return DataError(f"{self.path}:{line}: {message}")


def read_table(path: Path, *, delimiter: str) -> Table:
    """Read a CSV file in UTF-8, with or without BOM; blank lines are no rows.

    Raises:
        DataError: The file is missing, is not UTF-8, has an open quote, no rows, or a row of another width
            than the header; the message names the line.
    """
    _check_bytes(path)
    lines = array("q")
    with path.open(encoding="utf-8-sig", newline="") as stream:
        rows = _numbered(path, stream, delimiter)
        header = tuple(name.strip() for name in next(rows, (0, []))[1])
        cells: tuple[list[str], ...] = tuple([] for _ in header)
        known: list[dict[str, str]] = [{} for _ in header]
        while chunk := list(islice(rows, _CHUNK_ROWS)):
            lines.extend(line for line, _ in chunk)
            _check_widths(path, chunk, len(header), delimiter)
            for column, seen, new in zip(cells, known, zip(*(row for _, row in chunk), strict=True), strict=True):
                column.extend(map(seen.setdefault, new, new) if len(seen) <= _FEW else new)
    if not lines:
        raise DataError(f"{path}: has no rows; expected a header line and one line a sentence")
    return Table(path, header, cells, lines)


def _numbered(path: Path, stream: TextIO, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the line that each row starts in, and its cells."""
    reader = csv.reader(stream, delimiter=delimiter, strict=True)
    start = 1
    try:
        for row in reader:
            if row:
                yield start, row
            start = reader.line_num + 1
    except csv.Error as error:
        raise DataError(f"{path}:{start}: is not valid CSV from here on ({error}); is a quote left open?") from error


def _check_widths(path: Path, rows: Sequence[tuple[int, list[str]]], width: int, delimiter: str) -> None:
    for line, row in rows:
        if len(row) != width:
            raise DataError(
                f"{path}:{line}: {len(row)} columns, but the header has {width}; "
                f"a cell that contains {delimiter!r} needs double quotes around it"
            )


def _check_bytes(path: Path) -> None:
    """Raise DataError unless the file can be read and is UTF-8, before anything is made of it."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    lines, chunk = 1, b""
    try:
        with path.open("rb") as stream:
            while chunk := stream.read(_CHUNK_BYTES):
                if b"\0" in chunk or (stream.tell() == len(chunk) and chunk.startswith(_UTF16)):
                    raise DataError(f"{path}: looks like UTF-16; save it as UTF-8")
                decoder.decode(chunk)
                lines += chunk.count(b"\n")
        decoder.decode(b"", final=True)
    except OSError as error:
        raise DataError(f"{path}: cannot read this corpus ({error.strerror})") from error
    except UnicodeDecodeError as error:
        before, wrong = error.object[: error.start], error.object[error.start]
        line = lines + before.count(b"\n")
        raise DataError(f"{path}:{line}: is not UTF-8 (byte 0x{wrong:02x}); save it as UTF-8") from error
