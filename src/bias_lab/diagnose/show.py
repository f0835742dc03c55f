"""The diagnostics on the screen: what a reader should see before the files."""

import pandas as pd
from rich.markup import escape
from rich.table import Table
from scipy import stats

from bias_lab.diagnose.tables import Diagnostics
from bias_lab.terminal import number, p_value, print_tables


def show(found: Diagnostics) -> None:
    """Print one table of influence and one of groups, and a line on the residuals of each fit."""
    print_tables(influence_table(found), groups_table(found))
    print("Quantile residuals, standard normal if the Beta model holds (p_name and p_perm do not need it to):")
    for eec, subset in found.fits:
        print(f"  {eec}, {subset.replace('_', ' ')}: {residual_line(found.of(eec, subset).residuals)}")
    print()


def influence_table(found: Diagnostics) -> Table:
    """Each term with the name whose removal moves it most."""
    table = Table(
        title="Who drives the effect? The name whose removal moves it most",
        caption="decide: how many names there are without any one of which the decision at the run's level would be\n"
        "another. Terms in the paper's coding; influence.csv has every name, and the deviation coding",
        title_justify="left",
        caption_justify="left",
    )
    table.add_column("term", min_width=39, overflow="fold")
    table.add_column("name", overflow="fold")
    for name in ("effect → without", "p → without", "decide"):
        table.add_column(name, justify="right", no_wrap=True)
    shown = (found.influence["coding"] == "treatment") & (found.influence["term"] != "Intercept")
    for (eec, subset), rows in found.influence[shown].groupby(["eec", "subset"], sort=False):
        table.add_section()
        table.add_row(f"[bold]{escape(str(eec))}[/bold], {str(subset).replace('_', ' ')}")
        for term, of_term in rows.groupby("term", sort=False):
            table.add_row(f"  {escape(str(term))}", *_influence_cells(of_term))
    return table


def _influence_cells(rows: pd.DataFrame) -> list[str]:
    first = rows.iloc[0]  # the largest shift
    if first["status"] != "ok":
        return [f"[yellow]{first['status']}[/yellow]"]
    effect, without = (number(first[name], signed=True) for name in ("effect_response", "effect_without"))
    return [
        escape(first["person"]),
        f"{effect} → {without}",
        f"{p_value(first['p_name'])} → {p_value(first['p_name_without'])}",
        str(int(rows["decides"].sum())),
    ]


def groups_table(found: Diagnostics) -> Table:
    """Each group's scores, the spread of its names, its precision, and scores at the ends."""
    table = Table(
        title="Scores by group",
        caption="spread: standard deviation of the names' means. precision: of the Beta distribution, 95 % interval\n"
        "by names; p: that it is that of the other groups. ends: scores at or beyond 0 and 1",
        title_justify="left",
        caption_justify="left",
    )
    for name in ("group", "rows", "names", "mean", "spread", escape("precision [interval]"), "p", "ends"):
        table.add_column(name, justify="left" if name == "group" else "right", overflow="fold")
    spread = found.names.groupby(["eec", "subset", "group"])["mean_score"].std()
    for (eec, subset), rows in found.groups.groupby(["eec", "subset"], sort=False):
        table.add_section()
        table.add_row(f"[bold]{escape(str(eec))}[/bold], {str(subset).replace('_', ' ')}")
        for row in rows.to_dict("records"):
            low, high = number(row["phi_low"], 1), number(row["phi_high"], 1)
            ends = sum(int(row[name]) for name in ("below_0", "at_0", "at_1", "above_1"))
            table.add_row(
                f"  {escape(row['group'])}",
                f"{row['n_rows']:,}",
                str(row["n_persons"]),
                number(row["mean_score"]),
                number(spread[eec, subset, row["group"]]),
                f"{number(row['phi'], 1)} {escape(f'[{low}, {high}]')}"
                if row["status"] == "ok"
                else str(row["status"]),
                p_value(row["p_name"]),
                str(ends),
            )
    return table


def residual_line(residuals: pd.DataFrame) -> str:
    """The tails of the quantile residuals of one fit, beside those of a standard normal distribution."""
    values = residuals["residual"].dropna().abs()
    if values.empty:
        return f"none ({residuals['status'].iloc[0]})"
    parts = []
    for end in (2, 3):
        share, normal = float((values > end).mean()), 2 * float(stats.norm.sf(end))
        parts.append(f"{100 * share:.1f} % beyond ±{end} (normal: {100 * normal:.1f} %)")
    return ", ".join(parts)
