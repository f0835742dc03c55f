"""The interface that encoder with head and the baselines share."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np


@runtime_checkable
class Regressor(Protocol):
    """Texts in, emotion intensities out; all texts are raw, a regressor cleans them itself."""

    def fit(
        self,
        texts: Sequence[str],
        scores: np.ndarray,
        *,
        dev_texts: Sequence[str],
        dev_scores: np.ndarray,
        seed: int,
    ) -> None:
        """Learn from n texts with scores (n,) in [0, 1]; the dev set decides when to stop, where that is a question."""

    def predict(self, texts: Sequence[str]) -> np.ndarray:
        """Scores float64 (n,) of n texts."""

    def coverage(self, texts: Sequence[str]) -> dict[str, int]:
        """`tokens` and, of them, `unknown` to the model's vocabulary, over all texts; it may tell more."""

    def save(self, folder: Path) -> None:
        """Write what was learnt into an existing folder."""

    def describe(self) -> dict[str, Any]:
        """Where the numbers come from (checkpoint, parameters, cache use), as plain types."""
