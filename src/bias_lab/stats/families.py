"""Many tests at once: p-values adjusted within declared families, across terms, models and emotions."""

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
import pandas as pd

from bias_lab.errors import ConfigError, DataError

Array = np.ndarray
Method = Literal["bh", "holm"]
# All models, emotions and terms of one corpus. The two codings are two readings of the same fits, so that
# counting both would pay twice for one question.
FAMILY = ("eec", "coding")


def adjust(p: Array, method: Method = "bh") -> Array:
    """Adjust p-values (m,) of one family; a missing p stays missing and counts as no test.

    "bh": Benjamini & Hochberg 1995 (JRSS B 57: 289-300); calling those below alpha findings keeps the expected
    share of false ones among them below alpha, for independent and for positively dependent tests. "holm":
    Holm 1979 (Scandinavian J. Statistics 6: 65-70); keeps the chance of any false finding below alpha whatever
    the dependence. Raises ConfigError for another method, DataError for a p outside [0, 1].
    """
    if method not in get_args(Method):
        raise ConfigError(f"adjustment: got {method!r}; allowed: {', '.join(get_args(Method))}")
    p = np.asarray(p, dtype=np.float64)
    if (wrong := p[(p < 0) | (p > 1)]).size:
        raise DataError(f"adjustment: {wrong.size} p-values lie outside [0, 1], the first is {wrong[0]:g}")
    adjusted, told = np.full(p.shape, np.nan), np.flatnonzero(~np.isnan(p))
    order = told[np.argsort(p[told], kind="stable")]
    m = len(order)
    if method == "bh":
        scaled = p[order] * m / np.arange(1, m + 1)
        adjusted[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
    else:
        scaled = p[order] * np.arange(m, 0, -1)
        adjusted[order] = np.minimum(np.maximum.accumulate(scaled), 1.0)
    return adjusted


def adjust_families(
    table: pd.DataFrame, *, by: Sequence[str] = FAMILY, p: str = "p_name", method: Method = "bh"
) -> pd.DataFrame:
    """Add q, the adjusted p, to tables of coefficients put together: of several models, emotions, corpora.

    table: tables of `analyse`, concatenated. by: the columns that tell families apart. p: the column to adjust.
    Returns a copy with q (missing for intercepts and where p is), family (such as "black_white_en, treatment")
    and family_size, the number of tests in it. Raises DataError for a column that the table does not have.
    """
    if lacking := [name for name in (*by, p, "term") if name not in table.columns]:
        raise DataError(f"table of coefficients: no column {', '.join(lacking)}; it has {', '.join(table.columns)}")
    result = table.assign(q=np.nan, family="", family_size=0)
    tested = (table["term"] != "Intercept") & table[p].notna()
    groups = table.groupby(list(by), sort=False, dropna=False).groups if by else {("all",): table.index}
    if not table.index.is_unique:
        raise DataError("table of coefficients: its row labels repeat; put tables together with ignore_index=True")
    for key, rows in groups.items():
        mine = rows[tested[rows]]
        result.loc[rows, "family"] = ", ".join(map(str, key if isinstance(key, tuple) else (key,)))
        result.loc[rows, "family_size"] = len(mine)
        result.loc[mine, "q"] = adjust(table.loc[mine, p].to_numpy(), method)
    return result
