"""Beta regression by maximum likelihood: statsmodels' BetaModel, checked and finished exactly.

Model (Ferrari & Cribari-Neto 2004): y ~ Beta(mu phi, (1 - mu) phi), logit(mu) = X beta, log(phi) constant.
"""

import warnings
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import expit, logit

from bias_lab.errors import DataError
from bias_lab.stats.likelihood import CellDesign, CellSums, derivatives, is_maximum, newton, sum_cells

Array = np.ndarray
Status = Literal["ok", "degenerate", "invariant", "rank_deficient", "not_converged", "saturated"]

# Scores that differ by less than this do not differ: it is far above float64 rounding and far below any real
# difference between predictions.
NO_SPREAD = 1e-9
# statsmodels' answer is taken as a starting point for the exact steps when it is this close (squared distance
# to the maximum, in standard errors); else the next optimiser is asked.
_CLOSE = 1.0


@dataclass(frozen=True, eq=False)
class BetaFit:
    """A maximum-likelihood fit; where status is not "ok" every number but the counts is NaN."""

    params: Array  # (k,) coefficients on the logit scale
    std_errors: Array  # (k,) from the observed information
    covariance: Array  # (k + 1, k + 1) of (coefficients, log phi): inverse observed information
    log_phi: float  # log precision
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
    def df_resid(self) -> int:
        """Rows less all estimated parameters, the precision among them (as BetaModel.df_resid)."""
        return self.n_rows - len(self.params) - 1


def no_fit(n: int, k: int, status: Status, message: str, path: tuple[str, ...] = ()) -> BetaFit:
    """Give a named outcome in place of numbers, for n rows and k coefficients."""
    nan = float("nan")
    nothing, square = np.full(k, nan), np.full((k + 1, k + 1), nan)
    return BetaFit(nothing, nothing, square, nan, nan, n, status, message, path)


def fit_beta(y: Array, design: Array) -> BetaFit:
    """Fit a Beta regression with logit mean and constant precision.

    y: (n,) scores strictly between 0 and 1, taken as float64. design: (n, k), intercept included where
    wanted. Returns a BetaFit; input without an answer comes back with its status ("rank_deficient",
    "saturated", "degenerate", "not_converged"). Raises DataError for shapes that do not match and for
    values that are missing or outside the open interval (BetaModel has bare assertions there, which
    `python -O` strips).

    The optimiser's own `converged` flag is never read: it is true on all-NaN results and false on right ones.
    A result counts when it is finite and at a maximum (tiny score, positive definite information).
    """
    y, design = _checked(y, design)
    n, k = design.shape
    cells, cell = np.unique(design, axis=0, return_inverse=True)
    cell = cell.reshape(-1)
    if refused := _refusal(y, design, cells):
        return refused
    sums, model = sum_cells(y, cell, len(cells)), CellDesign.constant_precision(cells)
    start = moment_start(y, cell, cells)
    found, path = _statsmodels_start(y, design, sums, model, start)
    # The exact steps make the result independent of which optimiser came how close, and reach what float64
    # allows: statsmodels sums plain lgamma terms, which at phi = 5e5 leaves 2e-6 on the log-likelihood.
    result = newton(sums, model, found)
    if not result.converged:
        message = "no finite maximum of the likelihood was found, tried: " + ", ".join((*path, "exact"))
        return no_fit(n, k, "not_converged", message, (*path, "exact"))
    covariance = np.linalg.inv(result.at.observed)
    return BetaFit(
        params=result.params[:k],
        std_errors=np.sqrt(np.diagonal(covariance)[:k]),
        covariance=covariance,
        log_phi=float(result.params[k]),
        loglik=float(result.at.loglik),
        n_rows=n,
        status="ok",
        message="",
        path=(*path, "exact"),
    )


def _refusal(y: Array, design: Array, cells: Array) -> BetaFit | None:
    """The outcome of input that has no answer, known before any fit; None where there may be one."""
    n, k = design.shape
    if (rank := int(np.linalg.matrix_rank(cells))) < k:
        return no_fit(n, k, "rank_deficient", f"the design has {k} columns but rank {rank}")
    if n < k + 2:
        return no_fit(n, k, "saturated", f"{n} rows for {k + 1} parameters leave no spread to judge them by")
    residual = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    if np.ptp(residual) < NO_SPREAD:
        return no_fit(n, k, "degenerate", f"scores do not vary within cells (by less than {NO_SPREAD:g})")
    return None


