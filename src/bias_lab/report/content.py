"""What stands on the page: the summary's tables in the words and the order of its sections."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from bias_lab.report import provenance, tables
from bias_lab.report.effects import MARKS, effects
from bias_lab.report.findings import counts, questions
from bias_lab.report.numbers import fixed, is_missing
from bias_lab.report.payload import factor_columns, json_for_html, payload
from bias_lab.report.scores import sentence_scores
from bias_lab.summary.collect import SAMPLE_NOTE
from bias_lab.summary.headline import findings_line

if TYPE_CHECKING:
    from bias_lab.summary.collect import Summary


@dataclass(frozen=True)
class Filter:
    """A filter and what it can be set to; `name` is the one in the tables' rows."""

    name: str
    title: str
    values: tuple[str, ...]


def content(summary: "Summary", *, most_scores: int) -> dict[str, Any]:
    """What the template shows, by the names it knows; `most_scores`: of single sentences, at most."""
    found = effects(summary.coefficients)
    scores, is_complete = sentence_scores(summary.cells, most=most_scores)
    manifests = provenance.read_manifests(summary.cells)
    corpora = summary.corpora.groupby("language")["name"].agg(list).to_dict() if len(summary.corpora) else {}
    statuses = summary.cells["status"].value_counts()
    view = {"coding": "treatment", "persons": _first_persons(found)}
    shown = found[(found["coding"] == view["coding"]) & (found["subset"] == view["persons"])]
    detectable = shown["mde_response"].median() if len(shown) else None
    level = found["level"].iloc[0] if len(found) else 0.95
    return {
        "data": json_for_html(
            payload(found, summary.names, scores, corpora=list(summary.corpora["name"]), persons=view["persons"])
        ),
        "filters": _filters(summary, found),
        "headline": findings_line(summary),
        "has_repeats": bool(found["same_as"].fillna("").ne("").any()),
        "counts": counts(shown),
        "detectable": None if is_missing(detectable) else fixed(detectable),
        "marks": MARKS,
        "questions": questions(found),
        "sections": _sections(has_effects=bool(len(found)), has_names=bool(len(summary.names))),
        "view": view,
        "has_both_persons": found["subset"].nunique() > 1,
        "level": f"{100 * level:g} %",
        "alpha": fixed(1 - level, 2),
        "smallest_effect": _smallest(found["smallest_effect"]),
        "all_scores": is_complete,
        "is_sample": provenance.is_sample(manifests) or SAMPLE_NOTE in summary.notes,
        "n_cells": len(summary.cells),
        "n_finished": int(statuses.get("finished", 0)),
        "notes": [f"{note[0].upper()}{note[1:]}." for note in summary.notes if note != SAMPLE_NOTE],
        "tables": _tables(summary, found, manifests, corpora),
    }


def _tables(
    summary: "Summary",
    found: pd.DataFrame,
    manifests: list[dict[str, Any]],
    corpora: dict[str, list[str]],
) -> dict[str, Any]:
    return {
        "effects": tables.effects_table(found),
        "pearson": tables.pearson_table(summary.metrics, corpora),
        "metrics": tables.metrics_table(summary.metrics, corpora),
        "seeds": tables.seeds_table(summary.cells, summary.metrics, found),
        "coverage": tables.coverage_table(summary.names, factor_columns(summary.names)),
        "corpora": provenance.corpora_table(summary.corpora, summary.names),
        "failed": provenance.failed_table(summary.cells, summary.missing),
        "cells": provenance.cells_table(summary.cells),
        "data": provenance.data_table(manifests),
        "models": provenance.models_table(manifests, summary.cells),
        "software": provenance.software_table(manifests),
    }


def _filters(summary: "Summary", found: pd.DataFrame) -> list[Filter]:
    """What can be chosen, in the order in which the summary has it."""
    cells = summary.cells
    values = {
        "model": ("Model", cells["model"]),
        "language": ("Language", cells["language"]),
        "emotion": ("Emotion", cells["emotion"].sort_values()),
        "corpus": ("Corpus", summary.corpora["name"]),
        "term": ("Term", _by_length(found.sort_values("order")["factors"])),
    }
    return [Filter(name, title, tuple(map(str, column.unique()))) for name, (title, column) in values.items()]


def _by_length(terms: pd.Series) -> pd.Series:
    """Main effects before products."""
    return terms.sort_values(key=lambda term: term.str.count(":"), kind="stable")


def _first_persons(found: pd.DataFrame) -> str:
    """What the page shows first: the names, unless no corpus has any."""
    return "noun_phrases" if len(found) and not (found["subset"] == "names").any() else "names"


def _sections(*, has_effects: bool, has_names: bool) -> dict[str, str]:
    """The page's sections: name and heading."""
    of_effects = {
        "effects": "Effects with intervals",
        "heat": "Effects as a heat map",
        "all-effects": "Table of effects",
    }
    return {
        "findings": "What holds",
        **(of_effects if has_effects else {}),
        **({"names": "Scores by name"} if has_names else {}),
        "agreement": "Agreement with people's scores",
        "seeds": "Seeds",
        "corpora": "Corpora",
        "cells": "Failed and missing runs",
        "methods": "Methods",
        "provenance": "Provenance",
    }


def _smallest(column: pd.Series) -> str | None:
    """The smallest effect of interest in words; None where none was set."""
    values = sorted(column.dropna().unique())
    return " or ".join(str(value).removeprefix("0") for value in values) or None
