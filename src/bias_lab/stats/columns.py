"""The columns of the table of coefficients; each function gives some of them, one value a row of a coding."""

import numpy as np
from scipy import stats
from scipy.special import expit

from bias_lab.stats.beta import BetaFit
from bias_lab.stats.coding import Coding
from bias_lab.stats.design import Design
from bias_lab.stats.fractional import FractionalFit
from bias_lab.stats.name_level import NameLevel
from bias_lab.stats.power import equivalence_p, minimum_detectable

Array = np.ndarray


def term_columns(design: Design, coding: Coding) -> dict[str, object]:
    """What the row is about."""
    return {
        "formula": design.formula,
        "coding": coding.name,
        "term": [term.label for term in coding.terms],
        "factors": [":".join(term.factors) for term in coding.terms],
        "levels": [":".join(term.levels) for term in coding.terms],
        "references": [":".join(term.references) for term in coding.terms],
        "condition": list(coding.conditions),
    }


def iid_columns(fit: BetaFit, rows: Array, level: float) -> dict[str, Array]:
    """Coefficients and the published test: sentences taken as independent, two-sided t(n - k - 1)."""
    value, error = rows @ fit.params, _errors(rows, fit.covariance[: rows.shape[1], : rows.shape[1]])
    low, high = interval(value, error, fit.df_resid, level)
    return {
        "coefficient": value,
        "std_error_iid": error,
        "statistic_iid": value / error,
        "p_iid": p_value(value, error, fit.df_resid),
        "ci_low": low,
        "ci_high": high,
    }


def name_columns(fit: BetaFit, name: NameLevel, rows: Array, level: float) -> dict[str, Array]:
    """The test at the level of the person, t(G - 1)."""
    value, error, error_cr1 = rows @ fit.params, _errors(rows, name.jackknife), _errors(rows, name.cluster_robust)
    iid = _errors(rows, fit.covariance[: rows.shape[1], : rows.shape[1]])
    low, high = interval(value, error, name.df, level)
    return {
        "std_error_name": error,
        "statistic_name": value / error,
        "p_name": p_value(value, error, name.df),
        "ci_name_low": low,
        "ci_name_high": high,
        "std_error_cr1": error_cr1,
        "p_cr1": p_value(value, error_cr1, name.df),
        "design_effect": (error / iid) ** 2,
    }


def effect_columns(
    design: Design,
    coding: Coding,
    fit: BetaFit,
    name: NameLevel,
    *,
    level: float,
    power: float,
    smallest_effect: float | None,
) -> dict[str, Array]:
    """The rows as contrasts of fitted cell means: intervals by the delta method, tests against 0 and +/- bound."""
    k = len(fit.params)
    mu = expit(design.matrix @ fit.params)
    effect = coding.contrasts @ mu
    slopes = coding.contrasts @ ((mu * (1 - mu))[:, None] * design.matrix)  # (R, k) d effect / d coefficient
    iid, error = _errors(slopes, fit.covariance[:k, :k]), _errors(slopes, name.jackknife)
    low, high = interval(effect, iid, fit.df_resid, level)
    name_low, name_high = interval(effect, error, name.df, level)
    # The intercept is a mean score: there is nothing to detect and nothing to be close to.
    is_effect = np.array([bool(term.factors) for term in coding.terms])
    tests = {
        "p_effect_name": p_value(effect, error, name.df),
        "mde_response": minimum_detectable(error, name.df, 1 - level, power),
        "p_equivalence": equivalence_p(effect, error, name.df, smallest_effect),
    }
    return {
        "effect_response": effect,
        "effect_ci_low": low,
        "effect_ci_high": high,
        "effect_ci_name_low": name_low,
        "effect_ci_name_high": name_high,
        "std_error_effect_name": error,
        **{column: np.where(is_effect, values, np.nan) for column, values in tests.items()},
    }


def contrast_of_means(contrasts: Array, y: Array, cell: Array) -> Array:
    """Contrasts (R, C) of the plain cell means of y (n,); NaN where such a cell has no rows."""
    counts = np.bincount(cell, minlength=contrasts.shape[1])
    sums = np.bincount(cell, weights=y, minlength=contrasts.shape[1])
    means = np.divide(sums, counts, out=np.full(len(counts), np.nan), where=counts > 0)
    return np.where(contrasts != 0, contrasts * means, 0.0).sum(axis=1)


def fractional_columns(rows: Array, found: FractionalFit | None) -> dict[str, Array]:
    """The fractional logit, which needs no squeezing; all NaN where there was nothing to squeeze."""
    if found is None:
        nothing = np.full(len(rows), np.nan)
        return {"coefficient_fractional": nothing, "p_fractional": nothing}
    value = rows @ found.params
    return {
        "coefficient_fractional": value,
        "p_fractional": p_value(value, _errors(rows, found.covariance), found.df),
    }


def disagreement(p_beta: float, p_fractional: float, level: float) -> str:
    """Say so where the Beta fit and the fractional logit, both by CR1, decide differently at 1 - level."""
    alpha = 1 - level
    if np.isnan(p_beta) or np.isnan(p_fractional) or (p_beta < alpha) == (p_fractional < alpha):
        return ""
    return (
        f"scores at 0 or 1 matter: by CR1, p = {p_beta:.3g} with all scores squeezed (Beta) and "
        f"{p_fractional:.3g} without squeezing (fractional logit)"
    )


def p_value(value: Array, error: Array, df: int) -> Array:
    """Two-sided p of value / error under t(df)."""
    return 2 * stats.t.sf(np.abs(value / error), df)


def interval(value: Array, error: Array, df: int, level: float) -> tuple[Array, Array]:
    """The limits value -/+ t * error that cover with probability `level` under t(df)."""
    half = stats.t.isf((1 - level) / 2, df) * error
    return value - half, value + half


def _errors(rows: Array, covariance: Array) -> Array:
    """Standard errors (R,) of combinations (R, k) of coefficients; missing where rounding leaves none."""
    variance = np.einsum("ri,ij,rj->r", rows, covariance, rows)
    return np.sqrt(np.where(variance > 0, variance, np.nan))
