"""The headline: for each question (one contrast in one corpus), what held, what did not, and what stays open."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from bias_lab.report.effects import BOUNDED, FINDING, KINDS
from bias_lab.report.numbers import fixed, is_missing

QUESTION = ["eec", "coding", "subset", "term"]


@dataclass(frozen=True)
class Finding:
    """One effect that holds or is bounded, in words. `where`: the filters it belongs to."""

    kind: str
    words: str
    seeds: str
    where: Mapping[str, str]


@dataclass(frozen=True)
class Question:
    """One contrast in one corpus, asked of every model and emotion. `where`: the filters it belongs to."""

    contrast: str
    condition: str
    eec: str
    where: Mapping[str, str]
    key: str  # finds its effects in the page's data
    findings: tuple[Finding, ...]


def questions(effects: pd.DataFrame) -> list[Question]:
    """The questions that a table of effects answers, those with most findings first, then the largest effect."""
    found = []
    for (eec, coding, subset, term), rows in effects.groupby(QUESTION, sort=True):
        first = rows.iloc[0]
        where = {"corpus": eec, "language": first["language"], "term": first["factors"]}
        where |= {"coding": coding, "persons": subset}
        claims = rows[rows["kind"].isin([FINDING, BOUNDED])].to_dict("records")
        question = Question(
            contrast=first["contrast"],
            condition=first["condition"],
            eec=eec,
            where=where,
            key=question_key(first),
            findings=tuple(_finding(claim) for claim in claims),
        )
        order = (-int((rows["kind"] == FINDING).sum()), -rows["effect"].abs().max(skipna=True), eec, term)
        found.append((order, question))
    return [question for _, question in sorted(found, key=lambda pair: pair[0])]


def question_key(row: Mapping[str, Any]) -> str:
    """One text for corpus, coding, persons and term."""
    return "\n".join(str(row[name]) for name in QUESTION)


def counts(effects: pd.DataFrame) -> dict[str, int]:
    """How many effects are of each kind, and `all`."""
    found = effects["kind"].value_counts() if len(effects) else {}
    return {name: int(found.get(name, 0)) for name in KINDS} | {"all": len(effects)}


def _finding(row: Mapping[str, Any]) -> Finding:
    where = {name: str(row[name]) for name in ("model", "language", "emotion")} | {"corpus": str(row["eec"])}
    return Finding(kind=row["kind"], words=str(row["verdict"]), seeds=_seeds(row), where=where)


def _seeds(row: Mapping[str, Any]) -> str:
    """Such as "2 of 3 seeds agree in sign, spread .004"; nothing for a single seed."""
    if row["n_seeds"] < 2 or is_missing(row["seed_sign_agreement"]):  # noqa: PLR2004
        return ""
    agree = round(row["seed_sign_agreement"] * row["n_seeds"])
    return f"{agree} of {row['n_seeds']} seeds agree in sign, spread {fixed(row['seed_sd_effect'])}"