def moment_start(y: Array, cell: Array, cells: Array) -> Array:
    """Start at cell logits and log(mean(mu (1 - mu)) / var - 1).

    y: (n,); cell: (n,) int; cells: (C, k) design rows. Returns (k + 1,).
    BetaModel's own start fails (Newton from it: all NaN) for phi <= .5, phi >= 1e6 and means near 0 or 1.
    """
    counts = np.bincount(cell, minlength=len(cells)).astype(np.float64)
    means = np.bincount(cell, weights=y, minlength=len(cells)) / counts
    weight = np.sqrt(counts)
    coefficients = np.linalg.lstsq(cells * weight[:, None], logit(means) * weight, rcond=None)[0]
    mu = expit(cells @ coefficients)[cell]
    phi = np.mean(mu * (1 - mu)) / np.mean((y - mu) ** 2) - 1
    return np.append(coefficients, np.log(max(phi, 1e-3)))


def _checked(y: Array, design: Array) -> tuple[Array, Array]:
    """Both as float64, or a DataError that says what is wrong and where."""
    y, design = np.asarray(y, dtype=np.float64), np.asarray(design, dtype=np.float64)
    if y.ndim != 1 or design.ndim != 2 or len(y) != len(design) or not design.size:  # noqa: PLR2004
        raise DataError(f"fit_beta: y must be (n,) and design (n, k); got {y.shape} and {design.shape}")
    outside = np.flatnonzero(~((y > 0) & (y < 1)))
    if len(outside):
        first = ", ".join(f"row {i}: {y[i]:g}" for i in outside[:5])
        raise DataError(
            f"fit_beta: {len(outside)} scores are missing or not strictly between 0 and 1 ({first}); "
            "clip and squeeze them first"
        )
    if not np.isfinite(design).all():
        raise DataError("fit_beta: the design has missing or infinite values")
    return y, design


def _statsmodels_start(
    y: Array, design: Array, sums: CellSums, model: CellDesign, start: Array
) -> tuple[Array, tuple[str, ...]]:
    """BetaModel's estimate (k + 1,) by Newton, else by BFGS, else `start`; and the list of what was tried."""
    tried: tuple[str, ...] = ()
    for method in ("newton", "bfgs"):
        params = fit_statsmodels(y, design, start, method)
        if _is_close(sums, model, params):
            return params, (*tried, method)
        tried = (*tried, f"{method} (rejected)")
    return start, tried


def fit_statsmodels(y: Array, design: Array, start: Array, method: str) -> Array:
    """BetaModel's parameters (k + 1,) with one optimiser; all NaN where it raised. Not checked."""
    from statsmodels.othermod.betareg import BetaModel
    from statsmodels.tools.sm_exceptions import ConvergenceWarning, HessianInversionWarning

    # Its default column of ones for the precision is float32.
    model = BetaModel(y, design, exog_precision=np.ones((len(y), 1), dtype=np.float64))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        # What these warn of is judged afterwards on the result itself, better than by the flags behind them.
        for category in (ConvergenceWarning, HessianInversionWarning, RuntimeWarning):
            warnings.simplefilter("ignore", category)
        try:
            found = model.fit(start_params=start, method=method, disp=False, skip_hessian=True)
        except (np.linalg.LinAlgError, ValueError):  # a singular Hessian or non-finite values on the way
            return np.full(len(start), np.nan)
    return np.asarray(found.params, dtype=np.float64)


def _is_close(sums: CellSums, model: CellDesign, params: Array) -> bool:
    """Whether params are finite, at a hill of the likelihood and within a standard error of its top."""
    if not np.isfinite(params).all():
        return False
    at = derivatives(sums, model, params)
    if not is_maximum(at.observed):
        return False
    return float(at.score @ np.linalg.solve(at.observed, at.score)) < _CLOSE
