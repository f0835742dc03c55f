"""The headline: for each question (one contrast in one corpus), what held, what did not, and what stays open."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from bias_lab.report.effects import BOUNDED, FINDING, INCONCLUSIVE, NO_TEST, PAPER_ONLY
from bias_lab.report.numbers import fixed, is_missing
from bias_lab.summary.collect import ALPHA
from bias_lab.summary.counting import once

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
    """One contrast in one corpus, asked of every model and emotion.

    words: how many effects support what, where no filter is set. where: the filters it belongs to.
    """

    contrast: str
    condition: str
    eec: str
    words: str
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
            words=in_words(rows),
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
    """How many tests there are and what they find; tests on identical sentences count once.

    tests; of them claims (of the published test, p_iid < .05), by_names (p_name < .05), finding (hold after
    adjustment), bounded, inconclusive; and no_test. The page's script (filters.js) counts what its filters leave in
    the same way.
    """
    rows = once(effects)
    tested = rows[rows["kind"] != NO_TEST]
    return {
        "tests": len(tested),
        "claims": int((tested["p_iid"] < ALPHA).sum()),
        "by_names": int((tested["p_name"] < ALPHA).sum()),
        "finding": int((tested["kind"] == FINDING).sum()),
        "bounded": int((tested["kind"] == BOUNDED).sum()),
        "inconclusive": int(tested["kind"].isin([INCONCLUSIVE, PAPER_ONLY]).sum()),
        "no_test": len(rows) - len(tested),
    }


def in_words(rows: pd.DataFrame) -> str:
    """What the effects of one question support; the page's script (filters.js) says the same of those it shows."""
    number = {kind: int((rows["kind"] == kind).sum()) for kind in (FINDING, BOUNDED, PAPER_ONLY, INCONCLUSIVE, NO_TEST)}
    parts = [f"Holds in none of {len(rows)}."]
    if held := number[FINDING]:
        higher = int((rows.loc[rows["kind"] == FINDING, "effect"] > 0).sum())
        ways = ", ".join(f"{n} {word}" for n, word in ((higher, "higher"), (held - higher, "lower")) if n)
        parts = [f"Holds in {held} of {len(rows)}: {ways}."]
    if number[BOUNDED]:
        parts.append(f"No larger than the smallest effect of interest: {number[BOUNDED]}.")
    if is_open := number[INCONCLUSIVE] + number[PAPER_ONLY]:
        unadjusted = int(((rows["kind"] == INCONCLUSIVE) & (rows["p_name"] < ALPHA)).sum())
        told = [
            f"{number[PAPER_ONLY]} claimed by the published test only" if number[PAPER_ONLY] else "",
            f"{unadjusted} below .05 by names before adjustment" if unadjusted else "",
        ]
        aside = ", ".join(filter(None, told))
        parts.append(f"Inconclusive: {is_open} ({aside})." if aside else f"Inconclusive: {is_open}.")
    if number[NO_TEST]:
        parts.append(f"No test: {number[NO_TEST]}.")
    return " ".join(parts)


def _finding(row: Mapping[str, Any]) -> Finding:
    where = {name: str(row[name]) for name in ("model", "language", "emotion")} | {"corpus": str(row["eec"])}
    return Finding(kind=row["kind"], words=str(row["verdict"]), seeds=_seeds(row), where=where)


def _seeds(row: Mapping[str, Any]) -> str:
    """Such as "2 of 3 seeds agree in sign, spread .004"; nothing for a single seed."""
    if row["n_seeds"] < 2 or is_missing(row["seed_sign_agreement"]):  # noqa: PLR2004
        return ""
    agree = round(row["seed_sign_agreement"] * row["n_seeds"])
    return f"{agree} of {row['n_seeds']} seeds agree in sign, spread {fixed(row['seed_sd_effect'])}"
