"""The panels that workspace and report share, by theme."""

from collections.abc import Sequence
from types import ModuleType
from typing import Any

from bias_lab.dashboard.effects import Effect
from bias_lab.tracking.names import (
    CELL_NAME,
    COEFFICIENTS,
    CURVES,
    EFFECTS,
    EMOTION,
    FAILED,
    FINDINGS,
    LANGUAGE,
    MODEL,
    PEARSON,
    TEST_PEARSON,
)

MOST_RUNS = 1000
MOST_BARS = 100
WIDE = 24  # a report's panels stand on a grid of 24 columns
GROUPINGS = {MODEL: "model", LANGUAGE: "language", EMOTION: "emotion", CELL_NAME: "model, language and emotion"}
SUMMARY_TABLES = (PEARSON, FINDINGS, EFFECTS, FAILED)


class Panels:
    """Makes panels with the library's report module."""

    def __init__(self, reports: ModuleType) -> None:
        self._reports = reports

    def pearson(self) -> list[Any]:
        """Test Pearson by model, by language, by emotion, and by all three; bars are means over runs."""
        return [
            self._bars(f"test Pearson by {title}", TEST_PEARSON, by=key, height=14 if key == CELL_NAME else 8)
            for key, title in GROUPINGS.items()
        ]

    def effects(self, shown: Sequence[Effect]) -> list[Any]:
        """One panel a term: the difference of mean score by model, language and emotion, averaged over seeds."""
        return [self._bars(effect.title, effect.metric("effect_response"), by=CELL_NAME, height=10) for effect in shown]

    def curves(self) -> list[Any]:
        """The course of training, by epoch; baselines have none."""
        plot, layout = self._reports.LinePlot, self._reports.Layout
        return [
            plot(title=name, x="Step", y=[name], title_x="epoch", max_runs_to_show=MOST_BARS, layout=layout(w=8, h=8))
            for name in CURVES
        ]

    def cell_details(self) -> list[Any]:
        """Coefficient plots and tables of the single runs."""
        media = self._reports.MediaBrowser(
            title="coefficients with intervals",
            media_keys=[f"figures/{COEFFICIENTS}"],
            num_columns=2,
            layout=self._reports.Layout(w=WIDE, h=14),
        )
        return [media, self._table(COEFFICIENTS)]

    def summary_tables(self) -> list[Any]:
        """The tables of a sweep's summary: Pearson, findings, coefficients, failed cells."""
        return [self._table(name) for name in SUMMARY_TABLES]

    def words(self, text: str) -> list[Any]:
        """A text."""
        return [self._reports.MarkdownPanel(markdown=text)]

    def _bars(self, title: str, metric: str, *, by: str, height: int) -> Any:
        return self._reports.BarPlot(
            title=title,
            metrics=[metric],
            groupby=self._reports.Config(by),
            groupby_aggfunc="mean",
            groupby_rangefunc="stddev",
            max_runs_to_show=MOST_RUNS,
            max_bars_to_show=MOST_BARS,
            layout=self._reports.Layout(w=8, h=height),
        )

    def _table(self, name: str) -> Any:
        layout = self._reports.Layout(w=WIDE, h=12)
        return self._reports.WeavePanelSummaryTable(table_name=f"tables/{name}", layout=layout)
