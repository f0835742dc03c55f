"""The Beta fit: at its maximum in every corner, and every trap seen in BetaModel."""

import warnings

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit

from bias_lab.errors import DataError
from bias_lab.stats import BetaFit, fit_beta, optimisers
from bias_lab.stats import beta as beta_module
from bias_lab.stats.likelihood import CellDesign, NewtonResult

CELLS = np.array([[1, 0, 0, 0], [1, 0, 1, 0], [1, 1, 0, 0], [1, 1, 1, 1]], dtype=float)
TRUTH = np.array([-0.2, 0.15, -0.1, 0.08])


def simulate(phi: float, truth: np.ndarray = TRUTH, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """350 scores a cell and their design rows; kept off 1, where float64 has no room."""
    cell = np.repeat(np.arange(4), 350)
    mu = expit(CELLS @ truth)[cell]
    y = np.random.default_rng(seed).beta(mu * phi, (1 - mu) * phi)
    return np.minimum(y, np.nextafter(1, 0)), CELLS[cell]


def assert_maximum(y: np.ndarray, design: np.ndarray, fit: BetaFit) -> None:
    """By scipy's density alone: a little to either side, the log-likelihood falls as at a maximum."""

    def loglik(params: np.ndarray) -> float:
        mu, phi = expit(design @ params[:-1]), np.exp(params[-1])
        return stats.beta.logpdf(y, mu * phi, (1 - mu) * phi).sum()

    params, errors = np.append(fit.params, fit.log_phi), np.sqrt(np.diagonal(fit.covariance))
    top, information = loglik(params), np.linalg.inv(fit.covariance)
    for j in range(len(params)):
        step = 0.02 * errors[j] * np.eye(len(params))[j]
        above, below = loglik(params + step), loglik(params - step)
        # 4e-5 is a maximum .001 standard errors away; third derivatives and scipy's rounding come near it.
        assert above - below == pytest.approx(0, abs=4e-5)
        curvature = step @ information @ step
        assert 2 * top - above - below == pytest.approx(curvature, rel=0.05)


# Trap: from BetaModel's own start, Newton gives NaN with `converged=True` for all of these.
EXTREMES = {
    "phi .05": (0.05, TRUTH),
    "phi .3": (0.3, TRUTH),
    "phi .5": (0.5, TRUTH),
    "phi 1e6": (1e6, TRUTH),
    "mean .001": (2_000.0, np.array([-6.9, 0.1, 0.1, 0.1])),
    "mean .999": (2_000.0, np.array([6.9, 0.1, 0.1, 0.1])),
    "mean .001, spread out": (20.0, np.array([-6.9, 0.1, 0.1, 0.1])),
}


@pytest.mark.parametrize(("phi", "truth"), EXTREMES.values(), ids=EXTREMES)
def test_extremes_are_fitted(phi: float, truth: np.ndarray) -> None:
    y, design = simulate(phi, truth)
    fit = fit_beta(y, design)
    assert fit.status == "ok"
    assert_maximum(y, design, fit)


# Trap: BFGS says `converged=False` at phi 1e5 and 1e8 with right estimates.
@pytest.mark.parametrize("phi", [1e5, 1e8, 1e12])
def test_high_precision_recovers_the_truth(phi: float) -> None:
    fit = fit_beta(*simulate(phi))
    assert fit.status == "ok"
    # 4.5 standard errors; their size from the expected information of a cell mean on the logit scale.
    np.testing.assert_array_less(np.abs(fit.params - TRUTH) / fit.std_errors, 4.5)
    mu = expit(-0.2)
    assert fit.std_errors[0] == pytest.approx(1 / np.sqrt(350 * phi * mu * (1 - mu)), rel=0.1)
    assert fit.phi == pytest.approx(phi, rel=4.5 * np.sqrt(2 / 1400))


def test_result_does_not_depend_on_the_optimiser(monkeypatch: pytest.MonkeyPatch) -> None:
    y, design = simulate(30.0)
    plain = fit_beta(y, design)
    assert plain.path == ("newton", "exact")
    original = optimisers.fit_statsmodels

    def without(*broken: str):
        def run(y: np.ndarray, x: np.ndarray, z: np.ndarray, start: np.ndarray, method: str) -> np.ndarray:
            # What BetaModel gives when it fails: NaN, whatever its flag says.
            return np.full(5, np.nan) if method in broken else original(y, x, z, start, method)

        return run

    monkeypatch.setattr(optimisers, "fit_statsmodels", without("newton"))
    by_bfgs = fit_beta(y, design)
    assert by_bfgs.path == ("newton (rejected)", "bfgs", "exact")
    monkeypatch.setattr(optimisers, "fit_statsmodels", without("newton", "bfgs"))
    alone = fit_beta(y, design)
    assert alone.path == ("newton (rejected)", "bfgs (rejected)", "exact")
    for other in (by_bfgs, alone):
        np.testing.assert_allclose(other.params, plain.params, rtol=0, atol=1e-12)
        np.testing.assert_allclose(other.covariance, plain.covariance, rtol=1e-9, atol=1e-15)


def test_statsmodels_alone_agrees_where_it_works() -> None:
    y, design = simulate(30.0)
    fit = fit_beta(y, design)
    start = beta_module.moment_start(y, np.repeat(np.arange(4), 350), CellDesign.constant_precision(CELLS))
    params = optimisers.fit_statsmodels(y, design, np.ones((1400, 1)), start, "newton")
    np.testing.assert_allclose(params, np.append(fit.params, fit.log_phi), rtol=0, atol=1e-9)


@pytest.mark.parametrize("shift", [0.3, 3.0], ids=["on the hill", "beyond it"])
def test_a_finite_result_away_from_the_maximum_is_rejected(shift: float, monkeypatch: pytest.MonkeyPatch) -> None:
    y, design = simulate(30.0)
    wrong = np.append(TRUTH, np.log(30.0)) + shift * np.eye(5)[0]
    monkeypatch.setattr(optimisers, "fit_statsmodels", lambda *_: wrong)
    assert fit_beta(y, design).path == ("newton (rejected)", "bfgs (rejected)", "exact")


def test_no_maximum_is_not_converged(monkeypatch: pytest.MonkeyPatch) -> None:
    y, design = simulate(30.0)

    def fails(sums: object, model: object, start: np.ndarray) -> NewtonResult:
        return NewtonResult(np.full(5, np.nan), None, np.array(False))  # type: ignore[arg-type]

    monkeypatch.setattr(beta_module, "newton", fails)
    fit = fit_beta(y, design)
    assert fit.status == "not_converged"
    assert fit.message == "no finite maximum of the likelihood was found, tried: newton, exact"
    assert_no_numbers(fit)


def assert_no_numbers(fit: BetaFit) -> None:
    assert np.isnan(fit.params).all()
    assert np.isnan(fit.std_errors).all()
    assert np.isnan(fit.covariance).all()
    assert np.isnan([fit.log_phi, fit.phi, fit.loglik]).all()


# Trap: on constant scores BFGS gives z = -6.8.
@pytest.mark.parametrize("noise", [0.0, 1e-12])
def test_constant_scores_are_degenerate(noise: float) -> None:
    _, design = simulate(30.0)
    y = 0.4 + noise * np.random.default_rng(0).uniform(-1, 1, len(design))
    fit = fit_beta(y, design)
    assert fit.status == "degenerate"
    assert fit.message == "scores do not vary within cells (by less than 1e-06)"
    assert_no_numbers(fit)


def test_scores_constant_within_cells_are_degenerate() -> None:
    _, design = simulate(30.0)
    fit = fit_beta(0.4 + 0.1 * design[:, 1] - 0.05 * design[:, 3], design)
    assert fit.status == "degenerate"


# Trap: BetaModel meets these with a bare AssertionError, which `python -O` strips.
@pytest.mark.parametrize(("value", "shown"), [(0.0, "0"), (1.0, "1"), (np.nan, "nan"), (1.2, "1.2")])
def test_scores_outside_the_open_interval_are_refused(value: float, shown: str) -> None:
    y, design = simulate(30.0)
    y[[3, 700]] = value
    with pytest.raises(DataError) as error:
        fit_beta(y, design)
    assert str(error.value) == (
        f"fit_beta: 2 scores are missing or not strictly between 0 and 1 (row 3: {shown}, row 700: {shown}); "
        "clip and squeeze them first"
    )


def test_wrong_shapes_and_designs_are_refused() -> None:
    y, design = simulate(30.0)
    with pytest.raises(DataError, match=r"n, k\); got \(1400,\) and \(9, 4\)$"):
        fit_beta(y, design[:9])
    design[0, 1] = np.inf
    with pytest.raises(DataError, match=r"^fit_beta: the design has missing or infinite values$"):
        fit_beta(y, design)


# Trap: for an empty cell BFGS says converged with NaN errors and Newton raises LinAlgError.
def test_empty_cell_and_collinear_column_are_rank_deficient() -> None:
    y, design = simulate(30.0)
    fit = fit_beta(y[:1050], design[:1050])
    assert (fit.status, fit.message) == ("rank_deficient", "the design has 4 columns but rank 3")
    assert_no_numbers(fit)
    assert fit_beta(y, np.column_stack([design, design[:, 1]])).status == "rank_deficient"


def test_one_row_a_cell_is_saturated() -> None:
    fit = fit_beta(np.array([0.3, 0.4, 0.5, 0.7]), CELLS)
    assert fit.status == "saturated"
    assert fit.message == "4 rows for 5 parameters leave no spread to judge them by"
    assert fit.df_resid == -1
    assert_no_numbers(fit)


# Trap: float32 scores at phi 1e6 move the log-likelihood by 2, when the arithmetic is float32 too.
def test_float32_scores_are_computed_in_float64() -> None:
    y, design = simulate(1e6)
    single = y.astype(np.float32)
    fit, same = fit_beta(single, design.astype(np.float32)), fit_beta(single.astype(np.float64), design)
    assert fit.loglik == same.loglik
    np.testing.assert_array_equal(fit.params, same.params)


# Trap: `cov_type='eim'` changes a BetaModel for later fits, and HC1 and HC3 silently equal HC0.
def test_errors_are_from_the_observed_information() -> None:
    y, design = simulate(3.0, seed=2)
    fit = fit_beta(y, design)
    # The same by differences of the analytic score of BetaModel, which has no switch to be left on.
    from statsmodels.othermod.betareg import BetaModel

    model = BetaModel(y, design, exog_precision=np.ones((len(y), 1)))
    params, step = np.append(fit.params, fit.log_phi), 1e-5 * np.eye(5)
    hessian = np.array([(model.score(params + s) - model.score(params - s)) / 2e-5 for s in step])
    np.testing.assert_allclose(fit.covariance, np.linalg.inv(-hessian), rtol=1e-6, atol=1e-10)


def test_main_effects_and_a_covariate() -> None:
    """A design that is not saturated in its cells, some with a single row."""
    rng = np.random.default_rng(5)
    design = np.column_stack([np.ones(300), rng.integers(0, 2, 300), rng.normal(size=300)])
    mu = expit(design @ [0.2, -0.4, 0.3])
    y = rng.beta(mu * 12, (1 - mu) * 12)
    fit = fit_beta(y, design)
    assert fit.status == "ok"
    assert_maximum(y, design, fit)


def test_no_warning_leaves_a_hard_fit() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for phi in (0.05, 1e8):
            fit_beta(*simulate(phi))
        far = np.array([50.0, 0, 0, 0, -50.0])
        optimisers.fit_statsmodels(*simulate(30.0), np.ones((1400, 1)), far, "newton")
    assert [str(w.message) for w in caught] == []
