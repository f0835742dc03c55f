"""What lgamma, digamma and trigamma leave over when their leading (Stirling) terms are taken out.

In the Beta likelihood the leading terms cancel exactly, because (mu * phi) + ((1 - mu) * phi) = phi.
Working with what remains keeps full precision where the plain functions lose it: at phi = 5e5 and 6,000
rows, the sum of lgamma(phi) is 3e10, and float64 then carries the log-likelihood to 1e-5 only.
"""

from collections.abc import Callable, Sequence

import numpy as np
from scipy.special import digamma, gammaln

Array = np.ndarray

# From here on five or more terms of the asymptotic series (Abramowitz & Stegun 6.1.41, 6.3.18, 6.4.12) are
# exact to float64; below it nothing large cancels and the direct difference is.
_SERIES_FROM = 16.0
_LGAMMA = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)
_DIGAMMA = (-1 / 12, 1 / 120, -1 / 252, 1 / 240, -1 / 132, 691 / 32760, -1 / 12)
_TRIGAMMA = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)


def _even_series(coefficients: Sequence[float], x: Array) -> Array:
    """Sum of c_j * x**(-2 j), j = 0, 1, ..., by Horner's rule."""
    inverse_square = 1.0 / (x * x)
    total = np.zeros_like(x)
    for coefficient in reversed(coefficients):
        total = total * inverse_square + coefficient
    return total


def _by_size(x: Array, direct: Callable[[Array], Array], series: Callable[[Array], Array]) -> Array:
    """Use the series where x is large and the direct formula elsewhere; each sees only its own range."""
    x = np.asarray(x, dtype=np.float64)
    is_small = x < _SERIES_FROM
    if is_small.all():  # mostly all values are on one side, and the other formula would be half of a fit's time
        return direct(x)
    large = series(np.maximum(x, _SERIES_FROM))
    return np.where(is_small, direct(np.minimum(x, _SERIES_FROM)), large) if is_small.any() else large


def lgamma_remainder(x: Array) -> Array:
    """lgamma(x) - [(x - 1/2) log x - x + log(2 pi) / 2], for x > 0; about 1 / (12 x)."""
    return _by_size(
        x,
        lambda v: gammaln(v) - ((v - 0.5) * np.log(v) - v + 0.5 * np.log(2 * np.pi)),
        lambda v: _even_series(_LGAMMA, v) / v,
    )


def digamma_remainder(x: Array) -> Array:
    """digamma(x) - log x, for x > 0; about -1 / (2 x)."""
    return _by_size(
        x,
        lambda v: digamma(v) - np.log(v),
        lambda v: -0.5 / v + _even_series(_DIGAMMA, v) / (v * v),
    )


def trigamma_remainder(x: Array) -> Array:
    """trigamma(x) - 1 / x, for x > 0; about 1 / (2 x**2)."""
    return _by_size(x, _small_trigamma, _large_trigamma)


def _large_trigamma(x: Array) -> Array:
    return (0.5 + _even_series(_TRIGAMMA, x) / x) / (x * x)


def _small_trigamma(x: Array) -> Array:
    """By the recurrence (A&S 6.4.6) r(x) = r(x + 1) + 1 / (x**2 (x + 1)), up to where the series holds.

    A sum of positive terms, so nothing cancels; scipy's polygamma gives the same at five times the cost.
    """
    total = _large_trigamma(x + _SERIES_FROM)
    for j in range(int(_SERIES_FROM)):
        step = x + j
        total += 1.0 / (step * step * (step + 1.0))
    return total


def log_ratio(value: Array, reference: Array, difference: Array) -> Array:
    """log(value / reference), exact for values next to the reference as well as far from it."""
    near = np.abs(difference) < 0.5 * reference
    return np.where(near, np.log1p(np.where(near, difference, 0.0) / reference), np.log(value / reference))
