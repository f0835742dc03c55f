"""The W&B group of a sweep's runs, from a folder."""

from pathlib import Path

import yaml

from bias_lab.errors import DataError
from bias_lab.manifest import MANIFEST
from bias_lab.tracking.names import group_of

CONFIG, SWEEP_FILE = "config.yaml", "multirun.yaml"  # in a run's folder, in a sweep's


def group_in(folder: Path) -> str:
    """The group that the runs in a sweep's folder, or the run at it, have on W&B.

    It is `tracking.group` where the runs have one, else comes from the sweep's folder. Raises DataError where there is
    no run, and for a run that no sweep made, as it is in no group.
    """
    from bias_lab.summary.cells import find_cells

    folder = folder.absolute()
    if configured := _configured(find_cells([folder])):
        return configured
    if not (folder / MANIFEST).is_file():
        return group_of(folder)
    for above in folder.parents:
        if (above / SWEEP_FILE).is_file():
            return group_of(above)
    raise DataError(f"{folder}: this run is of no sweep, and so in no group; give --group, or leave --sweep out")


def _configured(runs: list[Path]) -> str | None:
    """What `tracking.group` is in the first of these runs whose configuration can be read."""
    for run in runs:
        try:
            config = yaml.safe_load((run / CONFIG).read_text(encoding="utf-8"))
            return config["tracking"].get("group")
        except (OSError, yaml.YAMLError, KeyError, TypeError, AttributeError):
            continue
    return None
