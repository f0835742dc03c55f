"""Sentences that stand in a corpus more than once."""

from collections import Counter

from bias_lab.corpora.lint.finding import Finding, brief, in_rows, told
from bias_lab.corpora.lint.subject import Row, Subject, fold


def duplicated_sentences(subject: Subject) -> list[Finding]:
    """Find sentences written before, told apart by what their first occurrence shares with them.

    A name used in two groups (EEC701) makes all its sentences equal; those are not counted again here.
    """
    first: dict[str, Row] = {}
    within: list[Row] = []
    across: list[Row] = []
    persons: list[Row] = []
    for row in subject.rows:
        before = first.setdefault(row.sentence, row)
        if before is row:
            continue
        if before.person == row.person:
            (within if before.emotion == row.emotion else across).append(row)
        elif fold(subject.written[before.person]) != fold(subject.written[row.person]):
            persons.append(row)
    total = f"of {len(within) + len(across) + len(persons)} repeated in all"
    advice = "give each concept a word of its own"
    repeated = (
        f"a repeated sentence counts twice: {_pairs(within, first)}, {total}; take the second one out, or {advice}"
    )
    felt = f"nothing tells the emotions apart: {_pairs(across, first)}, {total}; {advice}"
    shown = f"no model can tell these persons apart: {_persons(persons, first)}, {total}; the person must show"
    return [
        *in_rows("EEC101", within, repeated),
        *in_rows("EEC102", across, felt),
        *in_rows("EEC103", persons, shown),
    ]


def _pairs(rows: list[Row], first: dict[str, Row]) -> str:
    said = Counter(f"{_meaning(first[row.sentence])} = {_meaning(row)}" for row in rows)
    return told(said)


def _meaning(row: Row) -> str:
    return f"{row.word} ({row.emotion})" if row.word else f"neutral, {brief(row.item)}"


def _persons(rows: list[Row], first: dict[str, Row]) -> str:
    return told(Counter(f"{first[row.sentence].person} = {row.person}" for row in rows))
