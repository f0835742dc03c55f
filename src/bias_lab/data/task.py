"""What every task reader returns: texts with gold scores, split train/dev/test, and their files."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bias_lab.errors import DataError

LANGUAGES = ("en", "es", "ar")
EMOTIONS = ("anger", "fear", "joy", "sadness")
SPLITS = ("train", "dev", "test")


@dataclass(frozen=True, eq=False)
class Split:
    """One part of a task.

    Attributes:
        texts: n texts as they stand in the file (cleaning is the regressor's business).
        scores: float64 (n,), gold intensities in [0, 1]; a read-only copy of what was given.
        ids: n identifiers, unique within the split.

    Raises:
        DataError: nothing in it, unequal lengths, a score that is not a finite number in [0, 1], an id twice.
    """

    texts: tuple[str, ...]
    scores: NDArray[np.float64]
    ids: tuple[str, ...]

    def __post_init__(self) -> None:
        scores = np.array(self.scores, dtype=np.float64)
        scores.flags.writeable = False
        for key, value in (("texts", tuple(self.texts)), ("scores", scores), ("ids", tuple(self.ids))):
            object.__setattr__(self, key, value)
        n = len(self.texts)
        if n == 0:
            raise DataError("a split is empty; it needs at least one text")
        if scores.shape != (n,) or len(self.ids) != n:
            raise DataError(
                f"a split has {n} texts, scores of shape {scores.shape} and {len(self.ids)} ids; "
                "all three need the same length"
            )
        bad = np.flatnonzero(~((scores >= 0) & (scores <= 1)))  # NaN fails both comparisons
        if bad.size:
            raise DataError(f"text {self.ids[bad[0]]!r} has the score {scores[bad[0]]}; scores lie in [0, 1]")
        twice = first_duplicate(self.ids)
        if twice is not None:
            raise DataError(f"the id {self.ids[twice]!r} occurs twice in a split; ids must be unique")

    def __len__(self) -> int:
        return len(self.texts)


@dataclass(frozen=True)
class DataFile:
    """A file that was read: where, SHA-256 (hex) of the very bytes that were parsed, rows of data."""

    path: str
    sha256: str
    rows: int


@dataclass(frozen=True, eq=False)
class Task:
    """Emotion intensity of texts in one language, split train/dev/test.

    Raises:
        DataError: the name, language or emotion is blank.
    """

    name: str
    language: str
    emotion: str
    train: Split
    dev: Split
    test: Split
    files: tuple[DataFile, ...]

    def __post_init__(self) -> None:
        for key in ("name", "language", "emotion"):
            value = getattr(self, key)
            if not isinstance(value, str) or not value.strip():
                raise DataError(f"a task's {key} is {value!r}; it must be a word, such as 'en' or 'joy'")


def first_duplicate(values: Sequence[str]) -> int | None:
    """Index of the first value that stood earlier in the sequence; None where all are unique."""
    seen: set[str] = set()
    for index, value in enumerate(values):
        if value in seen:
            return index
        seen.add(value)
    return None


def parse_score(text: str, *, where: str) -> float:
    """Read a gold score in [0, 1], written with a decimal point.

    Raises:
        DataError: anything else; `where` (file and line) opens the message.
    """
    try:
        score = float(text) if "_" not in text else math.nan  # Python reads "0_5" as 5
    except ValueError:
        score = math.nan
    if math.isnan(score):
        raise DataError(f"{where}: the score is {text!r}; expected a number from 0 to 1, such as 0.517")
    if not 0 <= score <= 1:
        raise DataError(f"{where}: the score is {text}, outside [0, 1]; rescale the scores to 0..1")
    return score
