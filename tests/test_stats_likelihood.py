"""The Beta likelihood in cell sums, against scipy, finite differences and 40-digit values."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit

from bias_lab.stats.likelihood import CellDesign, CellSums, derivatives, newton, sum_cells
from bias_lab.stats.name_level import person_sums
from bias_lab.stats.remainders import digamma_remainder, lgamma_remainder, trigamma_remainder

CELLS = np.array([[1, 0, 0, 0], [1, 0, 1, 0], [1, 1, 0, 0], [1, 1, 1, 1]], dtype=float)
BY_GROUP = CellDesign(CELLS, CELLS[:, :2])  # the precision differs between the levels of the first factor


def rows(phi: float, n: int = 60, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Scores and cells of an unbalanced sample."""
    rng = np.random.default_rng(seed)
    cell = np.sort(rng.integers(0, 4, n))
    mu = expit(CELLS @ [-0.2, 0.3, -0.1, 0.2])[cell]
    return rng.beta(mu * phi, (1 - mu) * phi), cell


# x, then 17 digits of the remainders of lgamma, digamma and trigamma (mpmath, 40 digits).
REMAINDERS = [
    (1e-3, 2.5422704679670945, -993.66781665282814, 999001.64253319583),
    (0.3, 0.23606490074821559, -2.2985514178741971, 8.9120312127743978),
    (7.5, 0.011104559758206917, -0.068145536296177969, 0.0092825633633704664),
    (15.9, 0.0052403998807561082, -0.031776039050411983, 0.0020191998380538256),
    (16.0, 0.0052076559196096404, -0.031575393912320869, 0.0019937834032393618),
    (100.0, 0.00083333055563491468, -0.0050083332500039678, 5.0166663333571395e-5),
    (2.5e5, 3.3333333333315556e-7, -2.0000013333333333e-6, 8.0000106666666666e-12),
    (1e9, 8.3333333333333333e-11, -5.0000000008333333e-10, 5.0000000016666667e-19),
]


@pytest.mark.parametrize(("x", "lgamma", "digamma", "trigamma"), REMAINDERS)
def test_remainders_against_high_precision(x: float, lgamma: float, digamma: float, trigamma: float) -> None:
    # Below the series the direct difference keeps 1e-15 absolute, which next to 5e-3 is 3e-13.
    assert lgamma_remainder(np.array(x)) == pytest.approx(lgamma, rel=1e-12, abs=0)
    assert digamma_remainder(np.array(x)) == pytest.approx(digamma, rel=1e-13, abs=0)
    assert trigamma_remainder(np.array(x)) == pytest.approx(trigamma, rel=1e-13, abs=0)


@pytest.mark.parametrize("phi", [0.4, 5.0, 300.0])
def test_loglik_is_the_sum_of_scipys_log_densities(phi: float) -> None:
    y, cell = rows(phi)
    params = np.array([-0.1, 0.2, 0.05, -0.3, np.log(phi) + 0.1])
    mu, precision = expit(CELLS @ params[:4])[cell], np.exp(params[4])
    expected = stats.beta.logpdf(y, mu * precision, (1 - mu) * precision).sum()
    at = derivatives(sum_cells(y, cell, 4), CellDesign.constant_precision(CELLS), params)
    assert at.loglik == pytest.approx(expected, abs=1e-9)


def test_loglik_keeps_its_digits_at_huge_precision() -> None:
    # 2 log Beta(.5001 | .5 phi, .5 phi) + log Beta(.3 | .3 phi, .7 phi) at phi = 1e9 in 50 digits. scipy's
    # logpdf, which adds lgamma terms, is 5e-6 off for these three rows.
    y, cell = np.array([0.5001, 0.5001, 0.3]), np.array([0, 0, 1])
    design = CellDesign.constant_precision(np.eye(2))
    params = np.array([0.0, np.log(3 / 7), np.log(1e9)])
    at = derivatives(sum_cells(y, cell, 2), design, params)
    assert at.loglik == pytest.approx(-9.5052993297468504, abs=1e-10)


