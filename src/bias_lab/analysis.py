"""From a run folder's predictions to its coefficients: file, figure, tracker, terminal."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from bias_lab.evaluation import Agreement
from bias_lab.files import write_atomic
from bias_lab.manifest import Manifest
from bias_lab.run import HISTORY, METRICS
from bias_lab.tracking import Tracker, bias_metrics

COEFFICIENTS = "coefficients.csv"
Regression = Callable[[pd.DataFrame, Sequence["Factor"]], pd.DataFrame]


@dataclass(frozen=True)
class Factor:
    """A factor as the manifest tells it."""

    name: str
    levels: tuple[str, ...]
    reference: str


@dataclass(frozen=True)
class RunAnalysis:
    """What a finished run has to show: agreement with the gold scores by split, and all coefficients."""

    label: str
    agreement: dict[str, Agreement]
    coefficients: pd.DataFrame


def analyse_run(folder: Path, regression: Regression, tracker: Tracker) -> RunAnalysis:
    """Fit the regressions on what a run wrote; writes coefficients.csv and figures/, logs to `tracker`."""
    manifest = Manifest.read(folder)
    with manifest.timed("analyse"):
        coefficients, figures = write_analysis(folder, manifest.content, regression)
    metrics = json.loads((folder / METRICS).read_text(encoding="utf-8"))
    with manifest.timed("track"):
        track(tracker, folder, metrics, coefficients, figures)
    manifest.save()
    return RunAnalysis(
        manifest.content["label"],
        {split: Agreement(**found) for split, found in metrics.items()},
        coefficients,
    )


def write_analysis(folder: Path, content: dict[str, Any], regression: Regression) -> tuple[pd.DataFrame, list[Path]]:
    """Fit the regressions on the predictions in a folder, as its manifest's content tells of them.

    Writes coefficients.csv and figures/ where there is a corpus; returns the coefficients and the figures' PNGs.
    """
    coefficients = fit_corpora(folder, content["corpora"], regression)
    if coefficients.empty:
        return coefficients, []
    write_atomic(folder / COEFFICIENTS, lambda part: coefficients.to_csv(part, index=False))
    return coefficients, draw(coefficients, folder / "figures", title=content["label"])


def fit_corpora(folder: Path, corpora: list[dict[str, Any]], regression: Regression) -> pd.DataFrame:
    """Coefficients of every corpus the run scored, in the manifest's order; empty where it scored none."""
    parts = []
    for corpus in corpora:
        table = pd.read_parquet(folder / "predictions" / f"{corpus['name']}.parquet")
        factors = [Factor(f["name"], tuple(f["levels"]), f["reference"]) for f in corpus["factors"]]
        parts.append(regression(table, factors))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def draw(coefficients: pd.DataFrame, folder: Path, *, title: str) -> list[Path]:
    """Draw the coefficient plot; returns the PNG (the SVG lies beside it)."""
    from bias_lab.figures import coefficient_figure, save_figure

    return [save_figure(coefficient_figure(coefficients, title=title), folder / "coefficients")]


def track(
    tracker: Tracker,
    folder: Path,
    metrics: dict[str, Any],
    coefficients: pd.DataFrame,
    figures: Sequence[Path],
) -> None:
    """Log training course, metrics, coefficients and figures, with `/` in names so that panels group."""
    if (folder / HISTORY).is_file():
        tracker.log_history(pd.read_csv(folder / HISTORY))
    flat = {
        f"{split}/{name}": value
        for split, found in metrics.items()
        for name, value in found.items()
        if value is not None
    }
    tables = {} if coefficients.empty else {"coefficients": coefficients}
    tracker.log_results(flat | bias_metrics(coefficients), tables, figures)
