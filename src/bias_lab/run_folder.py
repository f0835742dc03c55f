"""A finished run's folder (or an audit's), as the commands that come after it read it."""

import json
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from bias_lab.corpora import Factor
from bias_lab.errors import ConfigError, DataError
from bias_lab.manifest import FINISHED, MANIFEST
from bias_lab.stats import BetaRegression

log = logging.getLogger(__name__)

CONFIG = "config.yaml"
DEFAULT_STATS = "bias_lab.stats.BetaRegression"


@dataclass(frozen=True, eq=False)
class RunFolder:
    """A finished run: manifest and resolved configuration as plain types; predictions are read when asked for."""

    folder: Path
    manifest: dict[str, Any]
    config: dict[str, Any]

    @property
    def label(self) -> str:
        """Such as `xlmr-ar-anger-s0`."""
        return str(self.manifest.get("label") or self.folder.name)

    @property
    def corpora(self) -> list[str]:
        """The names of the corpora that it scored."""
        return [str(corpus["name"]) for corpus in self.manifest.get("corpora", ())]

    def factors(self, eec: str) -> tuple[Factor, ...]:
        """The factors of a corpus that it scored, as they were then."""
        corpus = next(corpus for corpus in self.manifest["corpora"] if corpus["name"] == eec)
        return tuple(Factor(f["name"], tuple(f["levels"]), f["reference"]) for f in corpus["factors"])

    def table(self, eec: str) -> pd.DataFrame:
        """The long table of a corpus with its predictions; raises DataError where it cannot be read."""
        path = self.folder / "predictions" / f"{eec}.parquet"
        try:
            table = pd.read_parquet(path)
        except (OSError, ValueError) as error:
            raise DataError(f"{path}: cannot be read ({_first_line(error)}); run the cell again") from error
        if "prediction" not in table.columns:
            raise DataError(f"{path}: there is no column prediction; it has {', '.join(map(str, table.columns))}")
        return table

    def regression(self) -> BetaRegression:
        """The run's own Beta regression; the default one, with a warning, where it was analysed by something else."""
        options = dict(self.config.get("stats") or {})
        target = options.pop("_target_", DEFAULT_STATS)
        if target != DEFAULT_STATS:
            log.warning("%s was analysed by %s; here its scores meet the default Beta regression", self.folder, target)
            return BetaRegression()
        try:
            return BetaRegression(**options)
        except TypeError as error:
            raise ConfigError(f"{self.folder / CONFIG}: stats: {error}") from None


def open_run(folder: Path) -> RunFolder:
    """Open the folder of a finished run.

    Raises DataError where it is no run folder, cannot be read, or the run did not finish, with the run's own reason.
    """
    if not (folder / MANIFEST).is_file():
        raise DataError(f"{folder}: is no run folder (no {MANIFEST} in it); {_runs_below(folder)}")
    manifest, config = _mapping(folder / MANIFEST), {}
    if (folder / CONFIG).is_file():
        config = _mapping(folder / CONFIG)
    if (status := manifest.get("status")) != FINISHED:
        reason = f" ({manifest['error']})" if manifest.get("error") else ""
        raise DataError(f"{folder}: its status is {status}, not {FINISHED}{reason}; run the cell again")
    return RunFolder(folder, manifest, config)


def _runs_below(folder: Path) -> str:
    if not folder.is_dir():
        return "there is no such folder"
    below = sorted(path.parent.name for path in folder.glob(f"*/{MANIFEST}"))
    advice = "give one such as outputs/<date>/<time>, or multirun/<date>/<time>/0"
    return f"it holds runs: give one of them, such as {folder / below[0]}" if below else advice


def _mapping(path: Path) -> dict[str, Any]:
    """A JSON or YAML file that holds a mapping."""
    read = json.loads if path.suffix == ".json" else yaml.safe_load
    try:
        content = read(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise DataError(f"{path}: cannot be read ({_first_line(error)})") from error
    if not isinstance(content, dict):
        raise DataError(f"{path}: must hold a mapping, but holds {type(content).__name__}")
    return content


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
