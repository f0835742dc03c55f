"""The cells of one or more sweeps, as their folders tell them: who they are and how they ended."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml

from bias_lab.config import NOT_IDENTITY
from bias_lab.errors import DataError
from bias_lab.files import digest_of
from bias_lab.manifest import FINISHED, MANIFEST, PREDICTED, RUNNING
from bias_lab.run_files import METRICS

CONFIG = "config.yaml"
UNREADABLE, SUPERSEDED = "unreadable", "superseded"
UNKNOWN = "?"
# Where data lies does not make another cell; what it holds does, and its digest is compared instead.
_PATHS = ("task.data_dir", "task.train", "task.dev", "task.test")
_UNENDED = {
    RUNNING: "did not end: killed, or still running",
    PREDICTED: "did not end: killed before its analysis was done, or still running",
}


@dataclass(frozen=True, eq=False)
class Cell:
    """One run folder. `settings`: what must agree between cells that differ only in seed, by dotted key."""

    folder: Path
    status: str
    label: str = UNKNOWN
    model: str = UNKNOWN
    language: str = UNKNOWN
    emotion: str = UNKNOWN
    seed: int | None = None
    error: str | None = None
    overrides: tuple[str, ...] = ()
    ended: str = ""
    version: str = ""  # of bias_lab, that ran it
    corpora: tuple[dict[str, Any], ...] = ()
    metrics: dict[str, dict[str, Any]] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    stats: dict[str, Any] = field(default_factory=dict)

    @property
    def succeeded(self) -> bool:
        """Whether its results count."""
        return self.status == FINISHED

    @property
    def key(self) -> tuple[Any, ...]:
        """The same for two runs of one cell, hashable."""
        settings = tuple(sorted((key, repr(value)) for key, value in self.settings.items()))
        return (self.model, self.language, self.emotion, self.seed, settings)


def find_cells(folders: Sequence[Path]) -> list[Path]:
    """The run folders in (or at) the given folders, each once, in the order of their paths.

    Raises DataError for a folder that is not there, or that has no run in it.
    """
    if not folders:
        raise DataError("nothing to summarise: give a sweep's folder (multirun/<date>/<time>) or run folders")
    found: set[Path] = set()
    for folder in folders:
        if not folder.is_dir():
            raise DataError(f"{folder}: there is no such folder; give a sweep's (multirun/<date>/<time>) or a run's")
        runs = list(_runs_in(folder))
        if not runs:
            raise DataError(
                f"{folder}: there is no run in it (no {MANIFEST} in it or in its subfolders); "
                "give a sweep's folder (multirun/<date>/<time>) or a run's"
            )
        found.update(path.resolve() for path in runs)
    return sorted(found)


def read_cell(folder: Path) -> Cell:
    """One cell; a manifest or another file that cannot be read gives the status `unreadable`, with the reason."""
    try:
        manifest = _json(folder / MANIFEST)
        config = _config(folder)
        cell = _identify(Cell(folder=folder, status=str(manifest.get("status", UNKNOWN))), manifest, config)
        metrics = _json(folder / METRICS) if cell.succeeded else {}
    except (OSError, ValueError, yaml.YAMLError) as error:
        return Cell(folder=folder, status=UNREADABLE, error=f"{type(error).__name__}: {error}")
    return replace(cell, metrics=metrics)


def settle_repeats(cells: Sequence[Cell]) -> list[Cell]:
    """Of runs of one cell keep the finished one that ended last; the others become `superseded`."""
    chosen: dict[tuple[Any, ...], Cell] = {}
    for cell in sorted((c for c in cells if c.succeeded), key=lambda c: (c.ended, str(c.folder))):
        chosen[cell.key] = cell
    by_line = {frozenset(cell.overrides): cell for cell in chosen.values()}
    settled = []
    for cell in cells:
        # A cell that failed early does not know its data or settings, only the line that asked for it.
        winner = chosen.get(cell.key) if cell.succeeded else by_line.get(frozenset(cell.overrides))
        if winner is None or winner is cell or cell.status == UNREADABLE:
            settled.append(cell)
        else:
            reason = f"the same cell finished in {winner.folder}"
            settled.append(replace(cell, status=SUPERSEDED, error=reason))
    return settled


def name_variants(cells: Sequence[Cell]) -> list[Cell]:
    """Tell apart, in the model's name, cells of one label that differ in more than the seed.

    A sweep over `model.hidden=64,128` has two cells of each label: their models become `xlmr [model.hidden=64]`
    and `xlmr [model.hidden=128]`.
    """
    differing: dict[str, set[str]] = {}
    groups: dict[tuple[str, str, str], list[Cell]] = {}
    for cell in cells:
        if cell.succeeded:
            groups.setdefault((cell.model, cell.language, cell.emotion), []).append(cell)
    for (model, _, _), members in groups.items():
        keys = {key for cell in members for key in cell.settings}
        several = {key for key in keys if len({repr(cell.settings.get(key)) for cell in members}) > 1}
        differing.setdefault(model, set()).update(several)
    return [_named(cell, sorted(differing.get(cell.model, ()))) for cell in cells]


def _named(cell: Cell, keys: Sequence[str]) -> Cell:
    told = [f"{key}={_plain(cell.settings[key])}" for key in keys if key in cell.settings]
    return replace(cell, model=f"{cell.model} [{', '.join(told)}]") if told else cell


def _plain(value: Any) -> str:
    return "null" if value is None else str(value)


def _runs_in(folder: Path) -> Iterator[Path]:
    """Run folders at any depth: a sweep's subfolders may be named by overrides that hold slashes."""
    for path, below, files in os.walk(folder):
        if MANIFEST in files:
            yield Path(path)
            below.clear()


