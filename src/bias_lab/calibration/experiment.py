"""The shuffled-names experiment: labels of one factor dealt anew over the persons, and every test asked again.

The labels move only between persons who are alike in all other factors, so that race shuffled over the names of a
gender leaves the effect of gender as it was and none of race or race:gender. What still rejects is a false finding.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from bias_lab.calibration.refits import Placement, Refits, place, refit
from bias_lab.files import digest_of
from bias_lab.stats.beta import BetaFit
from bias_lab.stats.coding import Coding, deviation_coding, treatment_coding
from bias_lab.stats.columns import p_value
from bias_lab.stats.design import Design, FactorLike
from bias_lab.stats.likelihood import CellSums
from bias_lab.stats.name_level import name_level
from bias_lab.stats.permutation import permutation_p
from bias_lab.stats.regression import BetaRegression
from bias_lab.stats.subset import Subset, fitted_subsets

Array = np.ndarray
METHODS = ("p_iid", "p_cr1", "p_name", "p_perm")
PERMUTATIONS = 200  # of 201 p-values j / 201, ten lie below .05: 4.98 %
_CHUNK = 4_000_000  # numbers held for one block of shuffles


@dataclass(frozen=True, eq=False)
class Rejections:
    """One table and factor: the p-values of its shuffles; where the status is not ok, there is nothing to shuffle."""

    eec: str
    subset: str
    shuffled: str  # the factor whose labels were dealt
    rows: tuple[tuple[str, str, str], ...]  # R (coding, term, factors of the term)
    p: dict[str, Array]  # by method (shuffles, R), missing where a refit has no answer
    status: str
    message: str


def shuffled_names(
    table: pd.DataFrame,
    factors: Sequence[FactorLike],
    *,
    shuffles: int = 1000,
    seed: int = 0,
    stream: str = "",
    permutations: int = PERMUTATIONS,
    regression: BetaRegression | None = None,
) -> Iterator[Rejections]:
    """Analyse a long table with each factor's labels shuffled over the persons, names and noun phrases apart.

    table, factors: as for `analyse`. seed, stream: of the shuffles; tables whose rates are to be pooled need streams
    of their own, such as the run's label. permutations: deals for the permutation p of *each* shuffle, 0 for none.
    regression: whose interactions and precision the fits have. Every p is what `analyse` would give for the table
    with the shuffled labels.
    """
    regression = regression or BetaRegression()
    subsets = fitted_subsets(table, factors, interactions=regression.interactions, precision=regression.precision)
    for subset in subsets:
        status, message = _trouble(subset)
        for index, factor in enumerate(subset.design.factors):
            placement = place(subset, index) if status == "ok" else None
            if placement is None:
                why = (status, message) if status != "ok" else ("not_shuffled", f"no persons may swap their {factor}")
                yield Rejections(subset.eec, subset.name, factor, (), {}, *why)
                continue
            rng = np.random.default_rng([seed, _number(stream, subset.eec, subset.name, factor)])
            labels, codings = placement.shuffled(shuffles, rng), _with_factor(subset.design, factor)
            rows = tuple((c.name, term.label, ":".join(term.factors)) for c in codings for term in c.terms)
            p = shuffled_p(subset, placement, labels, codings, permutations=permutations, seed=seed)
            yield Rejections(subset.eec, subset.name, factor, rows, p, "ok", "")


def _trouble(subset: Subset) -> tuple[str, str]:
    """Why there is no test by names, or ("ok", "")."""
    if subset.fit.status != "ok":
        return subset.fit.status, subset.fit.message
    name = name_level(subset.fit, subset.scores.open, subset.cell, subset.model, subset.person)
    return name.status, name.message


def shuffled_p(
    subset: Subset, placement: Placement, labels: Array, codings: Sequence[Coding], *, permutations: int, seed: int
) -> dict[str, Array]:
    """p-values (B, R) by method for labels (B, G); the permutations of shuffle b have the seed `seed` + b."""
    rows = np.vstack([coding.coefficients(subset.design) for coding in codings])
    n_persons, n_params = len(subset.persons), len(subset.fit.estimates)
    size = max(1, _CHUNK // (n_persons * (len(subset.design.cells) + n_params**2)))
    blocks = []
    for start in range(0, len(labels), size):
        sums = placement.sums(labels[start : start + size])
        found = refit(sums, subset.model, subset.fit.estimates)
        p = _p_values(found, rows, df=(subset.fit.df_resid, n_persons - 1))
        p["p_perm"] = np.full_like(p["p_iid"], np.nan)
        for b in np.flatnonzero(found.converged).tolist() if permutations else ():
            one = CellSums(sums.n[b], sums.log_y[b], sums.log_1my[b], sums.center)
            fit = _as_fit(subset.fit, found, b)
            deal_seed = seed + start + b
            values, _ = permutation_p(
                fit, one, subset.design, subset.model, codings, permutations=permutations, seed=deal_seed
            )
            p["p_perm"][b] = np.concatenate(values)
        blocks.append(p)
    return {method: np.concatenate([block[method] for block in blocks]) for method in METHODS}


def _p_values(found: Refits, rows: Array, *, df: tuple[int, int]) -> dict[str, Array]:
    k = rows.shape[1]
    value = found.params[:, :k] @ rows.T
    covariances = {"p_iid": (found.iid, df[0]), "p_cr1": (found.cr1, df[1]), "p_name": (found.cv3, df[1])}
    p = {}
    for method, (covariance, freedom) in covariances.items():
        variance = np.einsum("ri,bij,rj->br", rows, covariance[:, :k, :k], rows)
        p[method] = p_value(value, np.sqrt(np.where(variance > 0, variance, np.nan)), freedom)
    return p


def _as_fit(fit: BetaFit, found: Refits, b: int) -> BetaFit:
    k = len(fit.params)
    return replace(fit, params=found.params[b, :k], precision_params=found.params[b, k:], covariance=found.iid[b])


def _with_factor(design: Design, factor: str) -> tuple[Coding, ...]:
    """Both codings with only the terms that have the factor, which the shuffle makes null."""
    kept = []
    for coding in (treatment_coding(design), deviation_coding(design)):
        mine = [i for i, term in enumerate(coding.terms) if factor in term.factors]
        terms, conditions = tuple(coding.terms[i] for i in mine), tuple(coding.conditions[i] for i in mine)
        exchanged = tuple(coding.exchanged[i] for i in mine)
        kept.append(Coding(coding.name, terms, conditions, coding.contrasts[mine], exchanged))
    return tuple(kept)


def _number(*parts: str) -> int:
    """A whole number that stands for texts, the same in every process."""
    return int(digest_of(list(parts))[:8], 16)
