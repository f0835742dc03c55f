"""Findings as text and as JSON."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from bias_lab.corpora.corpus import Corpus
from bias_lab.corpora.lint.finding import Finding
from bias_lab.corpora.lint.subject import Row

SCHEMA = 1
SEVERITIES = ("error", "warning", "note")


def totals(findings: Sequence[Finding]) -> dict[str, int]:
    """Count the findings of each severity."""
    counts = Counter(finding.severity for finding in findings)
    return {severity: counts[severity] for severity in SEVERITIES}  # type: ignore[index]


def as_text(name: str, findings: Sequence[Finding], corpus: Corpus | None, *, guessed: bool = False) -> list[str]:
    """Return the lines that tell what was found; without a corpus it could not be read."""
    lines = []
    if corpus:
        language = f"{corpus.language}{' (a guess; --language says it)' if guessed else ''}"
        lines = [f"{name}: {len(corpus.table):,} sentences, language {language}", ""]
    for finding in findings:
        unit = finding.unit.removesuffix("s") if finding.count == 1 else finding.unit
        lines.append(f"{finding.severity} {finding.code}: {finding.title}: {finding.count:,} {unit}")
        lines.append(f"    {finding.message}")
        if finding.example:
            lines.append(f"    row {finding.example.number}: {finding.example.sentence!r}")
        lines.append("")
    told = [f"{count} {severity}{'' if count == 1 else 's'}" for severity, count in totals(findings).items()]
    return [*lines, ", ".join(told)]


def as_json(name: str, findings: Sequence[Finding], corpus: Corpus | None, *, guessed: bool = False) -> dict[str, Any]:
    """Return the same as plain types; docs/corpora.md describes them, `schema` changes when they do."""
    return {
        "schema": SCHEMA,
        "corpus": name,
        "language": corpus.language if corpus else None,
        "language_guessed": guessed,
        "sentences": len(corpus.table) if corpus else None,
        **{f"{severity}s": count for severity, count in totals(findings).items()},
        "findings": [
            {
                "code": finding.code,
                "severity": finding.severity,
                "title": finding.title,
                "count": finding.count,
                "unit": finding.unit,
                "message": finding.message,
                "example": _example(finding.example) if finding.example else None,
            }
            for finding in findings
        ],
    }


def _example(row: Row) -> dict[str, Any]:
    return {"row": row.number, "sentence": row.sentence, "item": row.item, "person": row.person}
