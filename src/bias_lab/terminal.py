"""What a user sees in the terminal: result tables, and what they say in words."""

import math
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from bias_lab.command import discard_output

if TYPE_CHECKING:
    import pandas as pd

    from bias_lab.evaluation import Agreement

FILE_WIDTH = 110  # of tables where no terminal limits them


class Screen(Console):
    """Standard output for people: tables are as wide as they need to be where no terminal limits them.

    Where its reader is gone, such as `head`, the rest goes nowhere and the work goes on; Rich would end the program.
    """

    def __init__(self) -> None:
        super().__init__()
        if not self.is_terminal:
            self.width = FILE_WIDTH

    def on_broken_pipe(self) -> None:
        """Go on, unheard."""
        discard_output()


def number(value: float | None, digits: int = 3, *, signed: bool = False) -> str:
    """A number for a table cell; an undefined one is a dash."""
    if value is None or math.isnan(value):
        return "–"
    return f"{value:{'+' if signed else ''}.{digits}f}"


def p_value(value: float | None) -> str:
    """A p-value for a table cell, never a bare zero."""
    if value is None or math.isnan(value):
        return "–"
    return "<.001" if value < 0.001 else f"{value:.3f}"  # noqa: PLR2004


def scores_table(label: str, splits: "dict[str, Agreement]") -> Table:
    """Agreement with the gold scores, one row a split."""
    table = Table(title=f"{escape(label)}: agreement with the gold scores", title_justify="left")
    for name in ("split", "texts", "Pearson", "Pearson, gold ≥ .5", "Spearman", "MSE"):
        table.add_column(name, justify="left" if name == "split" else "right")
    for split, scores in splits.items():
        table.add_row(
            split,
            str(scores.n),
            number(scores.pearson),
            number(scores.pearson_high),
            number(scores.spearman),
            number(scores.mse, 4),
        )
    return table


def print_tables(*tables: Table) -> None:
    """Print result tables on standard output."""
    console = Screen()
    for table in tables:
        console.print(table)
        console.print()


def coefficients_table(frame: "pd.DataFrame") -> Table:
    """The regressions' terms in the paper's coding, under a line for each corpus and subset.

    Intercepts and the deviation coding stay in the file.
    """
    table = Table(
        title="Beta regressions: does the score depend on the person?",
        caption="effect: difference of mean score, with its name-level interval. p (names): jackknife over names, the "
        "headline. p (paper): the published test, which takes sentences as independent. *** < .01, ** < .05, * < .10",
        title_justify="left",
        caption_justify="left",
    )
    table.add_column("term", overflow="fold")
    for name in ("coefficient", escape("effect [interval]"), "p (names)", "p (paper)"):
        table.add_column(name, justify="right")
    for (eec, subset), rows in _terms(frame).groupby(["eec", "subset"], sort=False):
        first = rows.iloc[0]
        persons = "names" if subset == "names" else "noun phrases"
        table.add_section()
        table.add_row(
            f"[bold]{escape(str(eec))}[/bold], {first['n_persons']} {persons}", "", f"{first['n_rows']} sentences"
        )
        for row in rows.to_dict("records"):
            table.add_row(*_term_cells(row))
    return table


def findings(frame: "pd.DataFrame") -> list[str]:
    """What the table says, in words: a line for each term that is not inconclusive, and how many are."""
    from bias_lab.stats import verdict

    told = [
        (f"{row['eec']}, {row['subset'].replace('_', ' ')}, {row['term']}", verdict(row))
        for row in _terms(frame).to_dict("records")
    ]
    lines = [f"{what}: {text}" for what, text in told if not text.startswith("inconclusive")]
    if not told:
        return [f"no term: {message}" for message in frame["message"].dropna().unique() if message]
    return [*lines, f"inconclusive: {len(told) - len(lines)} of {len(told)} terms"]


def print_results(label: str, agreement: "dict[str, Agreement]", coefficients: "pd.DataFrame") -> None:
    """Print what a finished cell has to show."""
    print_tables(scores_table(label, agreement))
    if not coefficients.empty:
        print_tables(coefficients_table(coefficients))
        print("In words:", *findings(coefficients), sep="\n  ")


def _terms(frame: "pd.DataFrame") -> "pd.DataFrame":
    return frame[(frame["coding"] == "treatment") & (frame["term"] != "Intercept")]


def _term_cells(row: dict[str, Any]) -> list[str]:
    """One term's cells; a term without an estimate shows its status instead."""
    term = f"  {escape(row['term'])}"
    if row["status"] != "ok":
        return [term, f"[yellow]{row['status']}[/yellow]"]
    low, high = (number(row[f"effect_ci_name_{end}"], signed=True) for end in ("low", "high"))
    return [
        term,
        number(row["coefficient"], signed=True),
        f"{number(row['effect_response'], signed=True)} {escape(f'[{low}, {high}]')}",
        _starred(row["p_name"]),
        _starred(row["p_iid"]),
    ]


def _starred(p: float | None) -> str:
    from bias_lab.stats import stars

    return f"{p_value(p)} {'' if p is None or math.isnan(p) else stars(p):<3}"
