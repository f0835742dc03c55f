"""The rows of a CSV corpus: check them, and work out persons and items.

What a row says is checked and worked out once for all rows that say the same: a big corpus has few persons and items.
"""

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

from bias_lab.corpora.corpus import NAME, NOUN_PHRASE
from bias_lab.corpora.csv_table import Table

_Value = TypeVar("_Value", bound=Hashable)


def emotions(table: Table, columns: Mapping[str, int]) -> tuple[list[str], list[str]]:
    """Return emotion and emotion word of each row, "" where there is none.

    Raises:
        DataError: A row has an emotion word but no emotion, where the file has a column for it.
    """
    nothing = [""] * len(table)
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
        distinct = set(zip(template, word, emotion, strict=True))
        meanings = Counter(key[:2] for key in distinct)
        named = {
            (base, text, felt): base + (f":{text}" if text else "") + (f" ({felt})" if meanings[base, text] > 1 else "")
            for base, text, felt in distinct
        }
        item = [named[key] for key in zip(template, word, emotion, strict=True)]
    else:
        about, same = _filled(table, columns, "person"), dict[str, str]()
        item = template = [same.setdefault(text, text) for text in map(_template, about, sentences)]
    return template, _filled(table, columns, "item") if "item" in columns else item


def _template(person: str, sentence: str) -> str:
    """Return a sentence with `<person>` for the person."""
    return re.sub(rf"(?<!\w){re.escape(person)}(?!\w)", "<person>", sentence, flags=re.IGNORECASE)


def _filled(table: Table, columns: Mapping[str, int], role: str) -> list[str]:
    """Return a column in which no cell may be empty."""
    values = table.column(columns[role])
    if not all(values):
        raise table.error(table.lines[values.index("")], f"the {role} is empty")
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
    levels_of = set(zip(people, *cells.values(), strict=True))
    if len(levels_of) > len({person for person, *_ in levels_of}):
        _check_one_group(table, people, cells)
    return people


def _check_one_group(table: Table, people: Sequence[str], cells: Mapping[str, Sequence[str]]) -> None:
    """Raise DataError at the first row that puts a person into another group than an earlier one."""
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


def person_kinds(
    table: Table, position: int | None, people: Sequence[str], cells: Mapping[str, Sequence[str]]
) -> list[str]:
    """Return `name` or `noun_phrase` for each row.

    Without a column that says it, persons with a level of every factor are names. The others are noun
    phrases, and must all lack the same factors: anything else is a hole in the data.

    Raises:
        DataError: A name lacks a level, a kind is unknown, or persons lack different factors.
    """
    lacking = {
        group: tuple(name for name, level in zip(cells, group, strict=True) if not level)
        for group in set(zip(*cells.values(), strict=True))
    }
    if position is not None:
        kinds = table.column(position)
    else:
        kind_of = {group: NOUN_PHRASE if lacks else NAME for group, lacks in lacking.items()}
        kinds = [kind_of[group] for group in zip(*cells.values(), strict=True)]
    seen: tuple[tuple[str, ...], int] | None = None
    # The first row of each kind of row, so that the first wrong row is told.
    for (kind, group), row in _first_rows(zip(kinds, zip(*cells.values(), strict=True), strict=True)).items():
        line, person, lacks = table.lines[row], people[row], lacking[group]
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


def _first_rows(values: Iterable[_Value]) -> dict[_Value, int]:
    """Return the first row of each different value, in the order of rows."""
    first: dict[_Value, int] = {}
    for row, value in enumerate(values):
        if value not in first:
            first[value] = row
    return first


def _and(words: Sequence[str]) -> str:
    return " and ".join(words) or "nothing"
