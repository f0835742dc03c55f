"""Weights & Biases: the one module that knows it. Texts of the task are never sent."""

import logging
import os
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlparse

import pandas as pd

from bias_lab.errors import ConfigError

log = logging.getLogger(__name__)

MODES = ("auto", "online", "offline")
NETWORK_TIMEOUT = 3.0  # seconds


class Tracker(Protocol):
    """Where a run's progress and results are shown; `start` and `finish` once each."""

    def start(self, *, run_id: str, name: str, group: str | None, config: dict[str, Any], folder: Path) -> None:
        """Open the run."""

    def log_history(self, epochs: pd.DataFrame) -> None:
        """Training course, one row an epoch."""

    def log_results(
        self, metrics: Mapping[str, float], tables: Mapping[str, pd.DataFrame], figures: Sequence[Path]
    ) -> None:
        """Final numbers, tables and pictures."""

    def finish(self, *, succeeded: bool) -> None:
        """Close the run as finished or failed."""


class NoTracker:
    """Tracks nothing."""

    def start(self, *, run_id: str, name: str, group: str | None, config: dict[str, Any], folder: Path) -> None:
        """Do nothing."""

    def log_history(self, epochs: pd.DataFrame) -> None:
        """Do nothing."""

    def log_results(
        self, metrics: Mapping[str, float], tables: Mapping[str, pd.DataFrame], figures: Sequence[Path]
    ) -> None:
        """Do nothing."""

    def finish(self, *, succeeded: bool) -> None:
        """Do nothing."""


class WandbTracker:
    """One W&B run a job. `mode` auto is online where a key and the network are, else offline."""

    def __init__(
        self,
        *,
        project: str = "bias_lab",
        entity: str | None = None,
        mode: str = "auto",
        group: str | None = None,
        tags: Sequence[str] = (),
    ) -> None:
        if mode not in MODES:
            raise ConfigError(f"tracking.mode={mode}: choose one of {', '.join(MODES)} (or tracking=off)")
        self._project, self._entity, self._group = project, entity, group
        self._mode = mode
        self._tags = list(tags)
        self._run: Any = None

    def start(self, *, run_id: str, name: str, group: str | None, config: dict[str, Any], folder: Path) -> None:
        """Open the run; `run_id` is the same for the same configuration, so that a repeated job is one run."""
        import wandb

        mode: Any = choose_mode(self._mode)
        # A run of this process that was never closed must not take this job's numbers.
        if wandb.run is not None:
            wandb.finish(exit_code=1)
        folder.mkdir(parents=True, exist_ok=True)
        self._run = wandb.init(
            project=self._project,
            entity=self._entity,
            group=self._group or group,
            tags=self._tags or None,
            id=run_id,
            name=name,
            config=config,
            dir=str(folder),
            mode=mode,
            job_type="cell",
            resume="allow" if mode == "online" else None,
            settings=wandb.Settings(silent=True, console="off", init_timeout=60, save_code=False),
        )
        if mode == "offline":
            log.info("W&B is offline; to upload later: wandb sync %s", Path(self._run.dir).parent)

    def log_history(self, epochs: pd.DataFrame) -> None:
        """Log one step an epoch."""
        for row in epochs.to_dict("records"):
            step = int(row.pop("epoch"))
            self._run.log({str(key): value for key, value in row.items()}, step=step)

    def log_results(
        self, metrics: Mapping[str, float], tables: Mapping[str, pd.DataFrame], figures: Sequence[Path]
    ) -> None:
        """Metrics go to the summary under their `/` names; tables and figures under `tables/` and `figures/`."""
        import wandb

        self._run.summary.update(dict(metrics))
        content: dict[str, Any] = {f"tables/{name}": wandb.Table(dataframe=table) for name, table in tables.items()}
        content |= {f"figures/{path.stem}": wandb.Image(str(path)) for path in figures}
        if content:
            self._run.log(content)

    def finish(self, *, succeeded: bool) -> None:
        """Close the run; W&B shows exit code 1 as failed."""
        if self._run is not None:
            self._run.finish(exit_code=0 if succeeded else 1)
            self._run = None


def choose_mode(asked: str) -> str:
    """`online` or `offline` (or W&B's `disabled`): $WANDB_MODE, else what was asked, else what is possible."""
    forced = os.environ.get("WANDB_MODE", "").strip()
    if forced:
        return forced
    if asked != "auto":
        return asked
    return "online" if _has_key() and _reachable() else "offline"


def _base_url() -> str:
    return os.environ.get("WANDB_BASE_URL", "https://api.wandb.ai")


def _has_key() -> bool:
    """Whether W&B would find a key without asking for one at the terminal."""
    if os.environ.get("WANDB_API_KEY"):
        return True
    import netrc

    try:
        return netrc.netrc().authenticators(urlparse(_base_url()).hostname or "") is not None
    except (OSError, netrc.NetrcParseError):
        return False


def _reachable() -> bool:
    """Whether the server takes a connection within a few seconds; wandb itself would wait for minutes."""
    url = urlparse(_base_url())
    port = url.port or (80 if url.scheme == "http" else 443)
    try:
        socket.create_connection((url.hostname or "", port), timeout=NETWORK_TIMEOUT).close()
    except OSError:
        return False
    return True
