"""The summary's tables as a reader sees them: grids of text, for Markdown and LaTeX alike."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from bias_lab.stats import stars
from bias_lab.summary.collect import Summary
from bias_lab.summary.tables import AVERAGE, effects, failed_table, findings_table, score_table

NO_CELL, UNDEFINED, PAPER_ONLY, NO_NAME_TEST = "–", "undefined", "†", "‡"
SUBSETS = {"names": "names", "noun_phrases": "noun phrases"}
DIGITS = 3
_P_RULE = (
    f"*** p < .01, ** p < .05, * p < .10 by the test that takes names as the units (jackknife, CV3), not adjusted for "
    f"the number of tests; adjusted q values are in coefficients.csv. {PAPER_ONLY}: the published test, which takes "
    f"sentences as independent, would have claimed a finding (p < .05) and the test by names does not. "
    f"{NO_NAME_TEST}: no test by names. A word in place of a number says why there is none. "
    f"{NO_CELL}: no finished cell."
)


@dataclass(frozen=True)
class Section:
    """Rows under a heading of their own ("" for none)."""

    heading: str
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Grid:
    """A table as text: `labels` columns that name the row (repeated ones are shown once), then the entries."""

    name: str
    title: str
    caption: str
    header: tuple[str, ...]
    labels: int
    sections: tuple[Section, ...]

    def shown(self, section: Section) -> Iterator[tuple[str, ...]]:
        """A section's rows, the first of two labels only where it changes, as it names a group of rows."""
        above = None
        for row in section.rows:
            yield ("", *row[1:]) if self.labels == 2 and row[0] == above else row  # noqa: PLR2004
            above = row[0]


def all_grids(summary: Summary) -> list[Grid]:
    """Every table of the summary that has something to show, in the order to be read."""
    grids = [findings_grid(summary.coefficients), pearson_grid(summary.metrics)]
    for eec in summary.corpora["name"]:
        rows = effects(summary.coefficients)
        rows = rows[rows["eec"] == eec]
        grids += [coefficient_grid(rows, eec), effect_grid(rows, eec)]
    return [grid for grid in grids if any(section.rows for section in grid.sections)]


def pearson_grid(metrics: pd.DataFrame) -> Grid:
    """Pearson's r on the test split: model x language by emotion, with the average (the paper's Table 2)."""
    scores = score_table(metrics)
    scores = scores[(scores["split"] == "test") & (scores["metric"] == "pearson")]
    emotions = sorted(set(scores["emotion"]) - {AVERAGE})
    most = int(scores["n_seeds"].max()) if len(scores) else 0
    rows = []
    for (model, language), part in scores.groupby(["model", "language"], sort=False):
        found = {row["emotion"]: row for row in part.to_dict("records")}
        entries = [_score(found.get(emotion), most) for emotion in (*emotions, AVERAGE)]
        rows.append((model, language, *entries))
    spread = f"mean ± standard deviation over {most} seeds; (n=…): over fewer" if most > 1 else "one seed"
    return Grid(
        name="pearson",
        title="Pearson correlation of predicted and gold intensity, test split",
        caption=f"{spread[0].upper()}{spread[1:]}. Average: over the emotions, where the model has them all. "
        f"{NO_CELL}: no finished cell, or no average.",
        header=("model", "language", *emotions, AVERAGE),
        labels=2,
        sections=(Section("", tuple(rows)),),
    )


def coefficient_grid(rows: pd.DataFrame, eec: str) -> Grid:
    """Coefficients on the logit scale of one corpus: model x term by emotion (the paper's Tables 3 to 5).

    rows: terms of `Summary.coefficients` in the paper's coding, of this corpus.
    """
    return Grid(
        name=f"coefficients_{eec}",
        title=f"Beta regression coefficients, {eec}",
        caption=f"Logit scale; each effect at the reference level of the other factors. {_seeds(rows)}{_P_RULE}",
        header=("model", "term", *_emotions(rows)),
        labels=2,
        sections=_by_model(rows, _coefficient),
    )


