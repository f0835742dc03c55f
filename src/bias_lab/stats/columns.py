"""The columns of the table of coefficients; each function gives some of them, one value a term."""

import numpy as np
from scipy import stats
from scipy.special import expit

from bias_lab.stats.beta import BetaFit
from bias_lab.stats.design import Design
from bias_lab.stats.fractional import fit_fractional
from bias_lab.stats.name_level import NameLevel
from bias_lab.stats.scores import Scores

Array = np.ndarray


def term_columns(design: Design) -> dict[str, object]:
    """What the row is about."""
    return {
        "formula": design.formula,
        "term": [term.label for term in design.terms],
        "factors": [":".join(term.factors) for term in design.terms],
        "levels": [":".join(term.levels) for term in design.terms],
        "references": [":".join(term.references) for term in design.terms],
    }


def iid_columns(fit: BetaFit, level: float) -> dict[str, Array]:
    """Coefficients and the published test: rows taken as independent, two-sided t(n - k - 1)."""
    low, high = interval(fit.params, fit.std_errors, fit.df_resid, level)
    return {
        "coefficient": fit.params,
        "std_error_iid": fit.std_errors,
        "statistic_iid": fit.params / fit.std_errors,
        "p_iid": p_value(fit.params, fit.std_errors, fit.df_resid),
        "ci_low": low,
        "ci_high": high,
    }


def name_columns(fit: BetaFit, name: NameLevel, level: float) -> dict[str, Array]:
    """The test at the level of the person, t(G - 1)."""
    error, error_cr1 = (np.sqrt(np.diagonal(v)) for v in (name.jackknife, name.cluster_robust))
    low, high = interval(fit.params, error, name.df, level)
    return {
        "std_error_name": error,
        "statistic_name": fit.params / error,
        "p_name": p_value(fit.params, error, name.df),
        "ci_name_low": low,
        "ci_name_high": high,
        "std_error_cr1": error_cr1,
        "p_cr1": p_value(fit.params, error_cr1, name.df),
        "design_effect": (error / fit.std_errors) ** 2,
    }


def effect_columns(design: Design, fit: BetaFit, name: NameLevel, level: float) -> dict[str, Array]:
    """The terms as contrasts of fitted cell means, with intervals by the delta method."""
    k = len(fit.params)
    mu = expit(design.matrix @ fit.params)
    effect = design.contrasts @ mu
    slopes = design.contrasts @ ((mu * (1 - mu))[:, None] * design.matrix)  # (k, k) d effect / d coefficient
    columns = {"effect_response": effect}
    for label, covariance, df in (
        ("", fit.covariance[:k, :k], fit.df_resid),
        ("_name", name.jackknife, name.df),
    ):
        error = np.sqrt(np.einsum("ij,jk,ik->i", slopes, covariance, slopes))
        columns[f"effect_ci{label}_low"], columns[f"effect_ci{label}_high"] = interval(effect, error, df, level)
    return columns


def contrast_of_means(design: Design, y: Array, cell: Array) -> Array:
    """The terms (k,) as contrasts of the plain cell means of y (n,); NaN where such a cell has no rows."""
    counts = np.bincount(cell, minlength=len(design.cells))
    sums = np.bincount(cell, weights=y, minlength=len(design.cells))
    means = np.divide(sums, counts, out=np.full(len(counts), np.nan), where=counts > 0)
    return np.where(design.contrasts != 0, design.contrasts * means, 0.0).sum(axis=1)


def fractional_columns(design: Design, fit: BetaFit, scores: Scores, cell: Array, person: Array) -> dict[str, Array]:
    """The fractional logit, which needs no squeezing, where there was something to squeeze."""
    if fit.status != "ok" or not scores.n_boundary:
        nothing = np.full(len(design.terms), np.nan)
        return {"coefficient_fractional": nothing, "p_fractional": nothing}
    found = fit_fractional(scores.closed, cell, design.matrix, person)
    return {"coefficient_fractional": found.params, "p_fractional": found.p_values}


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
