"""What a run tells of its progress and results, whoever listens."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from bias_lab.tracking.names import CELL

if TYPE_CHECKING:
    import pandas as pd


class Tracker(Protocol):
    """Where a run's progress and results are shown; `start` and `finish` once each."""

    def start(
        self,
        *,
        run_id: str,
        name: str,
        group: str | None,
        config: dict[str, Any],
        folder: Path,
        job_type: str = CELL,
    ) -> None:
        """Open the run."""

    def log_history(self, epochs: "pd.DataFrame") -> None:
        """Training course, one row an epoch."""

    def log_results(
        self, metrics: Mapping[str, float], tables: "Mapping[str, pd.DataFrame]", figures: Sequence[Path]
    ) -> None:
        """Final numbers, tables and pictures."""

    def log_files(self, name: str, files: Mapping[str, Path]) -> None:
        """Files to keep with the run, by the names that they are shown under."""

    def finish(self, *, succeeded: bool) -> None:
        """Close the run as finished or failed."""


class NoTracker:
    """Tracks nothing."""

    def start(
        self,
        *,
        run_id: str,
        name: str,
        group: str | None,
        config: dict[str, Any],
        folder: Path,
        job_type: str = CELL,
    ) -> None:
        """Do nothing."""

    def log_history(self, epochs: "pd.DataFrame") -> None:
        """Do nothing."""

    def log_results(
        self, metrics: Mapping[str, float], tables: "Mapping[str, pd.DataFrame]", figures: Sequence[Path]
    ) -> None:
        """Do nothing."""

    def log_files(self, name: str, files: Mapping[str, Path]) -> None:
        """Do nothing."""

    def finish(self, *, succeeded: bool) -> None:
        """Do nothing."""
