"""Numbers as a reader of the page sees them; a missing one is a dash."""

from typing import Any

import pandas as pd

MISSING = "–"


def is_missing(value: Any) -> bool:
    """Whether there is no value: None, NaN or pandas' NA."""
    return value is None or bool(pd.isna(value))


def fixed(value: Any, decimals: int = 3) -> str:
    """With so many decimals and no zero before the point, as the verdicts have it: .123, -.020, 1.000."""
    if is_missing(value):
        return MISSING
    text = f"{value:.{decimals}f}"
    text = text.removeprefix("-") if not float(text) else text
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def signed(value: Any, decimals: int = 3) -> str:
    """As `fixed`, with the value's own sign always shown, even where it rounds to zero: -.000. Zero has none."""
    if is_missing(value):
        return MISSING
    return f"{'-' if value < 0 else '+' if value else ''}{fixed(abs(value), decimals)}"


def interval(low: Any, high: Any, decimals: int = 3) -> str:
    """Such as [-.010, .032]."""
    return MISSING if is_missing(low) or is_missing(high) else f"[{fixed(low, decimals)}, {fixed(high, decimals)}]"


def probability(p: Any) -> str:
    """A p- or q-value, never a bare zero."""
    if is_missing(p):
        return MISSING
    return "<.001" if p < 0.001 else fixed(p)  # noqa: PLR2004


def count(value: Any) -> str:
    """A whole number with thin groups of thousands, such as 8,640."""
    return MISSING if is_missing(value) else f"{int(value):,}"


def percent(share: Any) -> str:
    """A share in [0, 1] as a percentage."""
    return MISSING if is_missing(share) else f"{100 * share:.0f} %"


def listed(words: list[str]) -> str:
    """Such as "a, b and c"."""
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]])) if words else ""
