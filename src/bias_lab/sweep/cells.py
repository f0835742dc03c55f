"""A sweep folder's cells: how each ended, and its main figure."""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from bias_lab.manifest import FAILED, FINISHED, MANIFEST, Manifest
from bias_lab.run_files import METRICS

SWEEP_FILE = "multirun.yaml"  # Hydra's: the sweep's own configuration, with the line that asked for it
LOCK, OUTPUT = ".lock", "output.log"  # files in a cell's folder
LOCKS = ".locks"  # a folder in the sweep's
REPLACED = "replaced"
ENDED = (FINISHED, FAILED)
AT_WORK, NOT_ENDED, MISSING = "at work", "did not end", "missing"


@dataclass(frozen=True)
class Cell:
    """One cell of a sweep.

    status: finished | failed | at work | did not end | missing (it never started) | unreadable. `test_pearson` is
    `None` unless the cell finished.
    """

    folder: Path
    label: str
    status: str
    overrides: tuple[str, ...]
    error: str | None
    test_pearson: float | None

    @property
    def failed(self) -> bool:
        """Whether the cell was begun and will not finish by itself."""
        return self.status not in (FINISHED, AT_WORK, MISSING)


def run_folders(sweep: Path) -> list[Path]:
    """The run folders in a sweep's folder, in job order; a name may hold slashes."""
    found = []
    for path, below, files in os.walk(sweep):
        if MANIFEST in files:
            found.append(Path(path))
            below.clear()
    return sorted(found, key=lambda path: (len(path.name), path.name, str(path)))


def read_cells(sweep: Path) -> list[Cell]:
    """The cells of a sweep folder, in job order."""
    return [read_cell(folder) for folder in run_folders(sweep)]


def read_content(folder: Path) -> dict[str, Any]:
    """A cell's manifest; empty where there is none that can be read."""
    try:
        content = Manifest.read(folder).content
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def is_finished(folder: Path) -> bool:
    """Whether a run folder says that its run finished."""
    return read_content(folder).get("status") == FINISHED


def read_cell(folder: Path, *, label: str = "?", overrides: Sequence[str] = ()) -> Cell:
    """One cell, from its manifest and metrics; `label` and `overrides` are for one that does not tell its own."""
    content = read_content(folder)
    status = _status(folder, content)
    return Cell(
        folder=folder,
        label=content.get("label") or label,
        status=status,
        overrides=tuple(content.get("overrides", overrides)),
        error=content.get("error") or ("its process was killed" if status == NOT_ENDED else None),
        test_pearson=_test_pearson(folder) if status == FINISHED else None,
    )


def _status(folder: Path, content: dict[str, Any]) -> str:
    if content.get("status") in ENDED:
        return str(content["status"])
    from bias_lab.sweep.worker import is_locked

    if is_locked(folder):
        return AT_WORK
    if content:
        return NOT_ENDED
    return "unreadable" if (folder / MANIFEST).exists() else MISSING


def _test_pearson(folder: Path) -> float | None:
    try:
        return json.loads((folder / METRICS).read_text(encoding="utf-8")).get("test", {}).get("pearson")
    except (OSError, ValueError):
        return None


def set_aside(folder: Path, sweep: Path, *, keep: Sequence[str] = ()) -> None:
    """Move a cell's results to `replaced/` in the sweep's folder, all but its lock and what is to be kept."""
    name = folder.relative_to(sweep)
    aside = sweep / REPLACED / f"{name}-{datetime.now():%Y%m%d-%H%M%S-%f}"
    aside.mkdir(parents=True)
    for path in folder.iterdir():
        if path.name not in (LOCK, *keep):
            # Without its manifest it is no run folder, and so in nobody's tables.
            path.rename(aside / ("manifest.replaced.json" if path.name == MANIFEST else path.name))
