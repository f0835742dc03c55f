"""Fractional logit beside the Beta regression: it takes scores of exactly 0 and 1 as they are."""

from dataclasses import dataclass

import numpy as np

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class FractionalFit:
    """Logit coefficients by quasi-likelihood and their CR1 covariance, for t(G - 1); NaN where there is none."""

    params: Array  # (k,)
    covariance: Array  # (k, k)
    df: int

    @property
    def std_errors(self) -> Array:
        """(k,)"""
        return np.sqrt(np.diagonal(self.covariance))


def fit_fractional(y: Array, cell: Array, matrix: Array, person: Array) -> FractionalFit:
    """Fit E[y] = logistic(X beta) as a binomial GLM clustered by person (Papke & Wooldridge 1996).

    y: (n,) in [0, 1], not squeezed. cell: (n,) int row of `matrix` (C, k), whose rows in use have full rank.
    person: (n,) int codes. A cell whose scores are all 0 or all 1 has no finite logit: all NaN.
    """
    k, n_persons = matrix.shape[1], len(np.unique(person))
    counts = np.bincount(cell)
    means = np.bincount(cell, weights=y)[counts > 0] / counts[counts > 0]
    if n_persons < 2 or ((means == 0) | (means == 1)).any():  # noqa: PLR2004
        return FractionalFit(np.full(k, np.nan), np.full((k, k), np.nan), n_persons - 1)
    from statsmodels.genmod.families import Binomial
    from statsmodels.genmod.generalized_linear_model import GLM

    model = GLM(y, matrix[cell], family=Binomial())
    found = model.fit(cov_type="cluster", cov_kwds={"groups": person}, tol=1e-12, maxiter=200)
    # Its covariance has the factor G / (G - 1) * (n - 1) / (n - k), but its own p would be from the normal.
    return FractionalFit(np.asarray(found.params), np.asarray(found.cov_params()), n_persons - 1)
