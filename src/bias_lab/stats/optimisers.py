"""BetaModel's optimisers, asked for a starting point and never believed."""

import warnings

import numpy as np

from bias_lab.stats.likelihood import CellDesign, CellSums, derivatives, is_maximum

Array = np.ndarray

# statsmodels' answer is taken as a starting point for the exact steps when it is this close (squared distance
# to the maximum, in standard errors); else the next optimiser is asked.
_CLOSE = 1.0


def statsmodels_start(
    y: Array, cell: Array, sums: CellSums, model: CellDesign, start: Array
) -> tuple[Array, tuple[str, ...]]:
    """BetaModel's estimate (k + q,) by Newton, else by BFGS, else `start`; and the list of what was tried."""
    tried: tuple[str, ...] = ()
    for method in ("newton", "bfgs"):
        params = fit_statsmodels(y, model.mean[cell], model.precision[cell], start, method)
        if _is_close(sums, model, params):
            return params, (*tried, method)
        tried = (*tried, f"{method} (rejected)")
    return start, tried


def fit_statsmodels(y: Array, design: Array, precision: Array, start: Array, method: str) -> Array:
    """BetaModel's parameters (k + q,) with one optimiser; all NaN where it raised. Not checked."""
    from statsmodels.othermod.betareg import BetaModel
    from statsmodels.tools.sm_exceptions import ConvergenceWarning, HessianInversionWarning

    # Its default column of ones for the precision is float32, so it is always given one.
    model = BetaModel(y, design, exog_precision=precision)
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
