"""The Beta likelihood in cell sufficient statistics, and Newton's method on it, for many refits at once.

Rows that share a row of the design (a cell) enter the likelihood only through their number and the sums of
log y and log(1 - y) (density: Ferrari & Cribari-Neto 2004, J. Applied Statistics 31: 799-815). A fit then
costs the number of cells, not of rows, and is exact. All functions broadcast over leading axes: B refits
that differ in their sums (one person left out, names shuffled) are one call with sums of shape (B, C).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import expit

from bias_lab.stats.remainders import digamma_remainder, lgamma_remainder, log_ratio, trigamma_remainder

Array = np.ndarray

# Squared distance to the maximum in standard errors at which the last step is taken; convergence is
# quadratic, so that step ends at rounding level.
_DECREMENT = 1e-14
_MAX_STEPS = 100
# Smallest pivot (one minus the squared multiple correlation with the parameters before) of an information matrix
# in correlation form that still counts as invertible.
_SINGULAR = 1e-12
_MAX_HALVINGS = 40


@dataclass(frozen=True, eq=False)
class CellSums:
    """Sufficient statistics of scores y in (0, 1) by cell.

    The sums of logs are taken relative to `center`, by default the cells' means, so that they stay small and
    exact when the scores of a cell are close together; sums with equal centers can be added and subtracted.
    """

    n: Array  # (..., C) number of rows
    log_y: Array  # (..., C) sum of log(y / center)
    log_1my: Array  # (..., C) sum of log((1 - y) / (1 - center))
    center: Array  # (C,) in (0, 1)

    def without(self, part: "CellSums") -> "CellSums":
        """These sums with the rows of `part` taken out; shapes broadcast."""
        return CellSums(self.n - part.n, self.log_y - part.log_y, self.log_1my - part.log_1my, self.center)

    def total(self) -> "CellSums":
        """The sums over the leading axis."""
        return CellSums(self.n.sum(axis=0), self.log_y.sum(axis=0), self.log_1my.sum(axis=0), self.center)


@dataclass(frozen=True, eq=False)
class CellDesign:
    """The model's two linear predictors at each cell: logit of the mean, log of the precision."""

    mean: Array  # (C, k)
    precision: Array  # (C, q); a column of ones for constant precision

    @classmethod
    def constant_precision(cls, mean: Array) -> "CellDesign":
        """A design whose precision is one number."""
        return cls(np.asarray(mean, dtype=np.float64), np.ones((len(mean), 1)))


@dataclass(frozen=True, eq=False)
class Derivatives:
    """Log-likelihood and its derivatives in (mean coefficients, precision coefficients), p = k + q."""

    loglik: Array  # (...)
    score: Array  # (..., p)
    observed: Array  # (..., p, p) minus the Hessian
    design: "CellDesign"
    weights: tuple[Array, Array, Array]  # (..., C) of the expected information: mean, mixed, precision

    @cached_property
    def expected(self) -> Array:
        """Expectation of `observed` (..., p, p), positive definite wherever the design has full rank."""
        return _blocks(self.design, *self.weights)


@dataclass(frozen=True, eq=False)
class NewtonResult:
    """Where Newton's method stopped."""

    params: Array  # (..., p)
    at: Derivatives
    converged: Array  # (...) bool: finite, a maximum, and no further than rounding from it


def cell_centers(y: Array, cell: Array, n_cells: int) -> Array:
    """The mean score of each cell (n_cells,), strictly inside (0, 1); 1/2 where a cell is empty."""
    counts = np.bincount(cell, minlength=n_cells)
    sums = np.bincount(cell, weights=y, minlength=n_cells)
    means = np.divide(sums, counts, out=np.full(n_cells, 0.5), where=counts > 0)
    return np.clip(means, np.finfo(np.float64).tiny, np.nextafter(1.0, 0.0))


def sum_cells(y: Array, cell: Array, n_cells: int, *, center: Array | None = None) -> CellSums:
    """Reduce scores to their cell sums.

    y: (n,) float64 in (0, 1). cell: (n,) int in [0, n_cells). center: (n_cells,), by default `cell_centers`.
    """
    center = cell_centers(y, cell, n_cells) if center is None else center
    middle = center[cell]
    counts = np.bincount(cell, minlength=n_cells).astype(np.float64)
    log_y = np.bincount(cell, weights=log_ratio(y, middle, y - middle), minlength=n_cells)
    log_1my = np.bincount(cell, weights=log_ratio(1 - y, 1 - middle, middle - y), minlength=n_cells)
    return CellSums(counts, log_y, log_1my, center)


