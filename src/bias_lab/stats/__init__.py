"""Statistics: from the long table of scores to coefficients, their uncertainty and their named outcomes."""

from typing import TYPE_CHECKING

from bias_lab.lazy import offered
from bias_lab.stats.verdict import verdict

if TYPE_CHECKING:
    from bias_lab.stats.analysis import analyse, stars
    from bias_lab.stats.beta import BetaFit, fit_beta
    from bias_lab.stats.diagnostics import boundary_counts, name_spread, precision_by_group, quantile_residuals
    from bias_lab.stats.families import adjust, adjust_families
    from bias_lab.stats.influence import leave_one_name_out
    from bias_lab.stats.regression import BetaRegression
    from bias_lab.stats.seeds import analyse_seeds, average_seeds, seed_spread

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
__getattr__ = offered(
    __name__,
    analysis=["analyse", "stars"],
    beta=["BetaFit", "fit_beta"],
    diagnostics=["boundary_counts", "name_spread", "precision_by_group", "quantile_residuals"],
    families=["adjust", "adjust_families"],
    influence=["leave_one_name_out"],
    regression=["BetaRegression"],
    seeds=["analyse_seeds", "average_seeds", "seed_spread"],
)
