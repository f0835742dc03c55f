"""Statistics: from the long table of scores to coefficients, their uncertainty and their named outcomes."""

from bias_lab.stats.analysis import BetaRegression, analyse, stars
from bias_lab.stats.beta import BetaFit, fit_beta
from bias_lab.stats.diagnostics import boundary_counts, name_spread, precision_by_group, quantile_residuals
from bias_lab.stats.families import adjust, adjust_families
from bias_lab.stats.influence import leave_one_name_out
from bias_lab.stats.seeds import analyse_seeds, average_seeds, seed_spread
from bias_lab.stats.verdict import verdict

__all__ = [
    "BetaFit",
    "BetaRegression",
    "adjust",
    "adjust_families",
    "analyse",
    "analyse_seeds",
    "average_seeds",
    "boundary_counts",
    "fit_beta",
    "leave_one_name_out",
    "name_spread",
    "precision_by_group",
    "quantile_residuals",
    "seed_spread",
    "stars",
    "verdict",
]
