"""Uncertainty at the level of the person: many sentences, but few names, and race varies only between names.

Treating sentences as independent finds "bias" where there is none in far more cases than the nominal level;
both estimators here take the person as the independent unit.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from bias_lab.stats.beta import BetaFit
from bias_lab.stats.likelihood import (
    CellDesign,
    CellSums,
    NewtonResult,
    cell_centers,
    derivatives,
    newton,
    sum_cells,
)

Array = np.ndarray
NameStatus = Literal["ok", "no_fit", "too_few_persons", "not_converged"]


@dataclass(frozen=True, eq=False)
class NameLevel:
    """Covariances of the k coefficients by person, for t(G - 1); NaN where status is not "ok"."""

    jackknife: Array  # (k, k) CV3
    cluster_robust: Array  # (k, k) CR1
    n_persons: int
    status: NameStatus
    message: str

    @property
    def df(self) -> int:
        """Degrees of freedom of the t distribution, G - 1."""
        return self.n_persons - 1


def name_level(fit: BetaFit, y: Array, cell: Array, model: CellDesign, person: Array) -> NameLevel:
    """Leave-one-person-out and cluster-robust covariance of a fit; "no_fit" where its status is not "ok".

    y: (n,) the scores fitted. cell: (n,) int row of `model`. person: (n,) int codes 0 .. G - 1, all used.
    Persons may sit in several cells and have unequal numbers of rows. Where the model cannot be estimated
    without some person (who is alone in a cell, say), nothing tells the spread of persons there:
    "too_few_persons".
    """
    n_persons, n_cells = int(person.max()) + 1, len(model.mean)
    k = model.mean.shape[1]
    if fit.status != "ok":
        return _none(k, n_persons, "no_fit", "")
    by_person = person_sums(y, cell, person, n_persons, n_cells)
    if needed := _indispensable(by_person.n, model):
        return _none(k, n_persons, "too_few_persons", needed)
    left_out = leave_one_out(by_person, model, fit)
    if not left_out.converged.all():
        failed = int((~left_out.converged).sum())
        return _none(k, n_persons, "not_converged", f"{failed} of {n_persons} leave-one-person-out fits failed")
    return NameLevel(
        jackknife=cv3(left_out.params, fit.estimates)[:k, :k],
        cluster_robust=cr1(derivatives(by_person, model, fit.estimates).score, fit.covariance, len(y))[:k, :k],
        n_persons=n_persons,
        status="ok",
        message="",
    )


def leave_one_out(by_person: CellSums, model: CellDesign, fit: BetaFit) -> NewtonResult:
    """Refit without each person in turn: estimates (G, k + q), from sums by person (G, C)."""
    return newton(by_person.total().without(by_person), model, fit.estimates)


def _indispensable(counts: Array, model: CellDesign) -> str:
    """What cannot be estimated without one of the persons, from their rows by cell (G, C); empty if nothing."""
    if len(counts) < 2:  # noqa: PLR2004
        return "there is one person only"
    held = counts.sum(axis=0) > 0
    alone = held & ((counts > 0).sum(axis=0) < 2)  # noqa: PLR2004
    for person in np.flatnonzero((counts[:, alone] > 0).any(axis=1)):
        kept = counts.sum(axis=0) - counts[person] > 0
        if any(np.linalg.matrix_rank(x[kept]) < x.shape[1] for x in (model.mean, model.precision)):
            return f"{alone.sum()} of {held.sum()} cells have a single person"
    return ""


def person_sums(
    y: Array, cell: Array, person: Array, n_persons: int, n_cells: int, *, center: Array | None = None
) -> CellSums:
    """Cell sums of each person, arrays of shape (G, C); `center` (C,) as in `sum_cells`."""
    center = cell_centers(y, cell, n_cells) if center is None else center
    shape = (n_persons, n_cells)
    flat = sum_cells(y, person * n_cells + cell, n_persons * n_cells, center=np.tile(center, n_persons))
    return CellSums(flat.n.reshape(shape), flat.log_y.reshape(shape), flat.log_1my.reshape(shape), center)


def cv3(left_out: Array, full: Array) -> Array:
    """Jackknife covariance (p, p) from estimates without each cluster (G, p), around the full estimate (p,).

    CV3 = (G - 1) / G * sum_g (b_g - b)(b_g - b)' (MacKinnon, Nielsen & Webb 2023, J. Applied Econometrics 38:
    671-694, there for least squares); for a non-linear model the refits are the definition.
    """
    n_clusters, deviation = len(left_out), left_out - full
    return (n_clusters - 1) / n_clusters * deviation.T @ deviation


def cr1(scores: Array, covariance: Array, n_rows: int) -> Array:
    """Cluster-robust covariance (p, p) from cluster score sums (G, p) and inverse information (p, p).

    The sandwich times G / (G - 1) * (n - 1) / (n - p), p counting the precision too: Liang & Zeger 1986
    with the small-sample factor of Stata and statsmodels (whose BetaModel gives the same, but judges it by
    the normal).
    """
    n_clusters, n_params = scores.shape
    factor = n_clusters / (n_clusters - 1) * (n_rows - 1) / (n_rows - n_params)
    return factor * covariance @ (scores.T @ scores) @ covariance


def _none(k: int, n_persons: int, status: NameStatus, message: str) -> NameLevel:
    nothing = np.full((k, k), np.nan)
    return NameLevel(nothing, nothing, n_persons, status, f"name level: {message}" if message else "")
