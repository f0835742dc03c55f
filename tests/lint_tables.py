"""Tiny corpora for the linter's tests: a few rows, each given as little as it needs."""

from typing import NamedTuple

from bias_lab.corpora import Corpus, Factor
from bias_lab.corpora.corpus import NAME, NOUN_PHRASE, long_table
from bias_lab.corpora.lint import Finding, lint

RACE = Factor("race", ("Anglo", "Arab"), "Anglo")
GENDER = Factor("gender", ("male", "female"), "male")
FACTORS = (RACE, GENDER)


class Line(NamedTuple):
    """One row; levels are written "Arab female", or "- female" for a noun phrase."""

    sentence: str
    person: str = "Ann"
    levels: str = "Anglo female"
    item: str | None = None  # default: the template and the emotion word
    emotion: str | None = "joy"
    word: str | None = "glad"
    template: str = "1"
    kind: str | None = None  # default: a name where every factor has a level


def table(*lines: Line | str, language: str = "en", factors: tuple[Factor, ...] = FACTORS) -> Corpus:
    """Build a corpus of these rows."""
    rows = [line if isinstance(line, Line) else Line(line) for line in lines]
    levels = [[None if level == "-" else level for level in row.levels.split()] for row in rows]
    columns: dict[str, list[str | None]] = {
        "eec": ["tiny"] * len(rows),
        "sentence": [row.sentence for row in rows],
        "template": [row.template for row in rows],
        "item": [row.item or f"{row.template}:{row.word}" for row in rows],
        "person": [row.person for row in rows],
        "person_kind": [
            row.kind or (NOUN_PHRASE if None in of_row else NAME) for row, of_row in zip(rows, levels, strict=True)
        ],
        "emotion": [row.emotion for row in rows],
        "emotion_word": [row.word for row in rows],
    }
    columns |= {factor.name: [of_row[at] for of_row in levels] for at, factor in enumerate(factors)}
    return Corpus("tiny", language, factors, long_table(columns, factors))


def found(code: str, corpus: Corpus, glosses: tuple[str, ...] | None = None) -> list[Finding]:
    """Run all checks and return the findings of one code."""
    return [finding for finding in lint(corpus, glosses=glosses) if finding.code == code]


def one(code: str, corpus: Corpus, glosses: tuple[str, ...] | None = None) -> Finding:
    """Return the one finding of a code."""
    findings = found(code, corpus, glosses)
    assert len(findings) == 1, [(finding.code, finding.message) for finding in lint(corpus, glosses=glosses)]
    return findings[0]


def summary(finding: Finding) -> tuple[int, str, int | None]:
    """Return count, message and the row of the example."""
    return finding.count, finding.message, finding.example.number if finding.example else None
