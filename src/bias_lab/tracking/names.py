"""What things are called on W&B: the one place for runs, dashboards and the documentation to agree on.

W&B sorts, filters and groups by names of letters, digits and `_`, with `/` between the levels; so the parts of a name
that a user chose (models, levels of factors) are rewritten: `race[African-American]` is `race_African_American`.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

CELL, SUMMARY = "cell", "summary"  # job types
MODEL, LANGUAGE, EMOTION, CELL_NAME = "model_name", "language", "emotion", "cell"  # keys of a cell's configuration
TEST_PEARSON = "test/pearson"
CURVES = ("train/loss", "train/dev_loss", "train/dev_pearson")  # one step an epoch
COEFFICIENTS = "coefficients"  # a table, and the figure beside it
PEARSON, EFFECTS, FINDINGS, FAILED = "summary_pearson", "summary_coefficients", "summary_findings", "summary_failed"
LOGGED = ("coefficient", "p_iid", "std_error_name", "p_name", "effect_response")
LONGEST_TAG = 64  # characters; W&B refuses longer ones


def name_part(text: str) -> str:
    """A text as one level of a metric's name; letters of any script stay."""
    return re.sub(r"\W", "_", text)


def term_part(term: str, *, subset: str = "names", coding: str = "treatment") -> str:
    """A term as one level of a metric's name, such as `race_Arab_x_gender_female`.

    Those of another subset or coding than the paper's have it at their end, `gender_female_noun_phrases`.
    """
    products = [name_part(part.removesuffix("]")) for part in term.split(":")]
    others = [value for value, usual in ((subset, "names"), (coding, "treatment")) if value != usual]
    return "_".join(["_x_".join(products), *others])


def effect_name(row: Mapping[str, Any], value: str, *within: str) -> str:
    """The name of a value of a row of coefficients: `bias/<corpus>/<term>/<value>`; `within` comes before the value."""
    term = term_part(row["term"], subset=row["subset"], coding=row["coding"])
    return "/".join(["bias", name_part(row["eec"]), term, *map(name_part, within), value])


def bias_metrics(coefficients: "pd.DataFrame") -> dict[str, Any]:
    """A run's coefficients (the table of `bias_lab.stats.analyse`) as metrics; what is undefined is left out."""
    import pandas as pd

    metrics: dict[str, Any] = {}
    for row in coefficients.to_dict("records"):
        metrics[effect_name(row, "status")] = row["status"]
        metrics |= {effect_name(row, value): row[value] for value in LOGGED if pd.notna(row[value])}
    return metrics


def pearson_name(model: str, language: str, emotion: str) -> str:
    """`pearson/<model>/<language>/<emotion>`, of a sweep's summary."""
    return "/".join(["pearson", *map(name_part, (model, language, emotion))])


def describe_cell(label: str, config: Mapping[str, Any]) -> dict[str, str]:
    """Model, language, emotion and all three, as keys to group and filter runs by; empty for what is no cell.

    label: such as `xlmr-ar-anger-s0`; its configuration holds the task and the seed.
    """
    task = config.get("task")
    if not isinstance(task, Mapping) or not {"lang", "emotion"} <= set(task):
        return {}
    language, emotion = str(task["lang"]), str(task["emotion"])
    cell = label.removesuffix(f"-s{config.get('seed')}")
    return {
        MODEL: cell.removesuffix(f"-{language}-{emotion}"),
        LANGUAGE: language,
        EMOTION: emotion,
        CELL_NAME: cell,
    }


def group_of(sweep: Path) -> str:
    """The group of a sweep's runs, from its folder: `2030-01-31_12-00-00`."""
    return f"{sweep.parent.name}_{sweep.name}"
