"""What the summary says first: how many cells ended how, and the findings in words."""

import pandas as pd

from bias_lab.summary.collect import Summary
from bias_lab.summary.tables import MISSING, failed_table, strongest, total_findings


def counts_line(summary: Summary) -> str:
    """Such as "12 cells: 11 finished, 1 failed; 2 missing"."""
    counts = summary.cells["status"].value_counts()
    order = sorted(counts.index, key=lambda status: (status != "finished", status))
    told = ", ".join(f"{counts[status]} {status}" for status in order)
    missing = f"; {len(summary.missing)} {MISSING}" if len(summary.missing) else ""
    return f"{_count(len(summary.cells), 'cell')}: {told}{missing}"


def findings_line(summary: Summary) -> str:
    """How many tests there are, and what the published test claims, names find and adjustment leaves of them."""
    if summary.coefficients.empty:
        return "no corpus was scored" if summary.corpora.empty else "there are no coefficients that can be compared"
    found = total_findings(summary.coefficients)
    line = (
        f"{_count(found['tests'], 'test')}: published test claims {found['claims']} (p < .05), by names "
        f"{found['p_findings']} (p < .05), after adjustment {found['q_findings']} hold (q < .05)"
    )
    return line + (f"; {_count(found['no_answer'], 'term')} without an answer" if found["no_answer"] else "")


def finding_lines(summary: Summary, *, most: int) -> list[str]:
    """What holds after adjustment (q < .05) in words, strongest first, at most so many; the rest is counted."""
    found = strongest(summary.coefficients)
    lines = [
        f"{row['model']}, {row['emotion']}, {row['eec']}{_phrases(row)}, {row['term']}: {row['verdict']}"
        for row in found.head(most).to_dict("records")
    ]
    return lines + ([f"and {len(found) - most} more in coefficients.csv"] if len(found) > most else [])


def failed_lines(summary: Summary, *, most: int) -> list[str]:
    """One line a cell without a result, with its override line and reason, at most so many; the rest is counted."""
    found = failed_table(summary)
    lines = [f"{row.status}: {row.line}\n  {_first_line(row.reason)}" for row in found.head(most).itertuples()]
    return lines + ([f"and {len(found) - most} more in failed.csv"] if len(found) > most else [])


def _phrases(row: "dict[str, object] | pd.Series") -> str:
    return " (noun phrases)" if row["subset"] == "noun_phrases" else ""


def _first_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[0]


def _count(n: int, word: str) -> str:
    return f"{n} {word}{'' if n == 1 else 's'}"
