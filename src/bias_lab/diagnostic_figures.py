"""Figures of the diagnostics of one fit. Names keep their own script: matplotlib shapes and orders Arabic itself."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from bias_lab.figures import IID_COLOUR, INK, NAME_COLOUR

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Okabe & Ito (2008), distinguishable for colour-blind readers; groups beyond the last start again.
GROUP_COLOURS = (NAME_COLOUR, "#D55E00", "#009E73", "#CC79A7", IID_COLOUR, "#56B4E9")
FAINT = "#BBBBBB"
ROW_HEIGHT = 0.19  # inches a name
LABELLED = 3  # names that are called by their name in a term's row
_MANY = 60  # rows above which names are too small to read


def name_figure(names: pd.DataFrame, *, title: str) -> "Figure":
    """The mean score of every name, names of a group together, with the group's mean.

    names: of `bias_lab.stats.name_spread`, one corpus and subset.
    """
    from matplotlib.figure import Figure

    groups = list(dict.fromkeys(names["group"]))
    rows = len(names) + len(groups)
    height = ROW_HEIGHT if rows <= 2 * _MANY else 2 * _MANY * ROW_HEIGHT / rows
    figure = Figure(figsize=(8, 1.4 + height * rows), layout="constrained")
    axes, ticks, y = figure.add_subplot(), {}, 0
    for group, colour in zip(groups, _colours(len(groups)), strict=True):
        own = names[names["group"] == group].sort_values(["mean_score", "person"], ascending=[False, True])
        center, start = own["group_mean"].iloc[0], y
        for person, mean in zip(own["person"], own["mean_score"], strict=True):
            axes.plot([center, mean], [y, y], color=colour, linewidth=1)
            axes.plot([mean], [y], color=colour, marker="o", markersize=4)
            ticks[y] = person
            y += 1
        axes.plot([center, center], [start - 0.4, y - 0.6], color=colour, linewidth=2)
        axes.annotate(
            group,
            (1.01, (start + y - 1) / 2),
            xycoords=("axes fraction", "data"),
            color=colour,
            va="center",
            fontsize=9,
        )
        y += 1
    axes.set_yticks(list(ticks), list(ticks.values()), fontsize=7 if rows <= 2 * _MANY else 3)
    axes.set_ylim(y - 1.2, -0.8)
    axes.set_xlabel("mean score of the name; vertical line: mean of its group's names")
    _finish(axes, title)
    return figure


def influence_figure(influence: pd.DataFrame, effects: pd.DataFrame, *, title: str) -> "Figure":
    """Every effect without each name, around the effect with all names and its name-level interval.

    influence: of `bias_lab.stats.leave_one_name_out`; effects: of `analyse`; both of one corpus and subset. Terms in
    the paper's coding. The names that move a term most are labelled, one that changes the decision is an open circle.
    """
    from matplotlib.figure import Figure

    shown = effects[(effects["coding"] == "treatment") & (effects["term"] != "Intercept")].reset_index(drop=True)
    figure = Figure(figsize=(8, 1.5 + 0.85 * max(len(shown), 1)), layout="constrained")
    axes = figure.add_subplot()
    axes.axvline(0, color=INK, linewidth=0.8)
    for y, effect in shown.iterrows():
        if effect["status"] != "ok" or effect["status_name"] != "ok":
            text = effect["status"] if effect["status"] != "ok" else effect["status_name"]
            axes.text(0, y, f"  {text}", va="center", color=INK)
            continue
        axes.plot(effect[["effect_ci_name_low", "effect_ci_name_high"]], [y, y], color=FAINT, linewidth=7, zorder=1)
        axes.plot([effect["effect_response"]] * 2, [y - 0.16, y + 0.16], color=INK, linewidth=1.4, zorder=2)
        mine = (influence["coding"] == "treatment") & (influence["term"] == effect["term"])
        _draw_left_out(axes, y, influence[mine])
    axes.set_yticks(range(len(shown)), list(shown["term"]), fontsize=8)
    axes.set_ylim(len(shown) - 0.4, -0.6)
    axes.set_xlabel(
        "difference of mean score without each name (points), with all names (line, interval in grey)\n"
        "open circle: without this name the decision is another"
    )
    _finish(axes, title)
    return figure


def _draw_left_out(axes: Any, y: float, rows: pd.DataFrame) -> None:
    """Points of one term, the largest shifts labelled on the side to which they go."""
    kept, deciding = rows[~rows["decides"]], rows[rows["decides"]]
    axes.plot(kept["effect_without"], [y] * len(kept), "o", color=NAME_COLOUR, markersize=4, alpha=0.6, zorder=3)
    axes.plot(
        deciding["effect_without"], [y] * len(deciding), "o", markersize=7, markerfacecolor="none",
        markeredgecolor="#D55E00", markeredgewidth=1.5, zorder=4,
    )  # fmt: skip
    largest = rows.head(LABELLED)  # the table has the largest shift first
    for position, row in enumerate(largest.to_dict("records")):
        # Labels point away from the effect, the furthest lowest, so that no line crosses another label.
        side = 1 if row["effect_without"] > row["effect_response"] else -1
        line = {"arrowstyle": "-", "color": FAINT, "linewidth": 0.6, "relpos": (int(side < 0), 0)}
        axes.annotate(
            row["person"], (row["effect_without"], y), xytext=(3 * side, 9 + 10 * position), arrowprops=line,
            textcoords="offset points", ha="left" if side > 0 else "right", fontsize=7, color=INK,
        )  # fmt: skip


def fit_figure(residuals: pd.DataFrame, groups: pd.DataFrame, *, title: str) -> "Figure":
    """Quantile residuals against the normal distribution, by group, and the precision of each group.

    residuals: of `bias_lab.stats.quantile_residuals`; groups: of `precision_by_group`; of one corpus and subset.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 3.6), layout="constrained")
    quantiles, by_group, precision = figure.subplots(1, 3)
    names = list(groups["group"])
    told = residuals.dropna(subset="residual")
    if told.empty:
        for axes in (quantiles, by_group):
            axes.text(0.5, 0.5, str(residuals["status"].iloc[0]), ha="center", transform=axes.transAxes)
    else:
        _draw_quantiles(quantiles, told["residual"].to_numpy())
        by_group.boxplot(
            [told.loc[told["group"] == name, "residual"] for name in names], orientation="horizontal",
            medianprops={"color": NAME_COLOUR}, flierprops={"markersize": 2},
        )  # fmt: skip
    by_group.axvline(0, color=INK, linewidth=0.8)
    by_group.set_yticks(range(1, len(names) + 1), names, fontsize=8)
    by_group.set_ylim(len(names) + 0.5, 0.5)
    by_group.set_xlabel("quantile residual")
    for y, row in enumerate(groups.to_dict("records")):
        precision.plot([row["phi_low"], row["phi_high"]], [y, y], color=NAME_COLOUR, linewidth=1.6)
        precision.plot([row["phi"]], [y], color=NAME_COLOUR, marker="o", markersize=4)
    precision.set_yticks(range(len(names)), names, fontsize=8)
    precision.set_ylim(len(names) - 0.5, -0.5)
    precision.set_xlabel("precision with 95 % interval by names")
    for axes in (quantiles, by_group, precision):
        axes.spines[["top", "right"]].set_visible(False)
    figure.suptitle(title, x=0.01, ha="left")
    return figure


def _draw_quantiles(axes: Any, values: np.ndarray) -> None:
    """Sorted residuals (n,) against the normal quantiles of (i - 1/2) / n."""
    from scipy import stats

    expected = stats.norm.ppf((np.arange(1, len(values) + 1) - 0.5) / len(values))
    end = float(np.abs(expected).max())
    axes.plot([-end, end], [-end, end], color=INK, linewidth=0.8)
    axes.plot(expected, np.sort(values), ".", color=NAME_COLOUR, markersize=3)
    axes.set_xlabel("normal quantile")
    axes.set_ylabel("quantile residual")


def _colours(n: int) -> list[str]:
    return [GROUP_COLOURS[i % len(GROUP_COLOURS)] for i in range(n)]


def _finish(axes: Any, title: str) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(title, loc="left")
