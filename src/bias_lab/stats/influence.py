"""Which name drives an effect: the analysis without each person in turn."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit

from bias_lab.stats.coding import Coding, deviation_coding, treatment_coding
from bias_lab.stats.columns import p_value
from bias_lab.stats.design import FactorLike
from bias_lab.stats.likelihood import CellSums, newton
from bias_lab.stats.name_level import cv3, leave_one_out, name_level, person_sums
from bias_lab.stats.subset import Subset, fitted_subsets

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class _Refits:
    """Estimates with all G persons and without each, k coefficients; NaN where there are none."""

    jackknife: Array  # (k, k) CV3
    left_out: Array  # (G, k) coefficients
    jackknives: Array  # (G, k, k) CV3 over the others


def leave_one_name_out(
    table: pd.DataFrame, factors: Sequence[FactorLike], *, level: float = 0.95, **options: Any
) -> pd.DataFrame:
    """Every term without each person.

    table, factors, options: as for `analyse` (interactions, precision). One row a person and term, the largest
    shift first within a term: eec, subset, coding, term, person, group (of the person), coefficient and
    coefficient_without, effect_response and effect_without, shift (their difference in name-level standard errors
    of the coefficient), p_name and p_name_without (jackknife over the remaining persons), decides (whether the
    decision at 1 - level changes; never for intercepts), status (as in `analyse`; numbers are missing unless "ok").
    """
    parts = [
        part for subset in fitted_subsets(table, factors, **options) for part in _without_each(subset, alpha=1 - level)
    ]
    return pd.concat(parts, ignore_index=True)


def _without_each(subset: Subset, *, alpha: float) -> Iterator[pd.DataFrame]:
    fit, n_persons, k = subset.fit, len(subset.persons), len(subset.fit.params)
    name = name_level(fit, subset.scores.open, subset.cell, subset.model, subset.person)
    refits = _Refits(name.jackknife, np.full((n_persons, k), np.nan), np.full((n_persons, k, k), np.nan))
    if name.status == "ok":
        n_cells = len(subset.design.cells)
        sums = person_sums(subset.scores.open, subset.cell, subset.person, n_persons, n_cells)
        refits = _Refits(
            jackknife=name.jackknife,
            left_out=leave_one_out(sums, subset.model, fit).params[:, :k],
            jackknives=np.stack([_jackknife_without(sums, subset, person) for person in range(n_persons)]),
        )
    status = fit.status if fit.status != "ok" else name.status
    for coding in (treatment_coding(subset.design), deviation_coding(subset.design)):
        yield _coding_rows(subset, coding, refits, alpha).assign(status=status)


def _jackknife_without(sums: CellSums, subset: Subset, person: int) -> Array:
    """CV3 (k, k) over the persons but one; NaN where a refit without two persons has no answer."""
    k, kept = len(subset.fit.params), np.arange(len(sums.n)) != person
    rest = CellSums(sums.n[kept], sums.log_y[kept], sums.log_1my[kept], sums.center)
    twice = leave_one_out(rest, subset.model, subset.fit)
    if not twice.converged.all():
        return np.full((k, k), np.nan)
    once = newton(rest.total(), subset.model, subset.fit.estimates)
    return cv3(twice.params, once.params)[:k, :k]


def _coding_rows(subset: Subset, coding: Coding, refits: _Refits, alpha: float) -> pd.DataFrame:
    rows, n_persons, n_terms = coding.coefficients(subset.design), len(subset.persons), len(coding.terms)
    without, own = refits.left_out @ rows.T, rows @ subset.fit.params  # (G, R), (R,)
    effect = coding.contrasts @ expit(subset.design.matrix @ subset.fit.params)
    effect_without = expit(refits.left_out @ subset.design.matrix.T) @ coding.contrasts.T
    error = np.sqrt(np.einsum("ri,ij,rj->r", rows, refits.jackknife, rows))
    error_without = np.sqrt(np.einsum("ri,gij,rj->gr", rows, refits.jackknives, rows))
    p, p_without = p_value(own, error, n_persons - 1), p_value(without, error_without, n_persons - 2)
    shift = (without - own) / error
    frame = pd.DataFrame(
        {
            "eec": subset.eec,
            "subset": subset.name,
            "coding": coding.name,
            "term": np.repeat([term.label for term in coding.terms], n_persons),
            "person": np.tile(subset.persons, n_terms),
            "group": np.tile(_group_of(subset), n_terms),
            "coefficient": np.repeat(own, n_persons),
            "coefficient_without": without.T.reshape(-1),
            "effect_response": np.repeat(effect, n_persons),
            "effect_without": effect_without.T.reshape(-1),
            "shift": shift.T.reshape(-1),
            "p_name": np.repeat(p, n_persons),
            "p_name_without": p_without.T.reshape(-1),
        }
    )
    told = frame[["p_name", "p_name_without"]].notna().all(axis=1) & (frame["term"] != "Intercept")
    frame["decides"] = told & ((frame["p_name"] < alpha) != (frame["p_name_without"] < alpha))
    order = np.lexsort([-frame["shift"].abs().fillna(0), np.repeat(np.arange(n_terms), n_persons)])
    return frame.iloc[order]


def _group_of(subset: Subset) -> list[str]:
    """The group of each person; several, where a person is in more than one."""
    cells = pd.Series(subset.cell).groupby(subset.person).unique()
    return [" / ".join(subset.design.cell_name(int(c)) for c in sorted(cells[g])) for g in range(len(subset.persons))]
