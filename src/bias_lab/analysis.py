"""From a run folder's predictions to its coefficients: file, figure, tracker, terminal."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from bias_lab.errors import ConfigError
from bias_lab.evaluation import Agreement
from bias_lab.files import write_atomic
from bias_lab.manifest import Manifest
from bias_lab.run_files import COEFFICIENTS, HISTORY, METRICS
from bias_lab.tracking import Tracker, bias_metrics

# What tables, figures, findings in words and tracking read of a regression's table, the user's own included.
SHOWN = (
    *("eec", "subset", "coding", "term", "n_rows", "n_persons", "status", "status_name", "message"),
    *("factors", "levels", "references", "condition", "level", "smallest_effect"),
    *("coefficient", "ci_low", "ci_high", "p_iid", "std_error_name", "ci_name_low", "ci_name_high", "p_name"),
    *("raw_difference", "effect_response", "effect_ci_name_low", "effect_ci_name_high", "p_effect_name"),
    *("p_equivalence", "mde_response"),
)
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
        parts.append(_checked(regression(table, factors)))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def _checked(coefficients: Any) -> pd.DataFrame:
    """The table of a regression, which may be the user's own; raises ConfigError where results cannot be shown."""
    if not isinstance(coefficients, pd.DataFrame):
        raise ConfigError(f"stats: a table (DataFrame) is needed, it returned {type(coefficients).__name__}")
    if lacking := [column for column in SHOWN if column not in coefficients.columns]:
        raise ConfigError(
            f"stats: its table has no column {', '.join(lacking)}; it needs these columns of bias_lab.stats.analyse, "
            f"empty where they do not apply: {', '.join(SHOWN)}"
        )
    return coefficients


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
