"""Names in two groups, and names that mean something."""

import json
from collections import defaultdict
from functools import lru_cache
from pathlib import Path

from bias_lab.corpora.lint.finding import Finding, told
from bias_lab.corpora.lint.subject import Row, Subject, cell_name, fold

_WORDS = Path(__file__).with_name("name_words.json")


def shared_names(subject: Subject) -> list[Finding]:
    """Find names that stand in two groups, and names that differ by case, accents or vowel signs only."""
    same: dict[str, list[Row]] = defaultdict(list)
    for person, row in subject.names.items():
        same[fold(subject.written[person])].append(row)
    twice: list[list[Row]] = []
    alike: list[list[Row]] = []
    for rows in same.values():
        written = {subject.written[row.person] for row in rows}
        if len(rows) > 1:
            (twice if len(written) == 1 else alike).append(rows)
    findings = []
    if twice:
        cases = [f"{subject.written[rows[0].person]} ({' and '.join(map(_group, rows))})" for rows in twice]
        message = f"{told(cases)}; such sentences are equal in both groups and hide a difference: use other names"
        findings.append(Finding("EEC701", len(twice), "names", message, twice[0][0]))
    if alike:
        cases = [" / ".join(row.person for row in rows) for rows in alike]
        message = f"{told(cases)}; one person in two spellings, or two persons of nearly the same name?"
        findings.append(Finding("EEC704", len(alike), "names", message, alike[0][0]))
    return findings


def meaningful_names(subject: Subject) -> list[Finding]:
    """Find names that are words of the corpus' language, by lists of this project, or of the corpus' emotions.

    The lists hold frequent names only; a name that is missing there may still be a word.
    """
    lists = _words().get(subject.corpus.language, {"feeling": {}, "common": {}})
    felt = {fold(row.word): f"the emotion word {row.word}" for row in subject.rows if row.word}
    felt |= {fold(name): meaning for name, meaning in lists["feeling"].items()}
    common = {fold(name): meaning for name, meaning in lists["common"].items()}
    findings = []
    for code, meanings, advice in (
        ("EEC703", felt, "the name has a sentiment of its own; look at the effect without it"),
        ("EEC702", common, "a model may read the word; report the spread between names"),
    ):
        rows = [row for person, row in subject.names.items() if fold(subject.written[person]) in meanings]
        if rows:
            cases = [f"{row.person}: {meanings[fold(subject.written[row.person])]} [{_group(row)}]" for row in rows]
            message = f"{told(cases, limit=20)}; {advice}"
            findings.append(Finding(code, len(rows), "names", message, rows[0]))
    return findings


def _group(row: Row) -> str:
    return cell_name((row.kind, row.levels))


@lru_cache(maxsize=1)
def _words() -> dict[str, dict[str, dict[str, str]]]:
    return json.loads(_WORDS.read_text(encoding="utf-8"))