def _json(path: Path) -> dict[str, Any]:
    content = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(content, dict):
        raise ValueError(f"{path.name} must hold a JSON object, but holds {type(content).__name__}")
    return content


def _config(folder: Path) -> dict[str, Any]:
    """The resolved configuration; empty where the cell ended before it was written."""
    path = folder / CONFIG
    if not path.is_file():
        return {}
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times faster where libyaml is there
    content = yaml.load(path.read_text(encoding="utf-8"), Loader=loader)
    if not isinstance(content, dict):
        raise ValueError(f"{path.name} must hold a mapping, but holds {type(content).__name__}")
    return content


def _identify(cell: Cell, manifest: Mapping[str, Any], config: Mapping[str, Any]) -> Cell:
    """Fill in who the cell is: from its configuration, or from its override line where it did not get that far."""
    overrides = tuple(str(entry) for entry in manifest.get("overrides", ()))
    asked = dict(entry.lstrip("+").partition("=")[::2] for entry in overrides)
    task = config.get("task") or {"lang": asked.get("task.lang"), "emotion": asked.get("task.emotion")}
    language, emotion = str(task.get("lang") or UNKNOWN), str(task.get("emotion") or UNKNOWN)
    seed = config.get("seed", asked.get("seed"))
    seed = int(seed) if str(seed).isdigit() else None
    label, suffix = str(manifest.get("label") or ""), f"-{language}-{emotion}-s{UNKNOWN if seed is None else seed}"
    if label.endswith(suffix):
        model = label.removesuffix(suffix)
    else:  # it was not even composed
        model = asked.get("model", UNKNOWN)
        model = Path(asked.get("model.name_or_path", model)).name if model == "encoder" else model
        label = f"{model}{suffix}"
    return replace(
        cell,
        label=label,
        model=model,
        language=language,
        emotion=emotion,
        seed=seed,
        error=manifest.get("error") or _UNENDED.get(cell.status),
        overrides=overrides,
        ended=str(manifest.get("ended", "")),
        version=str(manifest.get("versions", {}).get("bias_lab", "")),
        corpora=tuple(manifest.get("corpora", ())),
        settings=_settings(config, manifest) if config else {},
        stats=dict(config.get("stats", {})),
    )


def _settings(config: Mapping[str, Any], manifest: Mapping[str, Any]) -> dict[str, Any]:
    left_out = (*NOT_IDENTITY, "seed")
    flat = _flat({key: value for key, value in config.items() if key not in left_out})
    if data := manifest.get("data"):
        for path in _PATHS:
            flat.pop(path, None)
        flat["data"] = digest_of([entry["sha256"] for entry in data])[:8]
    return flat


def _flat(value: Any, prefix: str = "") -> dict[str, Any]:
    if not isinstance(value, Mapping):
        return {prefix: value}
    flat: dict[str, Any] = {}
    for key, inner in value.items():
        flat |= _flat(inner, f"{prefix}.{key}" if prefix else str(key))
    return flat
