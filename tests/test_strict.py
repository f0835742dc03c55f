from dataclasses import dataclass
from typing import Any, Literal

import pytest

from bias_lab.errors import ConfigError
from bias_lab.strict import build, check_choice


@dataclass(frozen=True)
class Example:
    kind: Literal["a", "b"]
    count: int
    share: float = 0.5
    label: str | None = None
    extra: dict[str, Any] | None = None


def test_it_builds_what_fits():
    assert build(Example, {"kind": "a", "count": 2, "share": 1}, where="x") == Example("a", 2, 1)
    assert build(Example, {"kind": "b", "count": 0, "label": "n", "extra": {"k": 1}}, where="x").extra == {"k": 1}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {"kind": "a", "cuont": 2},
            "x.cuont is not a setting; did you mean count? (choices: kind, count, share, label, extra)",
        ),
        ({"kind": "a"}, "x.count is missing: set it, for instance x.count=..."),
        ({"kind": "c", "count": 1}, "x.kind='c' is not allowed: give one of a, b"),
        ({"kind": "a", "count": "1"}, "x.count='1' is not allowed: give a whole number"),
        ({"kind": "a", "count": True}, "x.count=True is not allowed: give a whole number"),
        ({"kind": "a", "count": 1, "share": "half"}, "x.share='half' is not allowed: give a number"),
        ({"kind": "a", "count": 1, "label": 3}, "x.label=3 is not allowed: give a text or null"),
        ({"kind": "a", "count": 1, "extra": []}, "x.extra=[] is not allowed: give dict or null"),
    ],
)
def test_what_does_not_fit_is_told_with_key_value_and_choices(values, message):
    with pytest.raises(ConfigError) as caught:
        build(Example, values, where="x")
    assert str(caught.value) == message


@pytest.mark.parametrize("got", ["fr", None, 3, ["en"]])
def test_a_choice_that_there_is_not_is_told_with_those_there_are(got):
    with pytest.raises(ConfigError) as caught:
        check_choice("task.lang", got, ("en", "es"))
    assert str(caught.value) == f"task.lang={got}: choose one of en, es"
    check_choice("task.lang", "es", ("en", "es"))
