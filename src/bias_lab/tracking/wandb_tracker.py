"""A run on Weights & Biases."""

import logging
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bias_lab.errors import ConfigError
from bias_lab.tracking.connection import choose_mode
from bias_lab.tracking.names import CELL, EMOTION, LANGUAGE, LONGEST_TAG, MODEL, describe_cell

if TYPE_CHECKING:
    import pandas as pd

log = logging.getLogger(__name__)

MODES = ("auto", "online", "offline")
LARGEST_FILE = 20_000_000  # bytes


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
        """Open the run; `run_id` is the same for the same configuration, so that a repeated job is one run.

        A cell's model, language and emotion become tags, and keys of the configuration to group and filter by.
        """
        import wandb

        mode: Any = choose_mode(self._mode)
        # A run of this process that was never closed must not take this job's numbers.
        if wandb.run is not None:
            wandb.finish(exit_code=1)
        folder.mkdir(parents=True, exist_ok=True)
        cell = describe_cell(name, config) if job_type == CELL else {}
        own = [cell[key] for key in (MODEL, LANGUAGE, EMOTION) if cell] if job_type == CELL else [job_type]
        self._run = wandb.init(
            project=self._project,
            entity=self._entity,
            group=self._group or group,
            tags=self._all_tags(own),
            id=run_id,
            name=name,
            config=config | cell,
            dir=str(folder),
            mode=mode,
            job_type=job_type,
            resume="allow" if mode == "online" else None,
            settings=wandb.Settings(silent=True, console="off", init_timeout=60, save_code=False),
        )
        if mode == "offline":
            log.info("W&B is offline; to upload later: wandb sync %s", Path(self._run.dir).parent)

    def _all_tags(self, own: Sequence[str]) -> list[str]:
        """The run's own tags, those configured, and W&B's $WANDB_TAGS, which tags that are passed would replace."""
        asked = [*own, *self._tags, *os.environ.get("WANDB_TAGS", "").split(",")]
        return list(dict.fromkeys(tag.strip()[:LONGEST_TAG] for tag in asked if tag.strip()))

    def log_history(self, epochs: "pd.DataFrame") -> None:
        """Log one step an epoch."""
        for row in epochs.to_dict("records"):
            step = int(row.pop("epoch"))
            self._run.log({str(key): value for key, value in row.items()}, step=step)

    def log_results(
        self, metrics: Mapping[str, float], tables: "Mapping[str, pd.DataFrame]", figures: Sequence[Path]
    ) -> None:
        """Metrics go to the summary under their `/` names; tables and figures under `tables/` and `figures/`."""
        import wandb

        self._run.summary.update(dict(metrics))
        content: dict[str, Any] = {f"tables/{name}": wandb.Table(dataframe=table) for name, table in tables.items()}
        content |= {f"figures/{path.stem}": wandb.Image(str(path)) for path in figures}
        if content:
            self._run.log(content)

    def log_files(self, name: str, files: Mapping[str, Path]) -> None:
        """Files go into an artifact of the run; one that is too large is left out, with a line that says so."""
        import wandb

        artifact = wandb.Artifact(re.sub(r"[^\w.-]", "_", name, flags=re.ASCII), type="results")
        for shown, path in files.items():
            if (size := path.stat().st_size) > LARGEST_FILE:
                log.info("%s is not sent to W&B: %.0f MB, at most %.0f", path, size / 1e6, LARGEST_FILE / 1e6)
            else:
                artifact.add_file(str(path), name=shown)
        if artifact.manifest.entries:
            self._run.log_artifact(artifact)

    def finish(self, *, succeeded: bool) -> None:
        """Close the run; W&B shows exit code 1 as failed."""
        if self._run is not None:
            self._run.finish(exit_code=0 if succeeded else 1)
            self._run = None
