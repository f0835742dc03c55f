"""Which folder each planned cell has in the sweep's, and whether it has to run there."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig, OmegaConf, open_dict, read_write

from bias_lab.errors import ConfigError
from bias_lab.manifest import FINISHED
from bias_lab.sweep.cells import LOCKS, REPLACED, SWEEP_FILE, read_content, run_folders
from bias_lab.sweep.claims import Claim, is_at_work
from bias_lab.sweep.compose import Composer
from bias_lab.sweep.plan import PlannedCell
from bias_lab.sweep.resume import Staleness, corpus_folders
from bias_lab.sweep.slurm import SUBMITIT

JOB_NUMBER = "${hydra.job.num}"
# What else lies in a sweep's folder: the summary, what it replaces, W&B's files of the summary.
OCCUPIED = ("summary", "wandb", REPLACED, LOCKS, SUBMITIT, SWEEP_FILE)


@dataclass(frozen=True)
class _Stored:
    """A folder that a cell has already. content: of its manifest, if any; claim: of the command that has it, if any."""

    name: str
    content: dict[str, Any]
    claim: Claim | None


def place_cells(
    drafts: Sequence[PlannedCell],
    *,
    config: DictConfig,
    composer: Composer,
    claimed: Mapping[str, Claim],
    command: str,
) -> list[PlannedCell]:
    """Give each cell its folder; `claimed` are those that commands have, `command` is this one.

    A cell that is there already keeps its folder: known by its identity, else by its line, else by its label. What
    another command has is this cell's only if it is the same cell. Raises ConfigError for two cells in one folder.
    """
    sweep = Path(config.hydra.sweep.dir)
    found = {str(folder.relative_to(sweep)): read_content(folder) for folder in run_folders(sweep)}
    stored = [_Stored(name, found.get(name, {}), claimed.get(name)) for name in dict.fromkeys([*found, *claimed])]
    matches = _match(drafts, stored)
    names = _names(drafts, matches, stored, config, composer)
    by_name, staleness = {entry.name: entry for entry in stored}, Staleness(corpus_folders(config.hydra))
    placed = []
    for cell, name, match in zip(drafts, names, matches, strict=True):
        there = match or by_name.get(name)
        if match is None and there is not None and there.claim is not None:
            raise ConfigError(
                f"{sweep / name} is at work for another command, and hydra.sweep.subdir gives it to "
                f"{' '.join(cell.line)} too: wait, or choose another hydra.sweep.dir"
            )
        claimed_by = there.claim.command if there and there.claim else command
        busy = is_at_work(sweep / name, claimed=claimed_by != command)
        placed.append(_placed(replace(cell, name=name, folder=sweep / name), there, busy, staleness))
    return placed


def _placed(cell: PlannedCell, there: _Stored | None, busy: bool, staleness: Staleness) -> PlannedCell:
    content = there.content if there else {}
    reason = staleness.why_run(content, cell.settings) if content else "missing"
    replaces = reason is not None and content.get("status") == FINISHED
    return replace(cell, reason=reason, replaces=replaces, elsewhere=reason is not None and busy)


def _match(drafts: Sequence[PlannedCell], stored: Sequence[_Stored]) -> list[_Stored | None]:
    """The folder that each cell has already, if any; no folder serves two cells."""
    found: list[_Stored | None] = [None] * len(drafts)
    # Finished ones first: of two folders of one cell the one with results is the cell's.
    free = {entry.name: entry for entry in sorted(stored, key=lambda entry: entry.content.get("status") != FINISHED)}

    def take(cell_key: Callable[[PlannedCell], Any], entry_key: Callable[[_Stored], Any], *, alone: bool) -> None:
        wanted, there = defaultdict(list), defaultdict(list)
        for place in (place for place, entry in enumerate(found) if entry is None):
            wanted[cell_key(drafts[place])].append(place)
        for entry in free.values():
            there[entry_key(entry)].append(entry)
        for key, places in wanted.items():
            entries = there.get(key, [])
            if key and not (alone and (len(places), len(entries)) != (1, 1)):
                for place, entry in zip(places, entries, strict=False):
                    found[place] = free.pop(entry.name)

    take(lambda cell: cell.settings.identity if cell.settings else frozenset(cell.line), _same_cell, alone=False)
    take(lambda cell: frozenset(cell.line), lambda entry: frozenset(_line(entry)), alone=False)
    take(lambda cell: cell.settings and cell.label, _label, alone=True)
    return found


def _same_cell(entry: _Stored) -> Any:
    """What a folder and a cell have in common if they are the same cell."""
    if entry.claim is None:
        return entry.content.get("identity")
    return entry.claim.identity or frozenset(entry.claim.line)


def _line(entry: _Stored) -> Sequence[str]:
    """The overrides of a cell whose folder another one may take over."""
    return () if entry.claim else entry.content.get("overrides", ())


def _label(entry: _Stored) -> Any:
    """The label of a cell whose folder another one may take over."""
    return None if entry.claim else entry.content.get("label")


def _names(
    drafts: Sequence[PlannedCell],
    matches: Sequence[_Stored | None],
    stored: Sequence[_Stored],
    config: DictConfig,
    composer: Composer,
) -> list[str]:
    """Each cell's folder name: the one it has, else what hydra.sweep.subdir says, with the next free job number."""
    pattern = _pattern(config)
    numbered = "job.num" in pattern or "job.id" in pattern
    there, taken = {entry.name for entry in stored}, {entry.name for entry in matches if entry}
    numbers, names = count(), []
    for cell, match in zip(drafts, matches, strict=True):
        candidates = _candidates(cell, pattern, composer, numbers)
        repeat = numbered or cell.problem is not None
        name = match.name if match else _free_name(candidates, taken | there if repeat else taken, repeat=repeat)
        if name is None:
            raise ConfigError(
                f"hydra.sweep.subdir={pattern} gives two cells the same folder; one of them: {' '.join(cell.line)}"
            )
        _check_name(name)
        taken.add(name)
        names.append(name)
    return names


