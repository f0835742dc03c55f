"""The long table as statistics read it: checks that name rows, and predictions made ready for a Beta fit."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from bias_lab.errors import DataError
from bias_lab.stats.design import FactorLike

Array = np.ndarray
PERSON_KINDS = ("name", "noun_phrase")
_SHOWN = 5


@dataclass(frozen=True, eq=False)
class Scores:
    """The predictions of one fit, inside [0, 1] and inside (0, 1)."""

    closed: Array  # (n,) predictions clipped to [0, 1]
    open: Array  # (n,) the same, squeezed into (0, 1) if any lies at 0 or 1
    n_clipped: int  # predictions outside [0, 1]
    n_boundary: int  # values at exactly 0 or 1 after clipping


def prepare_scores(prediction: Array) -> Scores:
    """Clip predictions (n,) to [0, 1] and, where any is then 0 or 1, squeeze them into the open interval.

    The squeeze is y -> (y (n - 1) + 1/2) / n with n the rows of the fit (Smithson & Verkuilen 2006,
    Psychological Methods 11: 54-71). Like the published one it moves *all* rows of the fit, by at most 1 /
    (2n): moving only those at 0 and 1 would put a 0 above an interior score smaller than 1 / (2n) and
    change the order. Without a value at 0 or 1 nothing moves.
    """
    values = np.asarray(prediction, dtype=np.float64)
    closed = np.clip(values, 0.0, 1.0)
    n, n_boundary = len(values), int(np.sum((closed == 0) | (closed == 1)))
    squeezed = (closed * (n - 1) + 0.5) / n if n_boundary else closed
    return Scores(closed, squeezed, int(np.sum((values < 0) | (values > 1))), n_boundary)


def check_table(table: pd.DataFrame, factors: Sequence[FactorLike]) -> None:
    """Raise DataError unless the table has the columns, kinds of person, persons and predictions of a fit."""
    needed = ["eec", "person", "person_kind", "prediction", *(factor.name for factor in factors)]
    if lacking := [name for name in needed if name not in table.columns]:
        raise DataError(f"table of scores: no column {', '.join(lacking)}; it has {', '.join(map(str, table.columns))}")
    if not len(table):
        raise DataError("table of scores: it has no rows")
    for name in ("eec", "person"):
        _refuse(table[name], table[name].isna(), f"have no {name}")
    kind = table["person_kind"]
    _refuse(kind, ~kind.isin(PERSON_KINDS), f"have another person_kind than {' or '.join(PERSON_KINDS)}")
    prediction = table["prediction"]
    if not is_numeric_dtype(prediction) or is_bool_dtype(prediction):
        raise DataError(f"column 'prediction': numbers are needed, it holds {prediction.dtype}")
    finite = np.isfinite(prediction.to_numpy(dtype=np.float64, na_value=np.nan))
    _refuse(prediction, pd.Series(~finite, index=table.index), "have no finite prediction")


def check_levels(table: pd.DataFrame, factors: Sequence[FactorLike]) -> None:
    """Raise DataError naming the rows whose level of a factor is missing or not declared."""
    for factor in factors:
        column = table[factor.name]
        wrong = ~column.isin(list(factor.levels))
        _refuse(column, wrong, f"have a missing or undeclared level (declared: {', '.join(factor.levels)})")


def _refuse(column: pd.Series, wrong: pd.Series, complaint: str) -> None:
    """Raise DataError with the first rows that are wrong, by the table's index."""
    rows = column[wrong]
    if not len(rows):
        return
    shown = [f"row {index}: {'missing' if pd.isna(value) else repr(value)}" for index, value in rows.items()]
    more = ", ..." if len(rows) > _SHOWN else ""
    raise DataError(
        f"column {column.name!r}: {len(rows)} of {len(column)} rows {complaint}: " + ", ".join(shown[:_SHOWN]) + more
    )


def person_spread(y: Array, cell: Array, person: Array, n_cells: int, item: Array | None = None) -> Array:
    """Spread (largest less smallest) of person means in each cell (n_cells,); inf where it has no two persons.

    y: (n,). cell, person: (n,) codes. item: (n,) codes or None; where given, scores are taken relative to the
    mean of their item in the cell, so that persons with unequal rows (a corpus that lacks some) still agree
    when the model does not see who the sentence is about. Items with one person in a cell say nothing and
    are left out.
    """
    if item is not None:
        group = cell * (int(item.max()) + 1) + item
        counts, sums = np.bincount(group), np.bincount(group, weights=y)
        low, high = _range_by_group(person, group, len(counts))
        y = y - (sums / np.maximum(counts, 1))[group]
        told = (low < high)[group]
        y, cell, person = y[told], cell[told], person[told]
    if not len(y):
        return np.full(n_cells, np.inf)
    n_persons = int(person.max()) + 1
    pair = cell * n_persons + person
    counts, sums = np.bincount(pair), np.bincount(pair, weights=y)
    present = np.flatnonzero(counts)
    own = present // n_persons
    low, high = _range_by_group(sums[present] / counts[present], own, n_cells)
    several = np.bincount(own, minlength=n_cells) > 1
    return np.where(several, high - low, np.inf)


def _range_by_group(values: Array, group: Array, n_groups: int) -> tuple[Array, Array]:
    """Smallest and largest value of each group; inf and -inf where it has none."""
    low, high = np.full(n_groups, np.inf), np.full(n_groups, -np.inf)
    np.minimum.at(low, group, values)
    np.maximum.at(high, group, values)
    return low, high
