"""The effects of a summary in the order and the words of the page: one row for each term but the intercepts."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from bias_lab.report.numbers import is_missing
from bias_lab.stats import stars
from bias_lab.summary.collect import ALPHA
from bias_lab.summary.grids import HOLDS
from bias_lab.summary.grids import PAPER_ONLY as PAPER_MARK

# How strong a claim a row supports, strongest first.
FINDING, BOUNDED, PAPER_ONLY, INCONCLUSIVE, NO_TEST = "finding", "bounded", "paper_only", "inconclusive", "no_test"
KINDS = (FINDING, BOUNDED, PAPER_ONLY, INCONCLUSIVE, NO_TEST)
DIMENSIONS = ("model", "language", "emotion", "eec", "factors")
KEYS = [*DIMENSIONS, "subset", "coding", "term"]
MARKS = (
    "*** p < .01, ** p < .05, * p < .10 with names as the unit, not adjusted",
    f"{PAPER_MARK} only the published test claims it: its p < .05, that by names ≥ .05",
    f"{HOLDS} holds after adjustment: q < .05",
)  # what `marks` say
_COLUMNS = {
    "effect_response": "effect",
    "effect_ci_name_low": "low",
    "effect_ci_name_high": "high",
    "effect_ci_low": "low_iid",
    "effect_ci_high": "high_iid",
}
_AS_THEY_ARE = [
    "p_name", "q", "p_perm", "p_iid", "coefficient", "design_effect", "mde_response", "raw_difference", "level",
    "smallest_effect", "n_persons", "n_rows", "n_seeds", "seed_sd_effect", "seed_sign_agreement", "status", "message",
    "verdict", "paper_only", "same_as",
]  # fmt: skip


def effects(coefficients: pd.DataFrame) -> pd.DataFrame:
    """Pick, name and sort what the page shows of a summary's coefficients.

    Returns one row per (model, language, emotion, eec, subset, coding, term), intercepts left out, sorted by kind
    of claim, then by size: the keys; contrast ("female vs male") and condition ("gender: male"); effect, low,
    high (difference of mean scores, name-level interval), low_iid, high_iid (the paper's); kind, one of `KINDS`;
    marks (see `MARKS`; by p_name, as in the summary's tables); order, the place of the term in its corpus' analysis;
    and the summary's p-values, seeds, status and verdict. Empty in, empty out.
    """
    if coefficients.empty:
        return pd.DataFrame(
            columns=[*KEYS, "contrast", "condition", "kind", "marks", "order", *_COLUMNS.values(), *_AS_THEY_ARE]
        )
    found = coefficients[coefficients["factors"].astype(object).fillna("") != ""].rename(columns=_COLUMNS)
    rows = found.to_dict("records")
    # An analysis of the user's own may give less than the whole table; what it lacks is missing.
    table = found.reindex(columns=[*KEYS, "condition", *_COLUMNS.values(), *_AS_THEY_ARE]).assign(
        condition=found["condition"].astype(object).fillna(""),
        contrast=[_contrast(row) for row in rows],
        kind=[kind(row) for row in rows],
        marks=[_marks(row) for row in rows],
        order=found.groupby(["eec", "subset", "coding"])["term"].transform(lambda terms: pd.factorize(terms)[0]),
    )
    order = table.assign(_kind=table["kind"].map(KINDS.index), _size=-table["effect"].abs())
    return order.sort_values(["_kind", "_size", *KEYS]).drop(columns=["_kind", "_size"]).reset_index(drop=True)


def kind(row: Mapping[str, Any]) -> str:
    """What a row of a summary's coefficients supports after adjustment, by the same rule as its verdict in words."""
    if row["status"] != "ok" or row["status_name"] != "ok":
        return NO_TEST
    alpha = 1 - row["level"]
    if _tested_p(row) < alpha:
        return FINDING
    if not is_missing(row["p_equivalence"]) and row["p_equivalence"] < alpha:
        return BOUNDED
    return PAPER_ONLY if row["paper_only"] else INCONCLUSIVE


def _tested_p(row: Mapping[str, Any]) -> float:
    return row["p_name"] if is_missing(row.get("q")) else row["q"]


def _marks(row: Mapping[str, Any]) -> str:
    if kind(row) == NO_TEST:
        return ""
    return stars(row["p_name"]) + (PAPER_MARK if row["paper_only"] else "") + (HOLDS if row["q"] < ALPHA else "")


def _contrast(row: Mapping[str, Any]) -> str:
    """Such as "female vs male", or "Arab × female" for what the two bring together."""
    if ":" in row["factors"]:
        return row["levels"].replace(":", " × ")
    return f"{row['levels']} vs {row['references']}"