def _blocks(design: CellDesign, mm: Array, mp: Array, pp: Array) -> Array:
    """Assemble a (..., p, p) matrix from cell weights (..., C) of its mean, mixed and precision blocks."""
    x, z = design.mean, design.precision
    mixed = np.einsum("ck,...c,cq->...kq", x, mp, z)
    top = np.concatenate([np.einsum("ck,...c,cl->...kl", x, mm, x), mixed], axis=-1)
    precision = np.einsum("cq,...c,cr->...qr", z, pp, z)
    return np.concatenate([top, np.concatenate([np.swapaxes(mixed, -1, -2), precision], axis=-1)], axis=-2)


def derivatives(sums: CellSums, design: CellDesign, params: Array) -> Derivatives:
    """Log-likelihood, score and information at params (..., p), constants included.

    Score and expected information are those of Ferrari & Cribari-Neto 2004, appendix, in log phi instead of
    phi and with the leading Stirling terms of a = mu phi and b = (1 - mu) phi cancelled by hand (see
    remainders.py); the observed information adds the terms that vanish in expectation. Overflowing trial
    values give NaN or inf, never an error.
    """
    k = design.mean.shape[1]
    with np.errstate(all="ignore"):  # Newton tries points that overflow and rejects them by their value
        eta, phi = params[..., :k] @ design.mean.T, np.exp(params[..., k:] @ design.precision.T)
        mu, nu = expit(eta), expit(-eta)
        a, b, t, n = mu * phi, nu * phi, mu * nu, sums.n
        from_center = mu - sums.center
        rest_y = sums.log_y - n * log_ratio(mu, sums.center, from_center)
        rest_1my = sums.log_1my - n * log_ratio(nu, 1 - sums.center, -from_center)
        gap = rest_y - rest_1my - n * (digamma_remainder(a) - digamma_remainder(b))
        fit = mu * rest_y + nu * rest_1my
        pull = mu * digamma_remainder(a) + nu * digamma_remainder(b) - digamma_remainder(phi)
        score_mean, score_precision = phi * t * gap, phi * (fit - n * pull)
        tri_a, tri_b, tri_phi = trigamma_remainder(a), trigamma_remainder(b), trigamma_remainder(phi)
        mm = n * phi * t * (1 + phi * t * (tri_a + tri_b))
        mp = n * phi * t * (a * tri_a - b * tri_b)
        pp = n * (a**2 * tri_a + b**2 * tri_b - phi**2 * tri_phi)
        score = np.concatenate([score_mean @ design.mean, score_precision @ design.precision], axis=-1)
        return Derivatives(
            loglik=_loglik(sums, eta, phi, fit).sum(axis=-1),
            score=score,
            observed=_blocks(design, mm - (nu - mu) * score_mean, mp - score_mean, pp - score_precision),
            design=design,
            weights=(mm, mp, pp),
        )


def score_weights(design: CellDesign, params: Array, center: Array) -> Array:
    """What a row adds to the score of the mean's and of the precision's linear predictor at each cell.

    Returns (..., C, 2, 3): for either predictor the weights of a row's 1, log(y / center) and
    log((1 - y) / (1 - center)), which the score is linear in; see `derivatives`.
    """
    k = design.mean.shape[1]
    with np.errstate(all="ignore"):
        eta, phi = params[..., :k] @ design.mean.T, np.exp(params[..., k:] @ design.precision.T)
        mu, nu = expit(eta), expit(-eta)
        a, b = digamma_remainder(mu * phi), digamma_remainder(nu * phi)
        log_mu, log_nu = np.log(mu / center), np.log(nu / (1 - center))
        slope = phi * mu * nu
        one_mean = -slope * (log_mu - log_nu + a - b)
        one_precision = -phi * (mu * (log_mu + a) + nu * (log_nu + b) - digamma_remainder(phi))
        mean = np.stack([one_mean, slope, -slope], axis=-1)
        return np.stack([mean, np.stack([one_precision, phi * mu, phi * nu], axis=-1)], axis=-2)


