"""From p-values under shuffled names to rejection rates with intervals."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from bias_lab.calibration.experiment import METHODS, Rejections

Array = np.ndarray
# What the rows of one (run, table, factor) experiment are known by, besides the term.
_OF_THE_TABLE = ("eec", "subset", "shuffled")
ALL_TERMS = "all terms"


def table_rates(found: Sequence[tuple[str, Rejections]], *, alpha: float = 0.05) -> pd.DataFrame:
    """Rejection rates of every run, table, term and method.

    found: (label of the run, its experiment). Returns one row a label, eec, subset, shuffled, coding, term and method:
    tests (shuffles with a p), rejected, rate, low, high (95 %, Clopper & Pearson 1934, Biometrika 26: 404-413), failed
    (shuffles without a p).
    """
    rows: list[dict[str, Any]] = []
    for label, one in found:
        for position, (coding, term, _) in enumerate(one.rows):
            for method in METHODS:
                p = one.p[method][:, position]
                told = p[~np.isnan(p)]
                rejected = int((told < alpha).sum())
                low, high = clopper_pearson(rejected, len(told))
                who = {"label": label, **{name: getattr(one, name) for name in _OF_THE_TABLE}}
                rows.append(
                    {**who, "coding": coding, "term": term, "method": method, "tests": len(told), "rejected": rejected}
                    | {"rate": _share(rejected, len(told)), "low": low, "high": high, "failed": len(p) - len(told)}
                )
    return pd.DataFrame(rows)


def pooled_rates(found: Sequence[tuple[str, Rejections]], *, alpha: float = 0.05) -> pd.DataFrame:
    """Rejection rates over all runs and corpora, by the factor shuffled, kind of term and method; then of all terms.

    found: as for `table_rates`, of which rows in treatment coding count. Returns one row a (shuffled, factors, method),
    where factors is that of the terms, such as "race:gender", with tables (experiments), tests, rate, low, high. Tests
    of one shuffle go together, so the interval is that of as many independent tests as would give the spread seen
    between shuffles (Clopper-Pearson at the effective number of tests: Korn & Graubard 1998, Survey Methodology 24:
    193-201).
    """
    kinds = dict.fromkeys((one.shuffled, row[2]) for _, one in found for row in one.rows)
    wanted = [((shuffled, factors), [(shuffled, factors)]) for shuffled, factors in kinds]
    if len(kinds) > 1:
        wanted.append(((ALL_TERMS, ALL_TERMS), list(kinds)))
    rows = []
    for (shuffled, factors), members in wanted:
        for method in METHODS:
            units = [unit for _, one in found for unit in _units(one, members, method)]
            tests, rate, low, high = _pooled([unit < alpha for unit in units])
            who = {"shuffled": shuffled, "factors": factors, "method": method, "tables": len(units)}
            rows.append({**who, "tests": tests, "rate": rate, "low": low, "high": high})
    return pd.DataFrame(rows)


def clopper_pearson(rejected: float, tests: float, *, level: float = 0.95) -> tuple[float, float]:
    """Exact interval of a share; numbers need not be whole; (NaN, NaN) without a test."""
    if not tests:
        return float("nan"), float("nan")
    tail = (1 - level) / 2
    low = stats.beta.ppf(tail, rejected, tests - rejected + 1) if rejected > 0 else 0.0
    high = stats.beta.isf(tail, rejected + 1, tests - rejected) if rejected < tests else 1.0
    return float(low), float(high)


def _units(one: Rejections, members: Sequence[tuple[str, str]], method: str) -> list[Array]:
    """p-values (shuffles, tests) of an experiment that belong to the members; empty where there are none."""
    wanted = [factors for shuffled, factors in members if shuffled == one.shuffled]
    mine = [i for i, (coding, _, factors) in enumerate(one.rows) if coding == "treatment" and factors in wanted]
    if not mine:
        return []
    p = one.p[method][:, mine]
    p = p[~np.isnan(p).any(axis=1)]
    return [p] if len(p) else []


def _pooled(rejections: Sequence[Array]) -> tuple[int, float, float, float]:
    """Tests, rate and interval of arrays (shuffles, tests) of booleans, the shuffle being the independent unit."""
    tests = sum(part.size for part in rejections)
    if not tests:
        return 0, *(float("nan"),) * 3
    rate = sum(float(part.sum()) for part in rejections) / tests
    residual = np.concatenate([part.sum(axis=1) - rate * part.shape[1] for part in rejections])
    variance = float(residual @ residual) / tests**2
    # Without any spread, as at a rate of 0 or 1, the shuffles are all there is to count.
    effective = min(tests, rate * (1 - rate) / variance) if variance else float(len(residual))
    return tests, rate, *clopper_pearson(rate * effective, effective)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")
