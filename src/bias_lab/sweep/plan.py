"""From a sweep's override lines to its cells: composed, checked, each with its folder, and whether it has to run."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

from hydra.core.config_loader import ConfigLoader
from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig, OmegaConf, open_dict, read_write

from bias_lab.config import Settings, parse
from bias_lab.errors import ConfigError
from bias_lab.sweep.cells import read_content, run_folders
from bias_lab.sweep.resume import Staleness, corpus_folders, job_config


@dataclass(frozen=True)
class PlannedCell:
    """One cell that a sweep was asked for.

    line: its overrides. name, folder: where it lives in the sweep's folder. reason: why it has to run, `None` if its
    results stand. problem: why it cannot be composed. replaces: whether finished results of other inputs lie there.
    """

    line: tuple[str, ...]
    label: str
    model: str
    settings: Settings | None = None
    problem: Exception | None = None
    config: DictConfig | None = None
    name: str = ""
    folder: Path = Path()
    reason: str | None = None
    replaces: bool = False


@dataclass(frozen=True)
class _Stored:
    """A run folder that the sweep's folder holds already."""

    name: str
    content: dict[str, Any]


CellKey = Callable[[PlannedCell], Any]
EntryKey = Callable[[dict[str, Any]], Any]


def plan_cells(lines: Sequence[Sequence[str]], config: DictConfig, loader: ConfigLoader) -> list[PlannedCell]:
    """The cells of a sweep, in the order of their lines.

    A cell that is there already keeps its folder: known by its identity, else by its line, else by its label.
    Raises what the first cell's composition raised if no cell can be composed; ConfigError for a trainer on several
    devices and for two cells in one folder.
    """
    shared = set.intersection(*(set(line) for line in lines)) if len(lines) > 1 else set()
    drafts = [_draft(tuple(line), shared, config, loader) for line in lines]
    problems = [cell.problem for cell in drafts if cell.problem is not None]
    if problems and len(problems) == len(drafts):
        raise problems[0]
    for cell in drafts:
        if cell.settings is not None:
            refuse_several_devices(cell.settings.plain.get("trainer") or {})
    sweep = Path(config.hydra.sweep.dir)
    stored = [_Stored(str(folder.relative_to(sweep)), read_content(folder)) for folder in run_folders(sweep)]
    staleness = Staleness(corpus_folders(config.hydra))
    matches = _match(drafts, stored)
    names = _names(drafts, matches, stored, config)
    return [
        _placed(cell, sweep, name, found, staleness) for cell, name, found in zip(drafts, names, matches, strict=True)
    ]


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


def _draft(line: tuple[str, ...], shared: set[str], config: DictConfig, loader: ConfigLoader) -> PlannedCell:
    """Compose one cell; what is wrong with its values the job itself will say, in its own log."""
    asked = dict(part.lstrip("+").partition("=")[::2] for part in line)
    differs = " ".join(part for part in line if part not in shared)
    try:
        composed = loader.load_sweep_config(config, list(line))
    except Exception as error:  # Hydra's, OmegaConf's, or of a user's resolver
        return PlannedCell(line, label=differs, model=asked.get("model", "?"), problem=error)
    model = str(composed.hydra.runtime.choices.get("model"))
    try:
        settings = parse(job_config(composed), model_choice=model)
    except Exception:
        return PlannedCell(line, label=differs, model=model, config=composed)
    return PlannedCell(line, label=settings.label, model=model, settings=settings, config=composed)


def _match(drafts: Sequence[PlannedCell], stored: Sequence[_Stored]) -> list[_Stored | None]:
    """The folder that each cell has already, if any; no folder serves two cells."""
    found: list[_Stored | None] = [None] * len(drafts)
    # Finished ones first: of two folders of one cell the one with results is the cell's.
    free = {entry.name: entry for entry in sorted(stored, key=lambda entry: entry.content.get("status") != "finished")}

    def take(
        cell_key: Callable[[PlannedCell], Any], entry_key: Callable[[dict[str, Any]], Any], *, alone: bool
    ) -> None:
        wanted, there = defaultdict(list), defaultdict(list)
        for place in (place for place, entry in enumerate(found) if entry is None):
            wanted[cell_key(drafts[place])].append(place)
        for entry in free.values():
            there[entry_key(entry.content)].append(entry)
        for key, places in wanted.items():
            entries = there.get(key, [])
            if key and not (alone and (len(places), len(entries)) != (1, 1)):
                for place, entry in zip(places, entries, strict=False):
                    found[place] = free.pop(entry.name)

    take(lambda cell: cell.settings and cell.settings.identity, lambda content: content.get("identity"), alone=False)
    take(lambda cell: frozenset(cell.line), lambda content: frozenset(content.get("overrides", ())), alone=False)
    take(lambda cell: cell.settings and cell.label, lambda content: content.get("label"), alone=True)
    return found


def _names(
    drafts: Sequence[PlannedCell],
    matches: Sequence[_Stored | None],
    stored: Sequence[_Stored],
    config: DictConfig,
) -> list[str]:
    """Each cell's folder name: the one it has, else what hydra.sweep.subdir says, with the next free job number."""
    pattern = str(OmegaConf.to_container(config.hydra.sweep, resolve=False)["subdir"])  # type: ignore[call-overload,index]
    numbered = "job.num" in pattern or "job.id" in pattern
    taken = {entry.name for entry in matches if entry} | ({entry.name for entry in stored} if numbered else set())
    numbers, names = count(), []
    for cell, match in zip(drafts, matches, strict=True):
        name = match.name if match else next(_candidates(cell, numbers, taken, repeat=numbered), None)
        if name is None:
            raise ConfigError(
                f"hydra.sweep.subdir={pattern} gives two cells the same folder; one of them: {' '.join(cell.line)}"
            )
        taken.add(name)
        names.append(name)
    return names


def _candidates(cell: PlannedCell, numbers: Iterator[int], taken: set[str], *, repeat: bool) -> Iterator[str]:
    for number in numbers:
        name = _subdir(cell.config, number)
        if name not in taken:
            yield name
        elif not repeat:
            return


def _subdir(config: DictConfig | None, number: int) -> str:
    if config is None:
        return str(number)
    with read_write(config.hydra), open_dict(config.hydra):  # set_config makes it read-only
        config.hydra.job.num = number
        config.hydra.job.id = str(number)
    before = HydraConfig.instance().cfg
    HydraConfig.instance().set_config(config)  # for ${hydra:...} in the pattern
    try:
        name = str(config.hydra.sweep.subdir)
    finally:
        HydraConfig.instance().cfg = before
    if not name.strip("./") or name.startswith("/") or ".." in name.split("/"):
        raise ConfigError(f"hydra.sweep.subdir={name}: give each cell a folder of its own inside the sweep's")
    return name


def _placed(cell: PlannedCell, sweep: Path, name: str, found: _Stored | None, staleness: Staleness) -> PlannedCell:
    content = found.content if found else {}
    reason = staleness.why_run(content, cell.settings) if content else "missing"
    # The composed configurations of thousands of cells are not kept.
    return replace(
        cell,
        name=name,
        folder=sweep / name,
        reason=reason,
        replaces=reason is not None and content.get("status") == "finished",
        config=None,
    )
