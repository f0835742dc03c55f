"""How well predictions agree with gold scores: SemEval-2018 Task 1's two metrics, and two more."""

from dataclasses import dataclass

import numpy as np
from scipy import stats

GOLD_THRESHOLD = 0.5  # the task's second metric looks at the moderately to highly emotional texts only
# A spread below this share of the values' size is rounding of a constant, a float32 model's included, not variation.
RELATIVE_SPREAD = 1e-6


@dataclass(frozen=True)
class Agreement:
    """Agreement over one split of `n` texts; `None` where a metric is undefined.

    `pearson`, `pearson_high` (gold >= 0.5) and `spearman` lie in [-1, 1]; `mse` in squared score units.
    """

    n: int
    n_high: int
    pearson: float | None
    pearson_high: float | None
    spearman: float | None
    mse: float


def evaluate(predicted: np.ndarray, gold: np.ndarray) -> Agreement:
    """All metrics of predictions (n,) against gold scores (n,), once over the whole split, in float64."""
    predicted, gold = _pair(predicted, gold)
    high = gold >= GOLD_THRESHOLD
    return Agreement(
        n=len(gold),
        n_high=int(high.sum()),
        pearson=pearson(predicted, gold),
        pearson_high=pearson(predicted[high], gold[high]),
        spearman=spearman(predicted, gold),
        mse=float(np.mean((predicted - gold) ** 2)),
    )


def pearson(predicted: np.ndarray, gold: np.ndarray) -> float | None:
    """Pearson's r of two (n,) arrays, `None` for fewer than two pairs or where one side is constant."""
    predicted, gold = _pair(predicted, gold)
    if _constant(predicted) or _constant(gold):
        return None
    return float(stats.pearsonr(predicted, gold).statistic)


def spearman(predicted: np.ndarray, gold: np.ndarray) -> float | None:
    """Spearman's rank correlation of two (n,) arrays, `None` where `pearson` would be."""
    predicted, gold = _pair(predicted, gold)
    if _constant(predicted) or _constant(gold):
        return None
    return float(stats.spearmanr(predicted, gold).statistic)


def _pair(predicted: np.ndarray, gold: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    predicted, gold = np.asarray(predicted, dtype=np.float64), np.asarray(gold, dtype=np.float64)
    if predicted.shape != gold.shape or predicted.ndim != 1:
        raise ValueError(f"predictions {predicted.shape} and gold scores {gold.shape} must be of one length, 1-d")
    if not (np.isfinite(predicted).all() and np.isfinite(gold).all()):
        raise ValueError(f"{int((~np.isfinite(predicted)).sum())} predictions are NaN or infinite")
    return predicted, gold


def _constant(values: np.ndarray) -> bool:
    return len(values) < 2 or float(np.ptp(values)) <= RELATIVE_SPREAD * float(np.abs(values).max())  # noqa: PLR2004
