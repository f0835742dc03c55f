"""The summary on one screen."""

import pandas as pd
from rich import box
from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from bias_lab.summary.collect import Summary, language_order
from bias_lab.summary.grids import COUNT_TITLES, counts_shown, score_shown, total_label
from bias_lab.summary.headline import counts_line, failed_lines, finding_lines, findings_line
from bias_lab.summary.tables import AVERAGE, findings_table, score_table, total_findings
from bias_lab.terminal import Screen

MODELS, CORPORA, FINDINGS, FAILURES = 5, 5, 3, 3  # rows of each on a screen of 40 lines


def show_summary(summary: Summary, folder: str, *, failures: bool = True) -> None:
    """Print counts, average Pearson by model and language, findings, failures, and where the tables are."""
    console = Screen()
    for part in screen(summary, failures=failures):
        console.print(part)
    console.print(f"tables: {folder}", soft_wrap=True, markup=False, highlight=False)


def screen(summary: Summary, *, failures: bool = True) -> list[RenderableType]:
    """What `show_summary` prints."""
    parts: list[RenderableType] = [Text(counts_line(summary), style="bold")]
    parts += [Text(f"note: {note}") for note in summary.notes]
    parts += [Text(line, style="yellow") for line in (failed_lines(summary, most=FAILURES) if failures else ())]
    # Titles stand apart: a table's own is wrapped to its width.
    if len(summary.metrics):
        parts += [Text("Test Pearson, average over emotions:"), pearson_by_language(summary.metrics)]
    if len(summary.coefficients):
        parts += [Text("Terms that differ from zero (the paper's coding):"), findings_by_corpus(summary.coefficients)]
    parts.append(Text(findings_line(summary)))
    parts += [Text(f"  {line}") for line in finding_lines(summary, most=FINDINGS)]
    return parts


def pearson_by_language(metrics: pd.DataFrame) -> Table:
    """Test Pearson averaged over the emotions: model by language, mean and spread over seeds."""
    scores = score_table(metrics)
    shown = (scores["split"] == "test") & (scores["metric"] == "pearson") & (scores["emotion"] == AVERAGE)
    scores = scores[shown]
    languages = sorted(set(scores["language"]), key=language_order)
    most = int(scores["n_seeds"].max()) if len(scores) else 0
    table = Table(box=box.SIMPLE_HEAD, show_edge=False)
    table.add_column("model", overflow="fold")
    for language in languages:
        table.add_column(language, justify="right")
    models = sorted(set(scores["model"]))
    for model in models[:MODELS]:
        found = {row["language"]: row for row in scores[scores["model"] == model].to_dict("records")}
        table.add_row(escape(model), *(score_shown(found.get(language), most) for language in languages))
    _count_rest(table, len(models) - MODELS)
    return table


def findings_by_corpus(coefficients: pd.DataFrame) -> Table:
    """Counts of tests and findings, one row a corpus and one for all."""
    found = findings_table(coefficients)
    table = Table(box=box.SIMPLE_HEAD, show_edge=False)
    table.add_column("corpus", overflow="fold")
    for name in COUNT_TITLES.values():
        table.add_column(name, justify="right")
    for row in found.head(CORPORA).to_dict("records"):
        table.add_row(escape(row["eec"]), *counts_shown(row))
    _count_rest(table, len(found) - CORPORA)
    if len(found) > 1:
        table.add_row(total_label(coefficients), *counts_shown(total_findings(coefficients)))
    return table


def _count_rest(table: Table, rest: int) -> None:
    if rest > 0:
        table.add_row(f"and {rest} more")
