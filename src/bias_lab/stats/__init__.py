"""Statistics: from the long table of scores to coefficients, their uncertainty and their named outcomes."""

from bias_lab.stats.analysis import BetaRegression, analyse, stars
from bias_lab.stats.beta import BetaFit, fit_beta

__all__ = ["BetaFit", "BetaRegression", "analyse", "fit_beta", "stars"]
