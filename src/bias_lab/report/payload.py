"""What the page's script reads: effects, names, sentences and charts, as JSON that is safe inside HTML."""

import json
from typing import Any

import numpy as np
import pandas as pd

from bias_lab.report import charts
from bias_lab.report.effects import KINDS
from bias_lab.report.findings import QUESTION
from bias_lab.report.theme import theme
from bias_lab.summary.counting import SUBSET_OF

DIGITS = 6
_EFFECT_COLUMNS = [
    "model", "language", "emotion", "eec", "factors", "coding", "subset", "term", "order", "contrast", "condition",
    "effect", "low", "high", "low_iid", "high_iid", "kind", "marks", "mde_response", "p_name", "q", "p_iid",
    "n_seeds", "seed_sd_effect", "verdict", "same_as",
]  # fmt: skip
_NAME_COLUMNS = ["model", "language", "emotion", "eec", "person", "subset", "group", "mean", "sd", "n"]
_NOT_FACTORS = {"model", "language", "emotion", "eec", "person", "person_kind", "mean", "sd", "n", "tokens", "unknown"}


def payload(
    effects: pd.DataFrame, names: pd.DataFrame, scores: dict[str, Any], *, corpora: list[str], persons: str
) -> dict[str, Any]:
    """Everything, as plain types; tables go column by column, each text once.

    corpora: in the order in which the page shows them. persons: whether the page starts with "names" or "noun_phrases".
    """
    told = (
        effects.assign(note=_notes(effects), question=effects[QUESTION].astype(str).agg("\n".join, axis=1))
        if len(effects)
        else effects.reindex(columns=[*_EFFECT_COLUMNS, "note", "question"])
    )
    return {
        "effects": columns(told[[*_EFFECT_COLUMNS, "note", "question"]]),
        "names": columns(with_groups(names)[_NAME_COLUMNS]),
        "scores": scores,
        "charts": {"forest": charts.forest(), "heat": charts.heat_map(), "names": charts.names()},
        "themes": {"light": theme(), "dark": theme(dark=True)},
        "kinds": list(KINDS),
        "corpora": corpora,
        "persons": persons,
        "separator": charts.SEPARATOR,
    }


def factor_columns(names: pd.DataFrame) -> list[str]:
    """The columns of a summary's names that hold factors."""
    return [name for name in names.columns if name not in _NOT_FACTORS]


def with_groups(names: pd.DataFrame) -> pd.DataFrame:
    """Add subset ("names" | "noun_phrases") and group, such as "Arab, female"."""
    levels = names[factor_columns(names)].astype(object)
    groups = [", ".join(str(level) for level in row if pd.notna(level)) for row in levels.to_numpy()]
    return names.assign(subset=names["person_kind"].map(SUBSET_OF), group=groups)


def columns(table: pd.DataFrame) -> dict[str, Any]:
    """A table as columns: numbers as they are, texts as a list of values and a code for each row (-1: missing)."""
    found: dict[str, Any] = {}
    for name in table.columns:
        values = table[name]
        if pd.api.types.is_numeric_dtype(values) and values.dtype != bool:
            array = values.astype("float64").to_numpy().round(DIGITS)
            found[name] = [None if np.isnan(value) else _short(value) for value in array]
        else:
            codes, texts = pd.factorize(values.astype(object))
            found[name] = {"values": [str(text) for text in texts], "codes": codes.tolist()}
    return found


def json_for_html(value: Any) -> str:
    """JSON that cannot end a script element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _short(value: float) -> float | int:
    return int(value) if value == int(value) else float(value)


def _notes(effects: pd.DataFrame) -> pd.Series:
    """What stands in a chart in place of an estimate."""
    reason = effects["status"].where(effects["status"] != "invariant", "names not seen")
    return reason.str.replace("_", " ").where(effects["effect"].isna(), "")
