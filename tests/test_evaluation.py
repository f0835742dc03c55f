import numpy as np
import pytest
from scipy import stats

from bias_lab.evaluation import evaluate, pearson, spearman

RNG = np.random.default_rng(0)
GOLD = RNG.random(200)
PREDICTED = 0.5 * GOLD + 0.5 * RNG.random(200)


def test_metrics_equal_scipy_over_the_whole_split():
    found = evaluate(PREDICTED, GOLD)
    high = GOLD >= 0.5
    assert found.pearson == pytest.approx(stats.pearsonr(PREDICTED, GOLD).statistic, abs=1e-15)
    assert found.pearson_high == pytest.approx(stats.pearsonr(PREDICTED[high], GOLD[high]).statistic, abs=1e-15)
    assert found.spearman == pytest.approx(stats.spearmanr(PREDICTED, GOLD).statistic, abs=1e-15)
    assert found.mse == pytest.approx(sum((p - g) ** 2 for p, g in zip(PREDICTED, GOLD, strict=True)) / 200, rel=1e-12)
    assert (found.n, found.n_high) == (200, int(high.sum()))


def test_a_hand_computed_value():
    # deviations (-1, 0, 1) and (-1, 1, 0): 1 / sqrt(2 * 2)
    assert pearson(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0])) == pytest.approx(0.5, abs=1e-15)


@pytest.mark.parametrize(
    ("predicted", "gold"),
    [
        (np.full(5, 0.3), np.arange(5) / 5),
        (np.arange(5) / 5, np.full(5, 0.3)),
        (0.3 + np.arange(5) * 1e-17, np.arange(5) / 5),
        (np.array([0.1]), np.array([0.2])),
        (np.array([]), np.array([])),
    ],
)
def test_it_is_undefined_where_a_side_is_constant_or_too_short(predicted, gold):
    assert pearson(predicted, gold) is None
    assert spearman(predicted, gold) is None


def test_float32_predictions_are_measured_in_float64():
    predicted = (1000 + GOLD * 1e-2).astype(np.float32)
    assert pearson(predicted, GOLD) == pytest.approx(
        stats.pearsonr(predicted.astype(np.float64), GOLD).statistic, abs=1e-15
    )


def test_missing_predictions_and_unequal_lengths_are_errors():
    with pytest.raises(ValueError, match="1 predictions are NaN or infinite"):
        evaluate(np.array([0.1, np.nan]), np.array([0.1, 0.2]))
    with pytest.raises(ValueError, match=r"predictions \(2,\) and gold scores \(3,\)"):
        evaluate(np.zeros(2), np.zeros(3))
