"""Figures of a run, as PNG and SVG; figures of many runs for a paper, as PNG, SVG and PDF."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from bias_lab.errors import ConfigError, DataError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from bias_lab.summary.collect import Summary

# Okabe & Ito (2008), distinguishable for colour-blind readers.
INK, NAME_COLOUR, IID_COLOUR = "#222222", "#0072B2", "#E69F00"
ROW_HEIGHT = 0.42  # inches
DPI = 150
FORMATS = ("png", "svg", "pdf")
PANEL_WIDTH = 220  # pixels, of a figure for a paper
IID_NOTE = "Line: interval with names as the unit. Short line below it: the published interval, sentences as the unit."
PNG_SCALE = 3  # about 216 dots an inch


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
    _draw_intervals(axes, -0.1, rows[["coefficient", "ci_name_low", "ci_name_high"]], NAME_COLOUR)
    _draw_intervals(axes, 0.16, rows[["coefficient", "ci_low", "ci_high"]], IID_COLOUR)
    for y, status in enumerate(rows["status"]):
        if status != "ok":
            axes.text(0, y, f"  {status}", va="center", color=INK)
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
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    from bias_lab.files import write_atomic

    # Not by savefig, which draws everything twice, the first time for measuring alone.
    figure.set_dpi(DPI)
    png = FigureCanvasAgg(figure)
    write_atomic(stem.with_suffix(".png"), lambda part: png.print_png(part, pil_kwargs={"compress_level": 2}))
    figure.set_layout_engine("none")  # all is in its place
    svg = FigureCanvasSVG(figure)
    write_atomic(stem.with_suffix(".svg"), svg.print_svg)
    return stem.with_suffix(".png")


def _draw_intervals(axes: Any, offset: float, intervals: pd.DataFrame, colour: str) -> None:
    """Centre, low and high end (n, 3) of each row, `offset` below the row's place."""
    known = intervals[intervals.iloc[:, :2].notna().all(axis=1)]
    centre, low, high = known.to_numpy().T
    y = known.index.to_numpy() + offset
    axes.hlines(y, low, high, color=colour, linewidth=1.6, capstyle="projecting")
    axes.plot(centre, y, color=colour, marker="o", markersize=4, linestyle="")


def paper_figures(
    summary: "Summary", folder: Path, *, by: str = "emotion", paper: bool = True, formats: Sequence[str] = FORMATS
) -> list[Path]:
    """Draw a summary's effects for print, from the charts of the report page.

    One forest plot a corpus (a panel for each term; name-level intervals, the published i.i.d. ones below them with
    `paper`; rows grouped `by` "emotion" or "model") and one heat map a kind of term: names, the paper's coding. Returns
    the files, of every format of `formats` (png, svg, pdf). Raises ConfigError for another `by` or format.
    """
    from bias_lab.report.effects import effects

    if by not in ("emotion", "model"):
        raise ConfigError(f"paper_figures: by={by!r}; allowed: emotion, model")
    found = effects(summary.coefficients)
    shown = found[(found["coding"] == "treatment") & (found["subset"] == "names")]
    files = []
    for eec, rows in shown.groupby("eec"):
        files += save_vega(_forest_panels(rows, by=by, paper=paper), folder / f"effects-{eec}", formats=formats)
    for factors, rows in shown.groupby("factors"):
        files += save_vega(_heat_map(rows), folder / f"heat-map-{factors.replace(':', '-by-')}", formats=formats)
    return files


def names_figure(
    summary: "Summary", folder: Path, *, model: str, emotion: str, eec: str, formats: Sequence[str] = FORMATS
) -> list[Path]:
    """Draw one run's mean scores by name within groups; see `paper_figures`. Raises DataError for an unknown run."""
    from bias_lab.report import charts
    from bias_lab.report.payload import with_groups
    from bias_lab.report.rows import name_rows

    names = summary.names
    own = names[(names["model"] == model) & (names["emotion"] == emotion) & (names["eec"] == eec)]
    if own.empty:
        runs = names[["model", "emotion", "eec"]].drop_duplicates().agg(", ".join, axis=1)
        raise DataError(f"names_figure: there is no run {model}, {emotion}, {eec}; there are: {'; '.join(runs)}")
    people = with_groups(own)
    spec = charts.names(width=PANEL_WIDTH * 2)
    spec["datasets"] = {charts.ROWS: name_rows(people[people["subset"] == "names"]), charts.SENTENCES: []}
    spec["title"] = f"{eec}, {emotion}, {model}"
    return save_vega(spec, folder / f"names-{eec}-{emotion}-{model}", formats=formats)