@pytest.mark.parametrize("phi", [0.4, 5.0, 300.0])
def test_score_and_information_are_the_derivatives(phi: float) -> None:
    y, cell = rows(phi)
    sums = sum_cells(y, cell, 4)
    params = np.array([-0.1, 0.2, 0.05, -0.3, np.log(phi), 0.2])
    at = derivatives(sums, BY_GROUP, params)
    step = 1e-5 * np.eye(6)
    ahead, behind = derivatives(sums, BY_GROUP, params + step), derivatives(sums, BY_GROUP, params - step)
    # Central differences: error of order step**2 times the third derivative.
    np.testing.assert_allclose((ahead.loglik - behind.loglik) / 2e-5, at.score, rtol=1e-5, atol=1e-4)
    scale = np.abs(at.observed).max()
    np.testing.assert_allclose((behind.score - ahead.score) / 2e-5, at.observed, rtol=1e-6, atol=1e-8 * scale)


def test_expected_information_is_the_mean_of_the_observed() -> None:
    design, params = CellDesign.constant_precision(CELLS), np.array([-0.2, 0.3, -0.1, 0.2, np.log(3.0)])
    rng, cell = np.random.default_rng(1), np.repeat(np.arange(4), 50_000)
    mu = expit(CELLS @ params[:4])[cell]
    at = derivatives(sum_cells(rng.beta(mu * 3, (1 - mu) * 3), cell, 4), design, params)
    # Sampling error of the mean over 200,000 rows is about 1/450; the largest entries are of order 1 a row.
    np.testing.assert_allclose(at.observed, at.expected, rtol=0, atol=0.01 * np.abs(at.expected).max())


def test_center_does_not_matter() -> None:
    y, cell = rows(20.0)
    params = np.array([-0.1, 0.2, 0.05, -0.3, 3.0])
    design = CellDesign.constant_precision(CELLS)
    one, other = (derivatives(sum_cells(y, cell, 4, center=np.full(4, c)), design, params) for c in (0.5, 0.01))
    assert one.loglik == pytest.approx(other.loglik, abs=1e-10)
    np.testing.assert_allclose(one.score, other.score, rtol=1e-9, atol=1e-9)


def test_a_batch_is_the_same_as_one_by_one() -> None:
    y, cell = rows(20.0, n=200)
    part = np.arange(200) % 5
    parts = person_sums(y, cell, part, 5, 4)
    design, start = CellDesign.constant_precision(CELLS), np.array([0.0, 0.0, 0.0, 0.0, 2.0])
    together = newton(parts.total().without(parts), design, start)
    assert together.converged.tolist() == [True] * 5
    for g in range(5):
        alone = newton(sum_cells(y[part != g], cell[part != g], 4), design, start)
        np.testing.assert_allclose(together.params[g], alone.params, rtol=1e-10, atol=1e-10)


def test_one_refit_without_a_maximum_leaves_the_others_alone() -> None:
    y, cell = rows(20.0, n=200)
    good = sum_cells(y, cell, 4)
    gap = sum_cells(y[cell != 3], cell[cell != 3], 4, center=good.center)
    both = CellSums(
        np.stack([good.n, gap.n]),
        np.stack([good.log_y, gap.log_y]),
        np.stack([good.log_1my, gap.log_1my]),
        good.center,
    )
    design, start = CellDesign.constant_precision(CELLS), np.array([0.0, 0.0, 0.0, 0.0, 2.0])
    result = newton(both, design, start)
    assert result.converged.tolist() == [True, False]
    np.testing.assert_allclose(result.params[0], newton(good, design, start).params, rtol=1e-12)


def test_newton_finds_the_top_from_far_away() -> None:
    y, cell = rows(2000.0, n=200)
    design, sums = CellDesign.constant_precision(CELLS), sum_cells(y, cell, 4)
    near = newton(sums, design, np.array([-0.2, 0.3, -0.1, 0.2, np.log(2000.0)]))
    far = newton(sums, design, np.array([3.0, -3.0, 2.0, 0.0, -2.0]))
    assert near.converged
    assert far.converged
    np.testing.assert_allclose(far.params, near.params, rtol=0, atol=1e-10)
