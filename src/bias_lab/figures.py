"""Figures of a run, as PNG and SVG."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Okabe & Ito (2008), distinguishable for colour-blind readers.
INK, NAME_COLOUR, IID_COLOUR = "#222222", "#0072B2", "#E69F00"
ROW_HEIGHT = 0.42  # inches


def coefficient_figure(coefficients: pd.DataFrame, *, title: str) -> "Figure":
    """Forest plot of the terms on the logit scale: name-level interval (headline) above the published i.i.d. one.

    `coefficients` is the table of `bias_lab.stats.analyse`; intercepts and the deviation coding are
    left out, and a term without an estimate shows its status instead.
    """
    from matplotlib.figure import Figure

    shown = (coefficients["coding"] == "treatment") & (coefficients["term"] != "Intercept")
    rows = coefficients[shown].reset_index(drop=True)
    figure = Figure(figsize=(8, 1.6 + ROW_HEIGHT * max(len(rows), 1)), layout="constrained")
    axes = figure.add_subplot()
    axes.axvline(0, color=INK, linewidth=0.8)
    for y, row in rows.iterrows():
        _draw_interval(axes, y - 0.1, row[["coefficient", "ci_name_low", "ci_name_high"]], NAME_COLOUR)
        _draw_interval(axes, y + 0.16, row[["coefficient", "ci_low", "ci_high"]], IID_COLOUR)
        if row["status"] != "ok":
            axes.text(0, y, f"  {row['status']}", va="center", color=INK)
    axes.set_yticks(range(len(rows)), [f"{row.term}\n{row.eec}, {row.subset}" for row in rows.itertuples()], fontsize=8)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlabel("coefficient (logit scale) with 95 % interval")
    axes.set_title(title, loc="left")
    axes.plot([], [], color=NAME_COLOUR, marker="o", label="names as units (headline)")
    axes.plot([], [], color=IID_COLOUR, marker="o", label="sentences as units (the paper's)")
    figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=8)
    return figure


def save_figure(figure: "Figure", stem: Path) -> Path:
    """Write `stem`.png and `stem`.svg; returns the PNG."""
    from bias_lab.files import write_atomic

    for suffix in (".svg", ".png"):
        write_atomic(
            stem.with_suffix(suffix),
            lambda part, kind=suffix: figure.savefig(part, format=kind[1:], dpi=150),  # type: ignore[misc]
        )
    return stem.with_suffix(".png")


def _draw_interval(axes: Any, y: float, interval: pd.Series, colour: str) -> None:
    centre, low, high = interval
    if pd.notna(centre) and pd.notna(low):
        axes.plot([low, high], [y, y], color=colour, linewidth=1.6)
        axes.plot([centre], [y], color=colour, marker="o", markersize=4)