def check_pattern(drafts: Sequence[PlannedCell], config: DictConfig, composer: Composer) -> None:
    """Raise ConfigError if hydra.sweep.subdir gives the first cell a name that no cell may have."""
    for cell in drafts:
        if cell.problem is None:
            _check_name(next(_candidates(cell, _pattern(config), composer, count())))
            return


def _pattern(config: DictConfig) -> str:
    return str(OmegaConf.to_container(config.hydra.sweep, resolve=False)["subdir"])  # type: ignore[call-overload,index]


def _free_name(candidates: Iterator[str], taken: set[str], *, repeat: bool) -> str | None:
    """The first name that is not taken; `repeat`: whether the names differ at all."""
    for name in candidates:
        if name not in taken:
            return name
        if not repeat:
            break
    return None


def _candidates(cell: PlannedCell, pattern: str, composer: Composer, numbers: Iterator[int]) -> Iterator[str]:
    """The names that hydra.sweep.subdir gives a cell, by job number."""
    simple = pattern == JOB_NUMBER or cell.problem is not None
    config = None if simple else composer.whole(cell.line)
    for number in numbers:
        yield str(number) if config is None else _subdir(config, number)


def _subdir(config: DictConfig, number: int) -> str:
    with read_write(config.hydra), open_dict(config.hydra):  # set_config makes it read-only
        config.hydra.job.num = number
        config.hydra.job.id = str(number)
    before = HydraConfig.instance().cfg
    HydraConfig.instance().set_config(config)  # for ${hydra:...} in the pattern
    try:
        return str(config.hydra.sweep.subdir)
    finally:
        HydraConfig.instance().cfg = before


def _check_name(name: str) -> None:
    """Raise ConfigError for a name that is no folder of the cell's own inside the sweep's."""
    parts = name.split("/")
    if not name.strip("./") or name.startswith("/") or ".." in parts:
        raise ConfigError(f"hydra.sweep.subdir={name}: give each cell a folder of its own inside the sweep's")
    first = next(part for part in parts if part not in ("", "."))
    if first in OCCUPIED:
        raise ConfigError(
            f"hydra.sweep.subdir={name}: {first} in the sweep's folder is not for cells "
            f"(taken are {', '.join(OCCUPIED)}); choose another name"
        )
