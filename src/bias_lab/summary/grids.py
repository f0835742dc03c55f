"""The summary's tables as a reader sees them: grids of text, for Markdown and LaTeX alike."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from bias_lab.stats import stars
from bias_lab.summary.collect import ALPHA, Summary
from bias_lab.summary.counting import SUBSETS
from bias_lab.summary.tables import (
    AVERAGE,
    effects,
    failed_table,
    findings_table,
    score_table,
    total_findings,
)

NO_CELL, UNDEFINED, PAPER_ONLY, NO_NAME_TEST, HOLDS = "–", "undefined", "†", "‡", "§"
DIGITS = 3
COUNT_TITLES = {
    "tests": "tests",
    "claims": "published test, p < .05",
    "p_findings": "by names, p < .05",
    "q_findings": "holds, q < .05",
    "no_answer": "no answer",
}
TOTAL, TOTAL_ONCE = "all", "all, repeats once"
_Q_RULE = (
    "adjusted for the number of tests (q, Benjamini-Hochberg over all models, emotions and terms of one corpus, names "
    "and noun phrases apart)"
)
_HOLDS_RULE = f"{HOLDS}: holds after adjustment, q < .05; q is in coefficients.csv. "
_NUMBERS_RULE = f"A word in place of a number says why there is none. {NO_CELL}: no finished cell."
_P_RULE = (
    f"*** p < .01, ** p < .05, * p < .10 by the test that takes names as the units (jackknife, CV3), not adjusted for "
    f"the number of tests. {PAPER_ONLY}: the published test, which takes sentences as independent, claims a finding "
    f"(p < .05) and the test by names does not (p ≥ .05). {_HOLDS_RULE}{NO_NAME_TEST}: no test by names. "
    f"{_NUMBERS_RULE}"
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
        entries = [score_shown(found.get(emotion), most) for emotion in (*emotions, AVERAGE)]
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
        caption=f"On the scale of the scores, from 0 to 1, with {level} intervals by names, not adjusted for the "
        f"number of tests. {_seeds(rows)}{_HOLDS_RULE}{NO_NAME_TEST}: no interval by names. {_NUMBERS_RULE}",
        header=("model", "term", *_emotions(rows)),
        labels=2,
        sections=_by_model(rows, _effect),
    )


def findings_grid(coefficients: pd.DataFrame) -> Grid:
    """How many terms each corpus' tests find, and all together."""
    found = findings_table(coefficients)
    rows = [(row["eec"], row["language"], *counts_shown(row)) for row in found.to_dict("records")]
    if len(rows) > 1:
        rows.append((total_label(coefficients), "", *counts_shown(total_findings(coefficients))))
    return Grid(
        name="findings",
        title="Findings by corpus",
        caption="Terms of all models and emotions, in the paper's coding. Published test, p < .05: what the paper's "
        "test claims, which takes sentences as independent. By names, p < .05: what the test finds that takes names "
        f"as the units (jackknife, CV3). Holds, q < .05: what is left of that once it is {_Q_RULE}, the figure to "
        "report. All, repeats once: of tests on identical sentences in several corpora one counts. No answer: "
        "see the statuses in the tables.",
        header=("corpus", "language", *COUNT_TITLES.values()),
        labels=2,
        sections=(Section("", tuple(rows)),),
    )


def counts_shown(counts: Mapping[str, Any]) -> list[str]:
    """Counts of tests and findings in the order of their titles."""
    return [str(counts[name]) for name in COUNT_TITLES]


def total_label(coefficients: pd.DataFrame) -> str:
    """What the line of all corpora is called."""
    return TOTAL_ONCE if (effects(coefficients)["same_as"] != "").any() else TOTAL


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


def score_shown(row: Mapping[str, Any] | None, most: int) -> str:
    """Mean, spread and, where it is less than `most`, the number of seeds of a row of `score_table`."""
    if row is None:
        return NO_CELL
    if pd.isna(row["mean"]):
        return UNDEFINED if row["emotion"] != AVERAGE else NO_CELL
    spread = f" ± {number(row['sd'])}" if pd.notna(row["sd"]) else ""
    return f"{number(row['mean'])}{spread}{_fewer(row, most)}"


def _coefficient(row: Mapping[str, Any], most: int) -> str:
    if row["status"] != "ok":
        return str(row["status"]).replace("_", " ")
    if row["status_name"] != "ok":
        return f"{number(row['coefficient'])}{NO_NAME_TEST}{_fewer(row, most)}"
    paper = PAPER_ONLY if row["paper_only"] else ""
    return f"{number(row['coefficient'])}{stars(row['p_name'])}{paper}{_holds(row)}{_fewer(row, most)}"


def _effect(row: Mapping[str, Any], most: int) -> str:
    if row["status"] != "ok":
        return str(row["status"]).replace("_", " ")
    effect = number(row["effect_response"], signed=True)
    if row["status_name"] != "ok":
        return f"{effect}{NO_NAME_TEST}{_fewer(row, most)}"
    low, high = (number(row[f"effect_ci_name_{end}"]) for end in ("low", "high"))
    return f"{effect}{_holds(row)} [{low}, {high}]{_fewer(row, most)}"


def _holds(row: Mapping[str, Any]) -> str:
    return HOLDS if row["q"] < ALPHA else ""


def _fewer(row: Mapping[str, Any], most: int) -> str:
    return f" (n={row['n_seeds']})" if row["n_seeds"] < most else ""


def _by_model(rows: pd.DataFrame, entry: Callable[[Mapping[str, Any], int], str]) -> tuple[Section, ...]:
    """A section for the names and one for the noun phrases; model x term by emotion."""
    emotions, most, sections = _emotions(rows), _most_seeds(rows), []
    for subset, heading in SUBSETS.items():
        lines = []
        for (model, term), part in rows[rows["subset"] == subset].groupby(["model", "term"], sort=False):
            found = {row["emotion"]: entry(row, most) for row in part.to_dict("records")}
            lines.append((str(model), str(term), *(found.get(emotion, NO_CELL) for emotion in emotions)))
        if lines:
            sections.append(Section(heading, tuple(lines)))
    return tuple(sections)


def _emotions(rows: pd.DataFrame) -> Sequence[str]:
    return sorted(set(rows["emotion"]))


def _seeds(rows: pd.DataFrame) -> str:
    most = _most_seeds(rows)
    if most < 2:  # noqa: PLR2004
        return ""
    fewer = "; (n=…): over fewer" if (rows.loc[rows["status"] == "ok", "n_seeds"] < most).any() else ""
    return f"Predictions averaged over {most} seeds{fewer}, then analysed once. "


def _most_seeds(rows: pd.DataFrame) -> int:
    return int(rows["n_seeds"].max()) if len(rows) else 0
