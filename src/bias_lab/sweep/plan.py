"""From a sweep's override lines to its cells, composed and checked; `bias_lab.sweep.folders` gives them folders."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bias_lab.config import Settings, parse
from bias_lab.errors import ConfigError
from bias_lab.sweep.compose import Composer


@dataclass(frozen=True)
class PlannedCell:
    """One cell that a sweep was asked for.

    line: its overrides. name, folder: where it lives in the sweep's folder. reason: why it has to run, `None` if its
    results stand. problem: why it cannot be composed. replaces: whether finished results of other inputs lie there.
    elsewhere: whether another command has not done with it.
    """

    line: tuple[str, ...]
    label: str
    model: str
    settings: Settings | None = None
    problem: Exception | None = None
    name: str = ""
    folder: Path = Path()
    reason: str | None = None
    replaces: bool = False
    elsewhere: bool = False


def draft_cells(lines: Sequence[Sequence[str]], composer: Composer) -> list[PlannedCell]:
    """The cells of a sweep, in the order of their lines, not yet with a folder.

    Raises what the first cell's composition raised if no cell can be composed; ConfigError for a trainer on several
    devices.
    """
    drafts = _drafts(lines, composer)
    problems = [cell.problem for cell in drafts if cell.problem is not None]
    if problems and len(problems) == len(drafts):
        raise problems[0]
    for cell in drafts:
        if cell.settings is not None:
            refuse_several_devices(cell.settings.plain.get("trainer") or {})
    return drafts


def labels_of(lines: Sequence[Sequence[str]], composer: Composer) -> list[str]:
    """The labels of those cells whose configuration is valid."""
    return [cell.label for cell in _drafts(lines, composer) if cell.settings is not None]


def _drafts(lines: Sequence[Sequence[str]], composer: Composer) -> list[PlannedCell]:
    shared = set.intersection(*(set(line) for line in lines)) if len(lines) > 1 else set()
    return [_draft(tuple(line), shared, composer) for line in lines]


def refuse_several_devices(trainer: Mapping[str, Any]) -> None:
    """Raise ConfigError for a trainer that would start this command again for each of its devices."""
    devices, nodes = trainer.get("devices", 1), trainer.get("num_nodes", 1)
    strategy = trainer.get("strategy", "auto")
    one = devices in (1, "1") or (isinstance(devices, list) and len(devices) == 1)
    for key, value, allowed in (("devices", devices, one), ("num_nodes", nodes, nodes == 1),
                                ("strategy", strategy, strategy in ("auto", "single_device"))):  # fmt: skip
        if not allowed:
            raise ConfigError(
                f"trainer.{key}={value} is not allowed in a sweep: Lightning would start the whole sweep again for "
                "each device. Let each cell have one device (trainer.devices=1) and run several cells at a time: "
                "hydra/launcher=joblib gives each process a GPU of its own, hydra/launcher=submitit_slurm each job"
            )


def _draft(line: tuple[str, ...], shared: set[str], composer: Composer) -> PlannedCell:
    """Compose one cell; what is wrong with its values the job itself will say, in its own log."""
    asked = dict(part.lstrip("+").partition("=")[::2] for part in line)
    differs = " ".join(part for part in line if part not in shared)
    try:
        job, model = composer.job(line)
    except Exception as error:  # Hydra's, OmegaConf's, or of a user's resolver
        return PlannedCell(line, label=differs, model=asked.get("model", "?"), problem=error)
    try:
        settings = parse(job, model_choice=model)
    except Exception:
        return PlannedCell(line, label=differs, model=model)
    return PlannedCell(line, label=settings.label, model=model, settings=settings)
