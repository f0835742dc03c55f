"""Beta regression by maximum likelihood: statsmodels' BetaModel, checked and finished exactly.

Model (Ferrari & Cribari-Neto 2004): y ~ Beta(mu phi, (1 - mu) phi), logit(mu) = X beta, log(phi) constant, or
log(phi) = Z gamma where the precision may differ between groups (Smithson & Verkuilen 2006).
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import expit, logit

from bias_lab.errors import DataError
from bias_lab.stats.likelihood import CellDesign, newton, sum_cells
from bias_lab.stats.optimisers import statsmodels_start

Array = np.ndarray
Status = Literal["ok", "degenerate", "invariant", "rank_deficient", "not_converged", "saturated"]

# Scores that differ by less than this do not differ. Models compute in float32: sentences that are the same to one can
# get scores some 1e-7 apart, by the order of sums in their batches; no real difference between people is so small.
NO_SPREAD = 1e-6
# Above so many rows the exact steps start from the moments: BetaModel would take seconds and change nothing.
_BETA_MODEL_UP_TO = 20_000


@dataclass(frozen=True, eq=False)
class BetaFit:
    """A maximum-likelihood fit; where status is not "ok" every number but the counts is NaN."""

    params: Array  # (k,) coefficients on the logit scale
    precision_params: Array  # (q,) coefficients of log phi
    std_errors: Array  # (k,) from the observed information
    covariance: Array  # (k + q, k + q) of both: inverse observed information
    log_phi: float  # log precision; where it differs between groups, its mean over the groups
    loglik: float  # log-likelihood, constants included
    n_rows: int
    status: Status
    message: str  # empty, or what happened and why
    path: tuple[str, ...]  # what was tried, in order, such as ("newton", "exact")

    @property
    def phi(self) -> float:
        """Precision: the variance of y is mu (1 - mu) / (1 + phi)."""
        return float(np.exp(self.log_phi))

    @property
    def estimates(self) -> Array:
        """All estimated parameters (k + q,), as the likelihood takes them."""
        return np.append(self.params, self.precision_params)

    @property
    def df_resid(self) -> int:
        """Rows less all estimated parameters, those of the precision among them (as BetaModel.df_resid)."""
        return self.n_rows - len(self.covariance)


def no_fit(n: int, k: int, status: Status, message: str, path: tuple[str, ...] = (), *, q: int = 1) -> BetaFit:
    """Give a named outcome in place of numbers, for n rows, k coefficients and q of the precision."""
    nan = float("nan")
    nothing, square = np.full(k, nan), np.full((k + q, k + q), nan)
    return BetaFit(nothing, np.full(q, nan), nothing, square, nan, nan, n, status, message, path)


def fit_beta(y: Array, design: Array, precision: Array | None = None) -> BetaFit:
    """Fit a Beta regression with logit mean and constant precision, or precision by a design of its own.

    y: (n,) scores strictly between 0 and 1, taken as float64. design: (n, k), intercept included where
    wanted. precision: (n, q) design of log phi, a column of ones by default. Returns a BetaFit; input without
    an answer comes back with its status ("rank_deficient", "saturated", "degenerate", "not_converged").
    Raises DataError for shapes that do not match and for values that are missing or outside the open interval
    (BetaModel has bare assertions there, which `python -O` strips).

    The optimiser's own `converged` flag is never read: it is true on all-NaN results and false on right ones.
    A result counts when it is finite and at a maximum (tiny score, positive definite information).
    """
    y, design, precision = _checked(y, design, np.ones((len(y), 1)) if precision is None else precision)
    cells, cell = np.unique(np.column_stack([design, precision]), axis=0, return_inverse=True)
    k = design.shape[1]
    return fit_cells(y, cell.reshape(-1), CellDesign(cells[:, :k], cells[:, k:]))


def fit_cells(y: Array, cell: Array, model: CellDesign) -> BetaFit:
    """Fit scores (n,) in (0, 1) whose design rows are those of `model` at their cell (n,) int; see `fit_beta`.

    Cells may be empty. The cost beyond one pass over the scores is that of the cells.
    """
    (k, q), n = (model.mean.shape[1], model.precision.shape[1]), len(y)
    sums = sum_cells(y, cell, len(model.mean))
    if (refused := _refusal(y, cell, model, sums.n)) is not None:
        return no_fit(n, k, *refused, q=q)
    start = moment_start(y, cell, model)
    found, path = statsmodels_start(y, cell, sums, model, start) if n <= _BETA_MODEL_UP_TO else (start, ())
    # The exact steps make the result independent of which optimiser came how close, and reach what float64
    # allows: statsmodels sums plain lgamma terms, which at phi = 5e5 leaves 2e-6 on the log-likelihood.
    path = (*path, "exact")
    result = newton(sums, model, found)
    if not result.converged:
        message = "no finite maximum of the likelihood was found, tried: " + ", ".join(path)
        return no_fit(n, k, "not_converged", message, path, q=q)
    covariance = np.linalg.inv(result.at.observed)
    return BetaFit(
        params=result.params[:k],
        precision_params=result.params[k:],
        std_errors=np.sqrt(np.diagonal(covariance)[:k]),
        covariance=covariance,
        log_phi=float(np.mean(model.precision[sums.n > 0] @ result.params[k:])),
        loglik=float(result.at.loglik),
        n_rows=n,
        status="ok",
        message="",
        path=path,
    )


def _refusal(y: Array, cell: Array, model: CellDesign, counts: Array) -> tuple[Status, str] | None:
    """The outcome of input that has no answer, known before any fit; None where there may be one."""
    used = counts > 0
    for design, what in ((model.mean, "design"), (model.precision, "precision's design")):
        if (rank := int(np.linalg.matrix_rank(design[used]))) < (k := design.shape[1]):
            return "rank_deficient", f"the {what} has {k} columns but rank {rank}"
    if len(y) < (wanted := model.mean.shape[1] + model.precision.shape[1]) + 1:
        return "saturated", f"{len(y)} rows for {wanted} parameters leave no spread to judge them by"
    residual = y - _least_squares(y, cell, model.mean, counts)[cell]
    if np.ptp(residual) < NO_SPREAD:
        return "degenerate", f"scores do not vary within cells (by less than {NO_SPREAD:g})"
    groups, group = np.unique(model.precision, axis=0, return_inverse=True)
    if len(groups) > 1 and model.precision.shape[1] > 1:
        low, high = np.full(len(groups), np.inf), np.full(len(groups), -np.inf)
        np.minimum.at(low, group.reshape(-1)[cell], residual)
        np.maximum.at(high, group.reshape(-1)[cell], residual)
        if (high - low)[np.isfinite(low)].min() < NO_SPREAD:
            return "degenerate", f"scores of a group do not vary (by less than {NO_SPREAD:g}): it has no precision"
    return None


def _least_squares(values: Array, cell: Array, design: Array, counts: Array) -> Array:
    """Least-squares fit of values (n,) on the design, at every cell (C,)."""
    sums = np.bincount(cell, weights=values, minlength=len(counts))
    means = np.divide(sums, counts, out=np.zeros(len(counts)), where=counts > 0)
    weight = np.sqrt(counts)
    return design @ np.linalg.lstsq(design * weight[:, None], means * weight, rcond=None)[0]


def moment_start(y: Array, cell: Array, model: CellDesign) -> Array:
    """Start (k + q,) at cell logits and log(mean(mu (1 - mu)) / var - 1).

    BetaModel's own start fails (Newton from it: all NaN) for phi <= .5, phi >= 1e6 and means near 0 or 1.
    """
    counts = np.bincount(cell, minlength=len(model.mean)).astype(np.float64)
    used, weight = counts > 0, np.sqrt(counts)
    means = np.bincount(cell, weights=y, minlength=len(counts))[used] / counts[used]
    weighted = model.mean[used] * weight[used, None]
    coefficients = np.linalg.lstsq(weighted, logit(means) * weight[used], rcond=None)[0]
    mu = expit(model.mean @ coefficients)[cell]
    phi = max(np.mean(mu * (1 - mu)) / np.mean((y - mu) ** 2) - 1, 1e-3)
    level = np.full(int(used.sum()), np.log(phi))
    return np.append(coefficients, np.linalg.lstsq(model.precision[used], level, rcond=None)[0])


def _checked(y: Array, design: Array, precision: Array) -> tuple[Array, Array, Array]:
    """All as float64, or a DataError that says what is wrong and where."""
    y, design, precision = (np.asarray(values, dtype=np.float64) for values in (y, design, precision))
    for matrix, name in ((design, "design"), (precision, "precision")):
        if y.ndim != 1 or matrix.ndim != 2 or len(y) != len(matrix) or not matrix.size:  # noqa: PLR2004
            raise DataError(f"fit_beta: y must be (n,) and {name} (n, k); got {y.shape} and {matrix.shape}")
        if not np.isfinite(matrix).all():
            raise DataError(f"fit_beta: the {name} has missing or infinite values")
    outside = np.flatnonzero(~((y > 0) & (y < 1)))
    if len(outside):
        first = ", ".join(f"row {i}: {y[i]:g}" for i in outside[:5])
        raise DataError(
            f"fit_beta: {len(outside)} scores are missing or not strictly between 0 and 1 ({first}); "
            "clip and squeeze them first"
        )
    return y, design, precision
