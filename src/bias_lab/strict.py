"""Settings made strict: mappings into dataclasses, choices, whole numbers; errors name key, value, what is allowed."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from bias_lab.errors import ConfigError

T = TypeVar("T")


def build(cls: type[T], values: Mapping[str, Any], *, where: str) -> T:
    """Make a dataclass of plain fields (str, int, float, bool, Literal, dict, None) from a mapping.

    Raises `ConfigError` for an unknown or missing key and for a value of another type; `where` prefixes the key.
    """
    hints = get_type_hints(cls)
    known = {field.name: field for field in fields(cls)}  # type: ignore[arg-type]
    for key, value in values.items():
        if key not in known:
            raise ConfigError(f"{where}.{key} is not a setting{suggestion(str(key), list(known))}")
        _check_type(f"{where}.{key}", value, hints[key])
    for name, field in known.items():
        if name not in values and field.default is MISSING and field.default_factory is MISSING:
            raise ConfigError(f"{where}.{name} is missing: set it, for instance {where}.{name}=...")
    return cls(**values)


def suggestion(got: str, choices: Sequence[str]) -> str:
    """The end of an error message: the nearest choice if one is near, and all of them."""
    near = difflib.get_close_matches(got, choices, n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    return f"{hint} (choices: {', '.join(choices)})"


def _check_type(key: str, value: Any, hint: Any) -> None:
    options = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    if not any(_fits(value, option) for option in options):
        allowed = " or ".join(_name(option) for option in options)
        raise ConfigError(f"{key}={value!r} is not allowed: give {allowed}")


def _fits(value: Any, hint: Any) -> bool:
    if get_origin(hint) is Literal:
        return value in get_args(hint) and isinstance(value, str)
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, get_origin(hint) or hint)


def _name(hint: Any) -> str:
    if get_origin(hint) is Literal:
        return "one of " + ", ".join(get_args(hint))
    plain = {str: "a text", int: "a whole number", float: "a number", bool: "true or false", NoneType: "null"}
    return plain.get(hint, getattr(get_origin(hint) or hint, "__name__", str(hint)))


def check_whole(key: str, got: int) -> None:
    """Raise `ConfigError` unless a setting is a whole number of at least 1."""
    if isinstance(got, bool) or not isinstance(got, int) or got < 1:
        raise ConfigError(f"{key}={got}: give a whole number, 1 or more")


def check_choice(key: str, got: object, choices: Sequence[str]) -> None:
    """Raise `ConfigError` unless a setting is one of `choices`."""
    if got not in choices:
        raise ConfigError(f"{key}={got}: choose one of {', '.join(choices)}")
