"""Does the model fit, and what are its scores made of: tables to look at, none of them a test of bias.

Every function takes the long table and the factors, as `analyse` does, with its `interactions` and `precision`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from scipy.special import expit

from bias_lab.stats.columns import interval, p_value
from bias_lab.stats.design import FactorLike
from bias_lab.stats.name_level import cv3, leave_one_out, name_level, person_sums
from bias_lab.stats.subset import Subset, fitted_subsets

Array = np.ndarray
_FURTHEST = 38.0  # the normal quantile of the smallest positive float64


def quantile_residuals(table: pd.DataFrame, factors: Sequence[FactorLike], **options: Any) -> pd.DataFrame:
    """Residuals that are standard normal if the Beta model holds (Dunn & Smyth 1996, JCGS 5: 236-244).

    One row a sentence: eec, subset, group, person, item (where the table has it), prediction, fitted (mean of
    the group), residual, status; the residual is missing where the status is not "ok".
    """
    parts = []
    for subset in fitted_subsets(table, factors, **options):
        fit, model = subset.fit, subset.model
        mu = expit(model.mean @ fit.params)[subset.cell]
        phi = np.exp(model.precision @ fit.precision_params)[subset.cell]
        below, above = (side(subset.scores.open, mu * phi, (1 - mu) * phi) for side in (stats.beta.cdf, stats.beta.sf))
        # From the nearer tail, so that neither end is rounded to 1.
        residual = np.where(below < above, stats.norm.ppf(below), stats.norm.isf(above))
        columns = {"group": _groups(subset)[subset.cell], "person": subset.rows["person"].to_numpy()}
        if "item" in subset.rows.columns:
            columns["item"] = subset.rows["item"].to_numpy()
        columns |= {
            "prediction": subset.rows["prediction"].to_numpy(),
            "fitted": mu,
            "residual": np.clip(residual, -_FURTHEST, _FURTHEST),
        }
        parts.append(_labelled(subset, columns))
    return pd.concat(parts, ignore_index=True)


def precision_by_group(table: pd.DataFrame, factors: Sequence[FactorLike], **options: Any) -> pd.DataFrame:
    """Is one precision enough: the precision of each group, with name-level intervals.

    One row a group: eec, subset, group, n_rows, n_persons, mean_score, sd_score, phi, phi_low, phi_high (95 %, CV3
    on the log), ratio (phi over the geometric mean of the other groups') and p_name of a ratio of 1, status. Much
    smaller phi: the scores of that group scatter more. Standard errors by name do not rest on equal precision.
    """
    parts = []
    for subset in fitted_subsets(table, factors, **(options | {"precision": "by_group"})):
        used = np.flatnonzero(np.bincount(subset.cell, minlength=len(subset.design.cells)))
        parts.append(_labelled(subset, _group_facts(subset, used) | _group_precision(subset)))
    return pd.concat(parts, ignore_index=True)


def boundary_counts(table: pd.DataFrame, factors: Sequence[FactorLike], **options: Any) -> pd.DataFrame:
    """Scores at and beyond the ends of the scale, by group: below_0, at_0, at_1, above_1 (all four are squeezed)."""
    parts = []
    for subset in fitted_subsets(table, factors, **options):
        value, n_cells = subset.rows["prediction"].to_numpy(dtype=np.float64), len(subset.design.cells)
        ends = {"below_0": value < 0, "at_0": value == 0, "at_1": value == 1, "above_1": value > 1}
        used = np.flatnonzero(np.bincount(subset.cell, minlength=n_cells))
        counts = {name: np.bincount(subset.cell[at], minlength=n_cells)[used] for name, at in ends.items()}
        parts.append(_labelled(subset, _group_facts(subset, used) | counts))
    return pd.concat(parts, ignore_index=True)


def name_spread(table: pd.DataFrame, factors: Sequence[FactorLike], **options: Any) -> pd.DataFrame:
    """The mean score of each person beside those of the same group: names carry a sentiment of their own.

    One row a person (and group): eec, subset, group, person, n_rows, mean_score, group_mean (mean of its persons'
    means), deviation, standardised (deviation over the standard deviation between the group's persons), status.
    """
    parts = []
    for subset in fitted_subsets(table, factors, **options):
        frame = pd.DataFrame(
            {"cell": subset.cell, "person": subset.rows["person"].to_numpy(), "score": subset.scores.closed}
        )
        means = frame.groupby(["cell", "person"])["score"].agg(["size", "mean"]).reset_index()
        by_group = means.groupby("cell")["mean"]
        center, spread = by_group.transform("mean"), by_group.transform("std")
        columns = {
            "group": _groups(subset)[means["cell"]],
            "person": means["person"].to_numpy(),
            "n_rows": means["size"].to_numpy(),
            "mean_score": means["mean"].to_numpy(),
            "group_mean": center.to_numpy(),
            "deviation": (means["mean"] - center).to_numpy(),
            "standardised": ((means["mean"] - center) / spread.where(spread > 0)).to_numpy(),
        }
        parts.append(_labelled(subset, columns))
    return pd.concat(parts, ignore_index=True)


def _groups(subset: Subset) -> Array:
    return np.array([subset.design.cell_name(i) for i in range(len(subset.design.cells))], dtype=object)


def _labelled(subset: Subset, columns: dict[str, Any]) -> pd.DataFrame:
    return pd.DataFrame({"eec": subset.eec, "subset": subset.name, **columns, "status": subset.fit.status})


def _group_facts(subset: Subset, used: Array) -> dict[str, Any]:
    frame = pd.DataFrame({"cell": subset.cell, "person": subset.person, "score": subset.scores.closed})
    facts = frame.groupby("cell").agg(
        n_rows=("score", "size"),
        n_persons=("person", "nunique"),
        mean_score=("score", "mean"),
        sd_score=("score", "std"),
    )
    return {"group": _groups(subset)[used], **{name: facts[name].to_numpy() for name in facts.columns}}


def _group_precision(subset: Subset) -> dict[str, Array]:
    """Columns from the fit with one precision a group, whose q parameters are the groups' log phi."""
    fit, q = subset.fit, len(subset.fit.precision_params)
    log_phi, n_persons = fit.precision_params, len(subset.persons)
    others = np.eye(q) - (1 - np.eye(q)) / max(q - 1, 1) if q > 1 else np.full((1, 1), np.nan)
    covariance = np.full((q, q), np.nan)
    if name_level(fit, subset.scores.open, subset.cell, subset.model, subset.person).status == "ok":
        sums = person_sums(subset.scores.open, subset.cell, subset.person, n_persons, len(subset.design.cells))
        covariance = cv3(leave_one_out(sums, subset.model, fit).params, fit.estimates)[-q:, -q:]
    low, high = interval(log_phi, np.sqrt(np.diagonal(covariance)), n_persons - 1, 0.95)
    ratio, error = others @ log_phi, np.sqrt(np.einsum("ri,ij,rj->r", others, covariance, others))
    return {
        "phi": np.exp(log_phi),
        "phi_low": np.exp(low),
        "phi_high": np.exp(high),
        "ratio": np.exp(ratio),
        "p_name": p_value(ratio, error, n_persons - 1),
    }
