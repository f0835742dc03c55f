"""The rows of a CSV corpus: read them, check them, and work out persons and items."""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bias_lab.corpora.corpus import NAME, NOUN_PHRASE
from bias_lab.errors import DataError

_UTF16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class Table:
    """A CSV file: header, rows of as many cells as the header, and the line each row starts in."""

    path: Path
    header: tuple[str, ...]
    rows: tuple[list[str], ...]
    lines: tuple[int, ...]

    def column(self, position: int) -> list[str]:
        """Return the cells of a column without blanks around them."""
        return [row[position].strip() for row in self.rows]

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
    reader = csv.reader(io.StringIO(_decode(path), newline=""), delimiter=delimiter, strict=True)
    rows: list[list[str]] = []
    lines: list[int] = []
    start = 1
    try:
        for row in reader:
            if row:
                rows.append(row)
                lines.append(start)
            start = reader.line_num + 1
    except csv.Error as error:
        raise DataError(f"{path}:{start}: is not valid CSV from here on ({error}); is a quote left open?") from error
    if len(rows) <= 1:
        raise DataError(f"{path}: has no rows; expected a header line and one line a sentence")
    header = tuple(name.strip() for name in rows[0])
    for row, line in zip(rows, lines, strict=True):
        if len(row) != len(header):
            raise DataError(
                f"{path}:{line}: {len(row)} columns, but the header has {len(header)}; "
                f"a cell that contains {delimiter!r} needs double quotes around it"
            )
    return Table(path, header, tuple(rows[1:]), tuple(lines[1:]))


def _decode(path: Path) -> str:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DataError(f"{path}: cannot read this corpus ({error.strerror})") from error
    if data.startswith(_UTF16) or b"\0" in data:
        raise DataError(f"{path}: looks like UTF-16; save it as UTF-8")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise DataError(f"{path}:{line}: is not UTF-8 (byte 0x{data[error.start]:02x}); save it as UTF-8") from error


def emotions(table: Table, columns: Mapping[str, int]) -> tuple[list[str], list[str]]:
    """Return emotion and emotion word of each row, "" where there is none.

    Raises:
        DataError: A row has an emotion word but no emotion, where the file has a column for it.
    """
    nothing = [""] * len(table.rows)
    emotion = table.column(columns["emotion"]) if "emotion" in columns else nothing
    word = table.column(columns["emotion_word"]) if "emotion_word" in columns else nothing
    for line, of_row, word_of_row in zip(table.lines, emotion, word, strict=True):
        if word_of_row and not of_row and "emotion" in columns:
            raise table.error(line, f"the emotion word {word_of_row!r} has no emotion")
    return emotion, word


def items(
    table: Table, columns: Mapping[str, int], emotion: Sequence[str], word: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Return template and item of each row.

    A file without templates gets them from its sentences, with `<person>` for the person; such a template is
    the item as well. Elsewhere the item is "<template>:<word>", and ends in the emotion where a template has
    the same word under two emotions. The word is the concept where the file has one: the emotion word itself,
    in a language where it agrees with the person, makes items of one gender only.

    Raises:
        DataError: A sentence, a template or an item is empty.
    """
    sentences = _filled(table, columns, "sentence")
    if "template" in columns:
        template = _filled(table, columns, "template")
        word = table.column(columns["concept"]) if "concept" in columns else word
        meanings: dict[tuple[str, str], set[str]] = {}
        for key in zip(template, word, emotion, strict=True):
            meanings.setdefault(key[:2], set()).add(key[2])
        item = [
            base + (f":{text}" if text else "") + (f" ({felt})" if len(meanings[base, text]) > 1 else "")
            for base, text, felt in zip(template, word, emotion, strict=True)
        ]
    else:
        about = _filled(table, columns, "person")
        item = template = [
            re.sub(rf"(?<!\w){re.escape(person)}(?!\w)", "<person>", sentence, flags=re.IGNORECASE)
            for person, sentence in zip(about, sentences, strict=True)
        ]
    return template, _filled(table, columns, "item") if "item" in columns else item


def _filled(table: Table, columns: Mapping[str, int], role: str) -> list[str]:
    """Return a column in which no cell may be empty."""
    values = table.column(columns[role])
    for line, value in zip(table.lines, values, strict=True):
        if not value:
            raise table.error(line, f"the {role} is empty")
    return values


def persons(table: Table, position: int, aliases: Mapping[str, str], cells: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the person of each row, and check that each has one level of every factor, or none throughout.

    Args:
        table: The file.
        position: The column of the persons.
        aliases: Other spellings of a person, such as the object case of a pronoun.
        cells: The level of each factor in each row, "" where there is none.

    Raises:
        DataError: A person is empty, or stands in two cells.
    """
    written = _filled(table, {"person": position}, "person")
    people = [aliases.get(person, person) for person in written]
    first: dict[str, tuple[tuple[str, ...], int]] = {}
    for line, person, *cell in zip(table.lines, people, *cells.values(), strict=True):
        levels, before = first.setdefault(person, (tuple(cell), line))
        if levels == tuple(cell):
            continue
        factor, here, there = next(
            (name, new, old) for name, new, old in zip(cells, cell, levels, strict=True) if new != old
        )
        raise table.error(
            line,
            f"the person {person!r} has {factor} {here or '(empty)'!r} here, but {there or '(empty)'!r} in "
            f"line {before}; a person belongs to one group. Two people of one name need two ids",
        )
    return people


def person_kinds(
    table: Table, position: int | None, people: Sequence[str], cells: Mapping[str, Sequence[str]]
) -> list[str]:
    """Return `name` or `noun_phrase` for each row.

    Without a column that says it, persons with a level of every factor are names. The others are noun
    phrases, and must all lack the same factors: anything else is a hole in the data.

    Raises:
        DataError: A name lacks a level, a kind is unknown, or persons lack different factors.
    """
    empty = [
        tuple(name for name, level in zip(cells, row, strict=True) if not level)
        for row in zip(*cells.values(), strict=True)
    ]
    kinds = table.column(position) if position is not None else [NOUN_PHRASE if lacks else NAME for lacks in empty]
    seen: tuple[tuple[str, ...], int] | None = None
    for line, person, kind, lacks in zip(table.lines, people, kinds, empty, strict=True):
        if kind not in (NAME, NOUN_PHRASE):
            raise table.error(line, f"person_kind must be {NAME} or {NOUN_PHRASE}, got {kind!r}")
        if kind == NAME and lacks:
            raise table.error(line, f"the name {person!r} lacks {_and(lacks)}")
        if kind == NOUN_PHRASE:
            seen = seen or (lacks, line)
            if lacks != seen[0]:
                raise table.error(
                    line,
                    f"{person!r} lacks {_and(lacks)}, but the noun phrase in line {seen[1]} lacks "
                    f"{_and(seen[0])}; noun phrases must all lack the same factors, names none",
                )
    return kinds


def _and(words: Sequence[str]) -> str:
    return " and ".join(words) or "nothing"
