"""Rows of the charts, for figures on paper; on the page its script makes them, since filters change them."""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from bias_lab.report.charts import SEPARATOR
from bias_lab.report.numbers import MISSING, fixed, signed

_FOREST = ["effect", "low", "high", "low_iid", "high_iid", "kind"]


def forest_rows(effects: pd.DataFrame, *, by: str = "emotion") -> list[dict[str, Any]]:
    """Effects of one term in one corpus, under headings by "emotion" or by "model"."""
    inner = "model" if by == "emotion" else "emotion"
    ordered = effects.sort_values([by, inner])
    notes = ordered["status"].str.replace("invariant", "names not seen").str.replace("_", " ")
    table = ordered.assign(note=notes.where(ordered["effect"].isna(), ""))
    return list(_grouped(table, by, inner, [*_FOREST, "note"]))


def heat_rows(effects: pd.DataFrame) -> list[dict[str, Any]]:
    """Effects of one kind of term, under headings by corpus (and contrast, where a corpus has several)."""
    several = effects.groupby("eec")["term"].transform("nunique") > 1
    shown = [
        MISSING if pd.isna(effect) else f"{signed(effect, 2)}{marks}"
        for effect, marks in effects[["effect", "marks"]].itertuples(index=False)
    ]
    group = effects["eec"].where(~several, effects["eec"] + ": " + effects["contrast"])
    table = effects.assign(group=group, shown=shown).sort_values(["eec", "term", "emotion", "model"])
    return list(_grouped(table, "group", "emotion", ["model", "effect", "shown"]))


def name_rows(names: pd.DataFrame) -> list[dict[str, Any]]:
    """Names of one run with their means, under headings by group; `names` has subset and group."""
    group_mean = names.groupby("group")["mean"].transform("mean")
    heading = names["group"] + ", mean " + group_mean.map(fixed)
    table = names.assign(group_mean=group_mean, heading=heading).sort_values(["group", "mean"])
    return list(_grouped(table, "heading", "person", ["mean", "group_mean"]))


def _grouped(table: pd.DataFrame, by: str, label: str, fields: list[str]) -> Iterator[dict[str, Any]]:
    for group, members in table.groupby(by, sort=False):
        yield {"key": f"{group}{SEPARATOR}", "heading": str(group), "note": "", "shown": ""}
        for row in members.to_dict("records"):
            values = {name: None if pd.isna(row[name]) else row[name] for name in fields}
            yield {"key": f"{group}{SEPARATOR}{row[label]}", "heading": "", **values}
