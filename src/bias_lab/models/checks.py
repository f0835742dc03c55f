"""What the text estimators require of their options, texts and targets."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags
from sklearn.utils.validation import assert_all_finite, check_consistent_length, column_or_1d

from bias_lab.errors import ConfigError


def require_number(
    key: str, value: Any, *, whole: bool = False, at_least: float | None = None, above: float | None = None
) -> None:
    """Raise `ConfigError` naming `key` unless `value` is a finite number (or whole number) within the bound given."""
    kinds = (int, np.integer) if whole else (int, float, np.integer, np.floating)
    number = value if isinstance(value, kinds) and not isinstance(value, bool) else float("nan")
    inside = (at_least is None or number >= at_least) and (above is None or number > above)
    if not inside or not np.isfinite(number):
        bound = f"of at least {at_least:g}" if above is None else f"above {above:g}"
        raise ConfigError(f"{key}={value!r} is not allowed: give a {'whole ' if whole else ''}number {bound}")


def require_flag(key: str, value: Any) -> None:
    """Raise `ConfigError` naming `key` unless `value` is true or false."""
    if not isinstance(value, bool):
        raise ConfigError(f"{key}={value!r} is not allowed: give true or false")


def of_texts(tags: Tags) -> Tags:
    """An estimator's tags, in place, for one whose input is a one-dimensional array of texts."""
    tags.input_tags.string = True
    tags.input_tags.two_d_array = False
    tags.input_tags.one_d_array = True
    return tags


def check_texts(X: Any) -> list[str]:
    """Give the n texts of a sequence, array or Series (n,) of str as a list.

    Raises:
        TypeError, ValueError: it is one str, not one-dimensional, empty, or holds something else than str. These are
            scikit-learn's kinds of error for unfit input, which its own tools expect.
    """
    if isinstance(X, str):
        raise ValueError("Iterable over raw text documents expected, string object received.")
    if hasattr(X, "toarray"):
        raise TypeError("Sparse data was passed, but texts are required: a sequence of str.")
    if getattr(X, "ndim", 1) != 1:
        raise ValueError(f"Expected 1D array of str, got {X.ndim}D array instead. Reshape your data: one text a row.")
    texts = list(X)
    if not texts:
        raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")
    for row, text in enumerate(texts):
        if not isinstance(text, str):
            raise TypeError(f"a text must be a str, got {type(text).__name__} {text!r} in row {row}")
    return [str(text) for text in texts]


def check_targets(estimator: object, texts: Sequence[str], y: Any) -> NDArray[np.float64]:
    """Give the targets of n texts as float64 (n,).

    Raises:
        ValueError: there are none, not one a text, or one that is not a finite number.
    """
    if y is None:
        raise ValueError(f"{type(estimator).__name__} requires y to be passed, but the target y is None")
    targets = column_or_1d(y, dtype=np.float64, warn=True)
    check_consistent_length(texts, targets)
    assert_all_finite(targets, input_name="y")
    return targets