def _loglik(sums: CellSums, eta: Array, phi: Array, fit: Array) -> Array:
    """Log-likelihood by cell (..., C); `fit` is sum(mu log(y / mu) + (1 - mu) log((1 - y) / (1 - mu)))."""
    log_t = -np.logaddexp(0, -eta) - np.logaddexp(0, eta)
    stirling = lgamma_remainder(phi) - lgamma_remainder(expit(eta) * phi) - lgamma_remainder(expit(-eta) * phi)
    constant = 0.5 * (np.log(phi) + log_t - np.log(2 * np.pi)) + stirling
    jacobian = sums.log_y + sums.log_1my + sums.n * (np.log(sums.center) + np.log1p(-sums.center))
    return sums.n * constant + phi * fit - jacobian


def is_maximum(information: Array) -> Array:
    """Whether (..., p, p) information matrices are finite and positive definite, judged free of scale."""
    diagonal = np.diagonal(information, axis1=-2, axis2=-1)
    usable = np.isfinite(information).all(axis=(-1, -2)) & (diagonal > 0).all(axis=-1)
    scale = np.sqrt(np.where(usable[..., None], diagonal, 1.0))
    safe = np.where(usable[..., None, None], information, np.eye(information.shape[-1]))
    return usable & (_smallest_pivot(safe / (scale[..., :, None] * scale[..., None, :])) > _SINGULAR)


def _smallest_pivot(matrix: Array) -> Array:
    """Smallest pivot (...) of elimination in symmetric (..., p, p); positive only where positive definite.

    Elimination of all matrices at once is ten times as fast as an eigenvalue routine called for each.
    """
    left, smallest = matrix, np.full(matrix.shape[:-2], np.inf)
    while left.shape[-1]:
        pivot = left[..., 0, 0]
        smallest = np.minimum(smallest, pivot)
        row = left[..., 0, 1:] / np.where(pivot > 0, pivot, 1.0)[..., None]
        left = left[..., 1:, 1:] - left[..., 1:, 0, None] * row[..., None, :]
    return smallest


def _step(at: Derivatives) -> tuple[Array, Array]:
    """Newton step (..., p) and squared distance to the maximum (...); Fisher scoring where not at a hill."""
    information, possible = at.observed, is_maximum(at.observed)
    if not possible.all():
        information = np.where(possible[..., None, None], at.observed, at.expected)
        possible = is_maximum(information)
    possible = possible & np.isfinite(at.score).all(axis=-1)
    information = np.where(possible[..., None, None], information, np.eye(information.shape[-1]))
    score = np.where(possible[..., None], at.score, 0.0)
    step = np.linalg.solve(information, score[..., None])[..., 0]
    return step, np.where(possible, (step * score).sum(axis=-1), np.inf)


def newton(sums: CellSums, design: CellDesign, start: Array, *, last_step_at: float = _DECREMENT) -> NewtonResult:
    """Maximise the likelihood from `start` (..., p) by Newton with step halving; refits share one loop.

    last_step_at: squared distance to the maximum, in standard errors, from which one more step is taken.
    Never raises: a refit without a maximum (an empty cell, say) comes back with converged False.
    """
    batch = sums.n.shape[:-1]
    params = np.broadcast_to(start, (*batch, start.shape[-1])).astype(np.float64)
    at = derivatives(sums, design, params)
    done = np.zeros(batch, dtype=bool)
    for _ in range(_MAX_STEPS):
        step, decrement = _step(at)
        # The last step of a refit is at rounding level, where the log-likelihood cannot tell up from down.
        done = done | (decrement < last_step_at)
        params, at = _climb(sums, design, params, step, np.where(done, -np.inf, at.loglik))
        if (done | ~np.isfinite(decrement)).all():
            break
    finite = np.isfinite(params).all(axis=-1) & np.isfinite(at.loglik)
    return NewtonResult(params, at, done & finite & is_maximum(at.observed))


def _climb(sums: CellSums, design: CellDesign, params: Array, step: Array, floor: Array) -> tuple[Array, Derivatives]:
    """Take the longest of step, step / 2, ... whose log-likelihood does not fall below `floor` (...)."""
    allowed = floor - 1e-12 * np.abs(np.nan_to_num(floor, nan=0.0, posinf=0.0, neginf=0.0))
    for halvings in range(_MAX_HALVINGS):
        new = params + step
        at = derivatives(sums, design, new)
        lower = ~(at.loglik >= allowed) & (floor > -np.inf)
        if not lower.any() or halvings == _MAX_HALVINGS - 1:
            break
        step = np.where(lower[..., None], step / 2, step)
    return new, at