def effect_grid(rows: pd.DataFrame, eec: str) -> Grid:
    """The same terms as differences of mean scores, with their intervals by names."""
    level = f"{rows['level'].iloc[0] * 100:g} %" if len(rows) else ""
    return Grid(
        name=f"effects_{eec}",
        title=f"Differences of mean score, {eec}",
        caption=f"On the scale of the scores, from 0 to 1, with {level} intervals by names. {_seeds(rows)}"
        f"{NO_NAME_TEST}: no interval by names. A word in place of a number says why there is none. "
        f"{NO_CELL}: no finished cell.",
        header=("model", "term", *_emotions(rows)),
        labels=2,
        sections=_by_model(rows, _effect),
    )


def findings_grid(coefficients: pd.DataFrame) -> Grid:
    """How many terms each corpus' tests find."""
    found = findings_table(coefficients)
    return Grid(
        name="findings",
        title="Findings by corpus",
        caption="Terms of all models and emotions, in the paper's coding. By names, q < .05: adjusted for all tests of "
        "the corpus (Benjamini-Hochberg), the figure to report. By names, p < .05: before that. By the paper's test "
        "alone: p < .05 if sentences were independent, but not by names. No answer: see the statuses in the tables.",
        header=("corpus", "language", "tests", "by names, q < .05", "by names, p < .05", "by the paper's test alone",
                "no answer"),
        labels=2,
        sections=(Section("", tuple(tuple(map(str, row)) for row in found.to_numpy())),),
    )  # fmt: skip


def failed_grid(summary: Summary) -> Grid:
    """The cells without a result, with their override line and the first line of the reason."""
    found = failed_table(summary)
    rows = [(row.status, row.line, (row.reason.strip().splitlines() or [""])[0]) for row in found.itertuples()]
    return Grid(
        name="failed",
        title="Cells without a result",
        caption="Full reasons and folders are in failed.csv; a failed cell's traceback is in its own bias_lab.log.",
        header=("status", "overrides", "reason"),
        labels=3,
        sections=(Section("", tuple(rows)),),
    )


def number(value: float, *, signed: bool = False) -> str:
    """Three decimals with a true minus; the caller has dealt with missing values."""
    rounded = round(value, DIGITS) + 0.0  # no negative zero
    text = f"{rounded:+.{DIGITS}f}" if signed and rounded else f"{rounded:.{DIGITS}f}"
    return text.replace("-", "−")


def _score(row: dict[str, Any] | None, most: int) -> str:
    if row is None:
        return NO_CELL
    if pd.isna(row["mean"]):
        return UNDEFINED if row["emotion"] != AVERAGE else NO_CELL
    spread = f" ± {number(row['sd'])}" if pd.notna(row["sd"]) else ""
    fewer = f" (n={row['n_seeds']})" if row["n_seeds"] < most else ""
    return f"{number(row['mean'])}{spread}{fewer}"


def _coefficient(row: dict[str, Any]) -> str:
    if row["status"] != "ok":
        return str(row["status"]).replace("_", " ")
    mark = stars(row["p_name"]) if row["status_name"] == "ok" else NO_NAME_TEST
    return f"{number(row['coefficient'])}{mark}{PAPER_ONLY if row['paper_only'] else ''}"


def _effect(row: dict[str, Any]) -> str:
    if row["status"] != "ok":
        return str(row["status"]).replace("_", " ")
    effect = number(row["effect_response"], signed=True)
    if row["status_name"] != "ok":
        return f"{effect}{NO_NAME_TEST}"
    return f"{effect} [{number(row['effect_ci_name_low'])}, {number(row['effect_ci_name_high'])}]"


def _by_model(rows: pd.DataFrame, entry: Callable[[dict[str, Any]], str]) -> tuple[Section, ...]:
    """A section for the names and one for the noun phrases; model x term by emotion."""
    emotions, sections = _emotions(rows), []
    for subset, heading in SUBSETS.items():
        lines = []
        for (model, term), part in rows[rows["subset"] == subset].groupby(["model", "term"], sort=False):
            found = {row["emotion"]: entry(row) for row in part.to_dict("records")}
            lines.append((str(model), str(term), *(found.get(emotion, NO_CELL) for emotion in emotions)))
        if lines:
            sections.append(Section(heading, tuple(lines)))
    return tuple(sections)


def _emotions(rows: pd.DataFrame) -> Sequence[str]:
    return sorted(set(rows["emotion"]))


def _seeds(rows: pd.DataFrame) -> str:
    most = int(rows["n_seeds"].max()) if len(rows) else 0
    return f"Predictions averaged over {most} seeds, then analysed once. " if most > 1 else ""