def save_vega(spec: dict[str, Any], stem: Path, *, formats: Sequence[str] = FORMATS) -> list[Path]:
    """Write a Vega-Lite specification as `stem`.png, .svg and .pdf, with fonts that have Arabic; returns the files."""
    import altair
    import matplotlib
    import vl_convert

    from bias_lab.files import write_atomic
    from bias_lab.report.theme import theme

    if unknown := [name for name in formats if name not in FORMATS]:
        raise ConfigError(f"figures: format {unknown[0]!r}; allowed: {', '.join(FORMATS)}")
    # Machines without a desktop often have no font with Arabic letters; matplotlib brings one along.
    vl_convert.register_font_directory(str(Path(matplotlib.get_data_path()) / "fonts" / "ttf"))
    options: dict[str, Any] = {
        "vl_version": ".".join(altair.SCHEMA_VERSION.lstrip("v").split(".")[:2]),
        "config": theme(font="DejaVu Sans") | {"background": "white"},
    }
    content = {
        "png": lambda: vl_convert.vegalite_to_png(spec, scale=PNG_SCALE, **options),
        "svg": lambda: vl_convert.vegalite_to_svg(spec, **options).encode(),
        "pdf": lambda: vl_convert.vegalite_to_pdf(spec, **options),
    }
    files = [stem.with_name(f"{stem.name}.{name}") for name in formats]
    for name, file in zip(formats, files, strict=True):
        drawn = content[name]()
        write_atomic(file, lambda part, drawn=drawn: part.write_bytes(drawn))  # type: ignore[misc]
    return files


def _forest_panels(effects: pd.DataFrame, *, by: str, paper: bool) -> dict[str, Any]:
    """One panel a term, side by side, with one legend and one axis."""
    from bias_lab.report import charts
    from bias_lab.report.effects import KINDS, NO_TEST
    from bias_lab.report.rows import forest_rows

    panels, datasets = [], {}
    kinds = [kind for kind in KINDS if kind != NO_TEST and (effects["kind"] == kind).any()]
    order = effects.assign(size=effects["factors"].str.count(":")).sort_values(["size", "order"])
    for number, (_, rows) in enumerate(order.groupby("term", sort=False)):
        first, name = rows.iloc[0], f"rows{number}"
        panel = charts.forest(width=PANEL_WIDTH, legend=kinds)
        params = panel.pop("params")
        for layer in panel["layer"]:
            if layer.get("data") == {"name": charts.ROWS}:
                layer["data"] = {"name": name}
        condition = f" ({first['condition']})" if first["condition"] else ""
        panels.append({**panel, "title": f"{first['contrast']}{condition}"})
        datasets[name] = forest_rows(rows, by=by)
    columns = ["low", "high", *(["low_iid", "high_iid"] if paper else [])]
    least, most = min(0, effects[columns].min(axis=None)), max(0, effects[columns].max(axis=None))
    values = {"least": least - 0.03 * (most - least), "most": most + 0.03 * (most - least), "paper": paper}
    return {
        "hconcat": panels,
        "datasets": datasets,
        "params": [{**param, "value": float(values[param["name"]])} for param in params],
        "title": {"text": str(effects["eec"].iloc[0]), "subtitle": IID_NOTE if paper else ""},
    }


def _heat_map(effects: pd.DataFrame) -> dict[str, Any]:
    from bias_lab.report import charts
    from bias_lab.report.effects import MARKS
    from bias_lab.report.rows import heat_rows

    spec = charts.heat_map(width=max(PANEL_WIDTH, 60 * effects["model"].nunique()))
    spec["params"] = [{"name": "most", "value": float(effects["effect"].abs().max()) or 1.0}]
    spec["datasets"] = {charts.ROWS: heat_rows(effects)}
    spec["title"] = {"text": str(effects["factors"].iloc[0]).replace(":", " × "), "subtitle": list(MARKS)}
    return spec
