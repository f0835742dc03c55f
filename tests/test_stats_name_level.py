"""Person-level covariances, against plain refits and a hand-made sandwich."""

import numpy as np

from bias_lab.stats import BetaFit, fit_beta
from bias_lab.stats.beta import no_fit
from bias_lab.stats.likelihood import CellDesign
from bias_lab.stats.name_level import name_level

CELLS = np.array([[1, 0, 0, 0], [1, 0, 1, 0], [1, 1, 0, 0], [1, 1, 1, 1]], dtype=float)
MODEL = CellDesign.constant_precision(CELLS)


def sample(seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores, cells and persons: four persons a cell with effects of their own and unequal rows."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(4, 12, 16)
    person = np.repeat(np.arange(16), rows)
    cell = person // 4
    mu = 1 / (1 + np.exp(-(CELLS @ [0.1, 0.2, -0.3, 0.1])[cell] - rng.normal(0, 0.4, 16)[person]))
    return rng.beta(mu * 20, (1 - mu) * 20), cell, person


def fitted(seed: int = 0) -> tuple[BetaFit, np.ndarray, np.ndarray, np.ndarray]:
    y, cell, person = sample(seed)
    return fit_beta(y, CELLS[cell]), y, cell, person


def test_jackknife_is_that_of_plain_refits() -> None:
    fit, y, cell, person = fitted()
    refits = [fit_beta(y[person != g], CELLS[cell[person != g]]).params for g in range(16)]
    deviation = np.array(refits) - fit.params
    found = name_level(fit, y, cell, MODEL, person)
    assert (found.status, found.message, found.n_persons, found.df) == ("ok", "", 16, 15)
    np.testing.assert_allclose(found.jackknife, 15 / 16 * deviation.T @ deviation, rtol=1e-9, atol=1e-13)


# Trap: BetaModel's cluster covariance is right but judged by the normal; its HC1 silently is HC0.
def test_cluster_robust_is_statsmodels_sandwich() -> None:
    from statsmodels.othermod.betareg import BetaModel

    fit, y, cell, person = fitted()
    model = BetaModel(y, CELLS[cell], exog_precision=np.ones((len(y), 1)))
    start = np.append(fit.params, fit.log_phi)
    theirs = model.fit(start_params=start, method="newton", disp=False, cov_type="cluster", cov_kwds={"groups": person})
    found = name_level(fit, y, cell, MODEL, person)
    np.testing.assert_allclose(found.cluster_robust, theirs.cov_params()[:4, :4], rtol=1e-8)
    # And the same by hand, so that the small-sample factor is known to be there: G/(G-1) (n-1)/(n-5).
    scores = np.stack([model.score_obs(start)[person == g].sum(axis=0) for g in range(16)])
    plain = fit.covariance @ scores.T @ scores @ fit.covariance
    factor = 16 / 15 * (len(y) - 1) / (len(y) - 5)
    np.testing.assert_allclose(found.cluster_robust, factor * plain[:4, :4], rtol=1e-8)


def test_a_person_in_two_cells_is_one_person() -> None:
    fit, y, cell, person = fitted()
    moved = np.where(person == 15, 0, person)  # the last person of the last cell is the first of the first
    found = name_level(fit, y, cell, MODEL, moved)
    assert (found.status, found.n_persons) == ("ok", 15)
    without = fit_beta(y[moved != 0], CELLS[cell[moved != 0]]).params - fit.params
    rest = [fit_beta(y[moved != g], CELLS[cell[moved != g]]).params - fit.params for g in range(1, 15)]
    deviation = np.stack([without, *rest])
    np.testing.assert_allclose(found.jackknife, 14 / 15 * deviation.T @ deviation, rtol=1e-9, atol=1e-13)


def test_a_person_alone_in_a_cell_gives_no_errors() -> None:
    fit, y, cell, person = fitted()
    found = name_level(fit, y, cell, MODEL, np.minimum(person, 12))
    assert found.status == "too_few_persons"
    assert found.message == "name level: 1 of 4 cells have a single person"
    assert np.isnan(found.jackknife).all()
    assert np.isnan(found.cluster_robust).all()


def test_without_a_fit_there_is_nothing() -> None:
    y, cell, person = sample()
    found = name_level(no_fit(len(y), 4, "invariant", "why"), y, cell, MODEL, person)
    assert (found.status, found.message, found.n_persons) == ("no_fit", "", 16)
    assert np.isnan(found.jackknife).all()


def test_a_refit_without_a_maximum_is_not_converged() -> None:
    # Without person 0 of cell 0 no score varies any more.
    cell = np.repeat(np.arange(4), 6)
    person = np.repeat(np.arange(8), 3)
    y = np.where(person == 0, [0.2, 0.4, 0.6] * 8, 0.3 + 0.1 * cell)
    fit = fit_beta(y, CELLS[cell])
    assert fit.status == "ok"
    found = name_level(fit, y, cell, MODEL, person)
    assert found.status == "not_converged"
    assert found.message == "name level: 1 of 8 leave-one-person-out fits failed"
