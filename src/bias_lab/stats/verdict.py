"""What a row of the table of coefficients says, in words that claim no more than the row does."""

import math
from collections.abc import Mapping
from typing import Any

_NO_ESTIMATE = {
    "degenerate": "no answer: the scores do not vary within groups",
    "invariant": "no test: the model gives all persons of a group the same scores, it does not see them",
    "rank_deficient": "no answer: some groups have no sentences",
    "not_converged": "no answer: no fit was found",
    "saturated": "no test: too few sentences to judge by",
}
_NO_NAME_LEVEL = {
    "too_few_persons": "no test: a group has a single person, so names cannot be told from groups",
    "not_converged": "no test: leave-one-out fits failed",
}
# A number must not be rounded to less than this many digits of its uncertainty.
_DIGITS = 2


def verdict(row: Mapping[str, Any]) -> str:
    """Say what one row of `analyse` (or of `adjust_families`, then with q for p) supports.

    "higher for female than male (race: European), +.021 [.008, .034], q = .02": the name-level test at 1 - level,
    with the difference of mean scores and its name-level interval. "no larger than .01: ...": no difference was
    found and the equivalence test against `smallest_effect` supports it. "inconclusive: could have detected
    .06; ...": neither. Rows without an estimate or a name-level test say why.
    """
    if row["status"] != "ok":
        text = _NO_ESTIMATE[row["status"]]
        known = row["status"] == "invariant" and row["factors"]
        return f"{text} (difference of means {_signed(row['raw_difference'], 3)})" if known else text
    if row["status_name"] != "ok":
        return _NO_NAME_LEVEL[row["status_name"]]
    if not row["factors"]:
        return f"mean score {_plain(row['effect_response'], _decimals(row))} {_interval(row)}"
    is_adjusted = not _missing(row.get("q"))
    p, alpha = row["q"] if is_adjusted else row["p_name"], 1 - row["level"]
    numbers = (
        f"{_signed(row['effect_response'], _decimals(row))} {_interval(row)}, {_p(p, 'q' if is_adjusted else 'p')}"
    )
    bounded = not _missing(row["p_equivalence"]) and row["p_equivalence"] < alpha
    bound = f"no larger than {_short(row['smallest_effect'])}" if bounded else ""
    if p < alpha:
        text = f"{_direction(row)}, {numbers}" + (f", yet {bound}" if bound else "")
    elif bound:
        text = f"{bound}: {numbers}"
    else:
        text = f"inconclusive: could have detected {_short(row['mde_response'])}; {numbers}"
    return text + _other_scale(row, alpha)


def _direction(row: Mapping[str, Any]) -> str:
    """Such as "higher for female than male (race: European)"."""
    word = "higher" if row["effect_response"] > 0 else "lower"
    factors = row["factors"].split(":")
    if len(factors) > 1:
        return f"{word} for {row['levels'].replace(':', ' ')} than {' and '.join(factors)} alone would give"
    condition = f" ({row['condition']})" if row["condition"] else ""
    return f"{word} for {row['levels']} than {row['references']}{condition}"


def _other_scale(row: Mapping[str, Any], alpha: float) -> str:
    """A warning where the logit coefficient, which is tested, and the difference of scores decide differently."""
    if (row["p_name"] < alpha) == (row["p_effect_name"] < alpha):
        return ""
    return f" (logit scale: {_p(row['p_name'], 'p')}; difference of scores: {_p(row['p_effect_name'], 'p')})"


def _interval(row: Mapping[str, Any]) -> str:
    decimals = _decimals(row)
    low, high = (_plain(row[f"effect_ci_name_{side}"], decimals) for side in ("low", "high"))
    return f"[{low}, {high}]"


def _decimals(row: Mapping[str, Any]) -> int:
    """Three, or as many as two digits of the interval's half-width need."""
    half = (row["effect_ci_name_high"] - row["effect_ci_name_low"]) / 2
    return max(3, _DIGITS - 1 - math.floor(math.log10(half))) if half > 0 else 3


def _plain(value: float, decimals: int) -> str:
    """Without the zero before the point: .008, -.013, 1.000."""
    text = f"{value:.{decimals}f}"
    text = text.removeprefix("-") if not float(text) else text
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def _signed(value: float, decimals: int) -> str:
    text = _plain(value, decimals)
    return text if text.startswith("-") or not float(text) else f"+{text}"


def _short(value: float) -> str:
    """Two digits: .06, .0013."""
    decimals = max(_DIGITS, _DIGITS - 1 - math.floor(math.log10(value))) if value > 0 else _DIGITS
    text = _plain(value, decimals)
    return text.rstrip("0").rstrip(".")


def _p(value: float, symbol: str) -> str:
    return f"{symbol} < .001" if value < 0.001 else f"{symbol} = {_short(value)}"  # noqa: PLR2004


def _missing(value: Any) -> bool:
    return value is None or math.isnan(value)
