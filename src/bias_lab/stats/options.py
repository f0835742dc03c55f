"""Checks of what a user may choose in the regression; each raises ConfigError with key, value and what is allowed."""

from bias_lab.errors import ConfigError

PRECISIONS = ("constant", "by_group")


def check_share(key: str, value: object, example: float) -> None:
    """Refuse what is not a number strictly between 0 and 1."""
    _refuse_outside(key, value, f"a number between 0 and 1 (such as {example:g}) is needed")


def check_smallest_effect(value: object) -> None:
    """Refuse what is neither None nor a difference of scores."""
    if value is not None:
        wanted = "a difference of scores between 0 and 1 (such as 0.01) is needed, or null for no test"
        _refuse_outside("smallest_effect", value, wanted)


def check_count(key: str, value: object, wanted: str) -> None:
    """Refuse what is not a whole number from 0."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ConfigError(f"stats.{key}: got {value!r}; {wanted}")


def check_precision(value: object) -> None:
    """Refuse what is not a name of a model of the precision."""
    if value not in PRECISIONS:
        raise ConfigError(f"stats.precision: got {value!r}; allowed: {', '.join(PRECISIONS)}")


def _refuse_outside(key: str, value: object, wanted: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1:
        raise ConfigError(f"stats.{key}: got {value!r}; {wanted}")
