"""What the data could have shown: clustering, the smallest detectable effect, and "no larger than"."""

import numpy as np
from scipy import stats

Array = np.ndarray


def name_icc(y: Array, cell: Array, person: Array) -> float:
    """Intraclass correlation of scores (n,) by person within cells, by one-way analysis of variance.

    (MSB - MSW) / (MSB + (m - 1) MSW), with m the adjusted mean number of rows a person (Donner & Koval 1980,
    Biometrics 36: 19-25). The share of variance, within groups, that lies between persons; not cut off at 0: it
    is negative, down to -1 / (m - 1), when persons differ less than as many unrelated sentences would, since
    all persons share the same items. NaN where persons or their rows do not repeat.
    """
    n_persons = int(person.max()) + 1
    pair = cell * n_persons + person
    counts = np.bincount(pair).astype(np.float64)
    means = np.bincount(pair, weights=y) / np.maximum(counts, 1)
    present = np.flatnonzero(counts)
    own = present // n_persons  # the cell of each (cell, person)
    cell_counts = np.bincount(cell).astype(np.float64)
    centers = np.bincount(cell, weights=y) / np.maximum(cell_counts, 1)
    df_between, df_within = len(present) - int((cell_counts > 0).sum()), len(y) - len(present)
    if df_between < 1 or df_within < 1:
        return float("nan")
    between = counts[present] @ (means[present] - centers[own]) ** 2 / df_between
    within = np.sum((y - means[pair]) ** 2) / df_within
    rows = (len(y) - np.sum(counts[present] ** 2 / cell_counts[own])) / df_between
    total = between + (rows - 1) * within
    return float((between - within) / total) if total > 0 else float("nan")


def minimum_detectable(error: Array, df: int, alpha: float, power: float) -> Array:
    """The true effect that a two-sided test at alpha would find with probability `power`.

    (t(1 - alpha / 2) + t(power)) * standard error (Bloom 1995, Evaluation Review 19: 547-556). It depends on the
    spread between persons only, not on the estimate.
    """
    return (stats.t.isf(alpha / 2, df) + stats.t.ppf(power, df)) * error


def equivalence_p(effect: Array, error: Array, df: int, bound: float | None) -> Array:
    """p that the true effect lies beyond -/+ bound: the larger of two one-sided tests; NaN without a bound.

    Schuirmann 1987, J. Pharmacokinetics and Biopharmaceutics 15: 657-680 (TOST).
    """
    if bound is None:
        return np.full(len(effect), np.nan)
    return np.maximum(stats.t.sf((effect + bound) / error, df), stats.t.sf((bound - effect) / error, df))
