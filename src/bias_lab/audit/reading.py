"""The file of scores: one line a sentence, or a sentence's id, and a number."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from bias_lab.corpora.csv_table import Table, read_table
from bias_lab.errors import ConfigError, DataError
from bias_lab.files import sha256_of

SENTENCE_COLUMNS = ("sentence", "text")
ID_COLUMNS = ("id", "sentence_id")
SCORE_COLUMNS = ("score", "prediction")
UNIT = (0.0, 1.0)
SHOWN = 5
_DELIMITERS = (",", ";", "\t")


@dataclass(frozen=True, eq=False)
class ScoreFile:
    """n scores, mapped from `scale` to [0, 1]."""

    path: Path
    sha256: str
    key: Literal["sentence", "id"]  # what `keys` are
    keys: tuple[str, ...]  # (n,) as written
    lines: tuple[int, ...]  # (n,) line in the file
    scores: np.ndarray  # (n,) float64 in [0, 1]
    column: str  # the scores'
    scale: tuple[float, float]
    beside: tuple[tuple[str, ...], ...] = ()  # columns (n,) of ids beside sentences, or of sentences beside ids


def read_scores(
    path: Path,
    *,
    scale: tuple[float, float] | None = None,
    sentence_column: str | None = None,
    id_column: str | None = None,
    score_column: str | None = None,
) -> ScoreFile:
    """Read a CSV file (UTF-8; comma, semicolon or tab; a header) with a sentence or an id, and a score, in each line.

    scale: the lowest and the highest score that the system can give, by default 0 and 1. Without names of columns,
    `sentence` or `text`, else `id` or `sentence_id`, and `score` or `prediction` are looked for; other columns are
    not read. Where there are sentences and ids, `match_scores` compares the two.

    Raises ConfigError for a scale that is none or a column that is not there; DataError where the file cannot be read,
    and naming the lines whose score is no number or lies outside the scale.
    """
    low, high = scale or UNIT
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ConfigError(
            f"--range {low:g} {high:g}: give the lowest and the highest possible score, such as --range -1 1"
        )
    table = _open(path)
    key, key_at = _key_column(table, sentence_column, id_column)
    others = [table.find(name, first=True) for name in (ID_COLUMNS if key == "sentence" else SENTENCE_COLUMNS)]
    score_at = _column(table, score_column, SCORE_COLUMNS, "--score-column", what="scores")
    values = _numbers(table, score_at)
    _check_scale(table, values, (low, high), is_default=scale is None)
    return ScoreFile(
        path=path,
        sha256=sha256_of(path),
        key=key,
        keys=tuple(table.cells[key_at]),
        lines=tuple(table.lines),
        scores=(values - low) / (high - low),
        column=table.header[score_at],
        scale=(low, high),
        beside=tuple(tuple(table.cells[at]) for at in others if at >= 0 and at != key_at),
    )


def named_lines(lines: Sequence[int], texts: Sequence[str]) -> str:
    """The first few lines with what stands there: "line 3: 'n/a', line 9: '' and 4 more"."""
    shown = ", ".join(f"line {line}: {text!r}" for line, text in list(zip(lines, texts, strict=True))[:SHOWN])
    return shown + (f" and {len(lines) - SHOWN} more" if len(lines) > SHOWN else "")


def counted(n: int, noun: str) -> str:
    """Such as "1 sentence" and "1,400 sentences"."""
    return f"{n:,} {noun}" + ("" if n == 1 else "s")


def _open(path: Path) -> Table:
    if not path.is_file():
        raise DataError(f"{path}: there is no such file; expected a CSV file with a sentence and a score in each line")
    try:
        with path.open(encoding="utf-8-sig", errors="replace") as stream:
            header = stream.readline()
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror or error})") from error
    return read_table(path, delimiter=max(_DELIMITERS, key=header.count))


def _first(table: Table, names: Sequence[str]) -> int | None:
    """Position of the first of the names that is a column."""
    return next((at for at in (table.find(name, first=True) for name in names) if at >= 0), None)


def _key_column(
    table: Table, sentence_column: str | None, id_column: str | None
) -> tuple[Literal["sentence", "id"], int]:
    """Whether lines are known by sentence or id, and the position of that column."""
    if sentence_column and id_column:
        raise ConfigError("--sentence-column and --id-column: give one of them")
    option, what = "--sentence-column or --id-column", "sentences or their ids"
    usual = (*SENTENCE_COLUMNS, *ID_COLUMNS)
    at = _column(table, sentence_column or id_column, usual, option, what=what)
    by_id = bool(id_column) or (not sentence_column and _first(table, SENTENCE_COLUMNS) is None)
    return ("id" if by_id else "sentence"), at


def _column(table: Table, asked: str | None, usual: Sequence[str], option: str, *, what: str) -> int:
    at = _first(table, (asked,) if asked else usual)
    if at is None:
        wanted = repr(asked) if asked else f"for {what} ({' or '.join(usual)})"
        raise ConfigError(f"{table.path}: no column {wanted}; {table.described()}. Name it with {option}")
    present = [name for name in usual if name in table.header]
    if not asked and what == "scores" and len(present) > 1:
        raise ConfigError(f"{table.path}: has columns {' and '.join(present)}; say which with {option}")
    return at


def _numbers(table: Table, at: int) -> np.ndarray:
    texts = table.column(at)
    values = np.array([_number(text) for text in texts])
    bad = np.flatnonzero(np.isnan(values))
    if len(bad):
        told = named_lines([table.lines[i] for i in bad], [texts[i] for i in bad])
        advice = "where the system gave none, take the line out and say --allow-missing"
        if all("," in texts[i] for i in bad):
            advice = "decimals need a point"
        raise DataError(
            f"{table.path}: {len(bad):,} of {len(texts):,} scores are missing or no finite number: {told}; {advice}"
        )
    return values


def _number(text: str) -> float:
    """NaN for anything that is no finite number."""
    try:
        value = float(text) if "_" not in text else math.nan
    except ValueError:
        return math.nan
    return value if math.isfinite(value) else math.nan


def _check_scale(table: Table, values: np.ndarray, scale: tuple[float, float], *, is_default: bool) -> None:
    low, high = scale
    outside = np.flatnonzero((values < low) | (values > high))
    if len(outside):
        told = named_lines([table.lines[i] for i in outside], [f"{values[i]:g}" for i in outside]).replace("'", "")
        advice = f"the file's scores run from {values.min():g} to {values.max():g}; " + (
            "say which ones are possible, such as --range -1 1" if is_default else "give a range that holds them all"
        )
        count = f"{len(outside):,} of {len(values):,} scores"
        raise DataError(f"{table.path}: {count} lie outside {low:g} to {high:g}: {told}; {advice}")
