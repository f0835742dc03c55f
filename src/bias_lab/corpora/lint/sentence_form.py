"""End marks, capitals and punctuation: the same for every group, or a model may score them instead."""

import re
from collections import Counter
from collections.abc import Sequence

from bias_lab.corpora.lint.finding import Finding, brief, in_rows, listed
from bias_lab.corpora.lint.groups import Traits, differences
from bias_lab.corpora.lint.subject import Row, Subject, cell_name

_END = re.compile(r"(?:[.!?…؟۔。！？।]+)[\"'”’»)]*\s*$")
_MISPLACED = re.compile(r"\s[.,;:!?؟،؛]|(?<!\.)\.\.(?!\.)|[,;:؛،]{2}|[!?؟][,;:]|,\.|[¿¡]\s|\(\s|\s\)")
_PAIRS = (("¿", "?"), ("¡", "!"), ("(", ")"), ("[", "]"), ("«", "»"), ("“", "”"))


def end_marks(subject: Subject) -> list[Finding]:
    """Find sentences without an end mark, and items in which it depends on the group."""
    marks = [match[0].strip() if (match := _END.search(row.sentence)) else "" for row in subject.rows]
    without = [row for row, mark in zip(subject.rows, marks, strict=True) if not mark]
    if len(without) == len(subject.rows):
        found = in_rows("EEC601", without, "alike for all groups; texts that a model knows mostly have a full stop")
    else:
        found = in_rows("EEC602", without, f"{_where(without)}; the other {len(marks) - len(without)} have one")
    return [*found, *_by_group(subject, [mark or "none" for mark in marks], "EEC603", "give all groups the same mark")]


def capitals(subject: Subject) -> list[Finding]:
    """Find sentences that start with a small letter, names with one, and items in which it depends on the group."""
    starts = [next((char for char in row.sentence if char.isalpha()), "") for row in subject.rows]
    small = [row for row, char in zip(subject.rows, starts, strict=True) if char.islower()]
    traits = ["small letter" if char.islower() else "capital" if char.isupper() else None for char in starts]
    names, found = [], Counter[str]()
    for row in subject.rows:
        written = subject.written[row.person]
        if row.person in subject.names and written[0].isupper() and written not in row.sentence:
            lower = written[0].lower() + written[1:]
            if re.search(rf"(?<!\w){re.escape(lower)}(?!\w)", row.sentence):
                names.append(row)
                found[lower] += 1
    return [
        *in_rows("EEC604", small, f"{_where(small)}; of {len(subject.rows)} sentences"),
        *_by_group(subject, traits, "EEC605", "start every sentence with a capital"),
        *in_rows("EEC608", names, f"{listed(found)}; write the name as in the column of persons"),
    ]


def punctuation(subject: Subject) -> list[Finding]:
    """Find blanks before a mark, doubled marks, and marks without their partner."""
    rows = subject.matching(_MISPLACED.search)
    found = Counter(match[0] for row in rows if (match := _MISPLACED.search(row.sentence)))
    alone, missing = [], Counter[str]()
    for row in subject.rows:
        # Spanish opens what it closes; in the other languages "?" and "!" stand alone.
        unpaired = [
            opened + closed
            for opened, closed in _PAIRS
            if row.sentence.count(opened) != row.sentence.count(closed)
            and (subject.corpus.language == "es" or opened not in "¿¡" or opened in row.sentence)
        ]
        unpaired += ['"'] if row.sentence.count('"') % 2 else []
        missing.update(unpaired)
        alone += [row] if unpaired else []
    return [
        *in_rows("EEC606", rows, f"{listed(found)}; no blank before a mark, and one mark at a time"),
        *in_rows("EEC607", alone, f"without a partner: {listed(missing)}"),
    ]


def _by_group(subject: Subject, traits: Traits, code: str, advice: str) -> list[Finding]:
    """Report the items in which a trait differs by a factor."""
    findings = []
    for at, factor in enumerate(subject.corpus.factors):
        if items := differences(subject, traits, at):
            one = items[0]
            message = (
                f"by {factor.name}: in {brief(one.item)} {one.row.levels[at]} has {one.trait!r}, "
                f"{one.other.levels[at]} has {one.other_trait!r}; {advice}"
            )
            findings.append(Finding(code, len(items), "items", message, one.other))
    return findings


def _where(rows: Sequence[Row]) -> str:
    """Say in which groups the rows are."""
    groups = Counter(cell_name((row.kind, row.levels)) for row in rows)
    return ", ".join(f"{group} {count}" for group, count in groups.most_common())
