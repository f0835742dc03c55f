"""What a table on the page is made of; the template turns it into HTML, and the page's script sorts and filters it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bias_lab.report.numbers import MISSING, is_missing

NO_FILTER: Mapping[str, str] = {}


@dataclass(frozen=True)
class Column:
    """`where`: the filters that a column itself belongs to, as in `Row`. `hint`: what the number is."""

    title: str
    is_number: bool = False
    hint: str = ""
    where: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Cell:
    """`sort`: what the column is sorted by where that is not the text. `style`: a class of the style sheet."""

    text: str
    sort: float | None = None
    style: str = ""


@dataclass(frozen=True)
class Row:
    """`where`: filter (model, language, emotion, corpus, term, coding, persons) to the row's value of it.

    Values of one filter that the row belongs to alike are joined by line ends.
    """

    cells: tuple[Cell, ...]
    where: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Table:
    """`name`: unique on the page. The first column heads its rows."""

    name: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]


def text(value: Any, style: str = "") -> Cell:
    """A cell of words."""
    return Cell(MISSING if is_missing(value) or value == "" else str(value), style=style)


def number(value: Any, shown: str, style: str = "") -> Cell:
    """A cell of a number, sorted by its value; missing ones go last."""
    return Cell(shown, None if is_missing(value) else float(value), style)


def row(cells: Sequence[Cell], **where: Any) -> Row:
    """A row that belongs to some filters."""
    return Row(tuple(cells), {name: str(value) for name, value in where.items()})
