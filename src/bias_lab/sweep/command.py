"""The command of a sweep: kept in its folder, and repeated by `resume=FOLDER`."""

import re
import shlex
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from omegaconf import DictConfig, OmegaConf

from bias_lab.errors import ConfigError
from bias_lab.files import write_text
from bias_lab.manifest import MANIFEST
from bias_lab.sweep.cells import SWEEP_FILE, run_folders
from bias_lab.sweep.compose import Composer
from bias_lab.sweep.launch import quoted
from bias_lab.sweep.plan import PlannedCell, labels_of

KEY = "resume="
NOT_REPEATED = ("hydra.sweep.dir", "hydra.mode")
CONFIG_DIR = {"--config-dir", "-cd"}


def resume_arguments(flags: list[str], overrides: list[str]) -> list[str]:
    """Arguments for Hydra in place of ones with `resume=FOLDER`: that folder is the sweep's.

    They are the sweep's own command, its overrides and its `--config-dir`, with the given overrides in place of those
    of the same key, and after them where there is none. Raises ConfigError where there is no sweep.
    """
    given = [override for override in overrides if override.startswith(KEY)]
    rest = [override for override in overrides if not override.startswith(KEY)]
    folder = Path(given[-1].removeprefix(KEY).strip("'\"")).expanduser()
    check_sweep(folder)
    stored = _stored(folder)
    flags = flags if CONFIG_DIR & set(flags) else [*flags, *_config_dir(stored)]
    multirun = [] if {"-m", "--multirun"} & set(flags) else ["-m"]
    first = [line for line in map(str, stored["overrides"]) if _key(line) not in NOT_REPEATED]
    return [*flags, *multirun, *_changed(first, rest), f"hydra.sweep.dir={quoted(str(folder))}"]


def check_sweep(folder: Path) -> None:
    """Raise ConfigError unless a folder is a sweep's."""
    if (folder / SWEEP_FILE).is_file():
        return
    if (folder / MANIFEST).is_file():
        raise ConfigError(f"resume={folder}: this is one run, not a sweep; give the folder that holds the cells")
    runs = run_folders(folder) if folder.is_dir() else []
    if sweeps := {above for run in runs for above in run.parents if (above / SWEEP_FILE).is_file()}:
        raise ConfigError(f"resume={folder}: this folder holds sweeps; give one of them, such as {max(sweeps)}")
    if runs:
        raise ConfigError(
            f"resume={folder}: there are runs, but no {SWEEP_FILE} to tell the command that they come from; give that "
            f"command again, with -m and {dir_argument(folder)}"
        )
    raise ConfigError(
        f"resume={folder}: there is no sweep in {folder.absolute()}; give the folder that the sweep printed, "
        "such as multirun/<date>/<time>"
    )


def dir_argument(folder: Path) -> str:
    """The override that makes a folder the sweep's, as it is given in a shell."""
    plain = str(folder)
    if re.fullmatch(r"[\w./-]+", plain):
        return f"hydra.sweep.dir={plain}"
    argument = f"hydra.sweep.dir={quoted(plain)}"
    return shlex.quote(argument) if set(argument) & set('"$`\\!') else f'"{argument}"'


def keep_command(config: DictConfig, cells: Sequence[PlannedCell], composer: Composer) -> bool:
    """Write the command that `config` was composed for into the sweep's folder; returns whether it is the sweep's now.

    It is the first one, or a later one that asks for all cells which the sweep's asks for (by their labels): with
    more values, other settings. One that asks for a part of them, or for others, does not take its place.
    """
    path = Path(config.hydra.sweep.dir) / SWEEP_FILE
    if path.exists() and not _asks_for_all(path.parent, cells, composer):
        return False
    write_text(path, OmegaConf.to_yaml(config))
    return True


def _asks_for_all(sweep: Path, cells: Sequence[PlannedCell], composer: Composer) -> bool:
    from bias_lab.summary.plan import planned_lines

    before = planned_lines(sweep)
    if {frozenset(line) for line in before} <= {frozenset(cell.line) for cell in cells}:
        return True
    asked = Counter(cell.label for cell in cells if cell.settings is not None)
    return not Counter(labels_of(before, composer)) - asked


def _stored(folder: Path) -> dict[str, Any]:
    """Hydra's part of the sweep's own configuration."""
    try:
        stored: Any = yaml.safe_load((folder / SWEEP_FILE).read_text(encoding="utf-8"))["hydra"]
        return {"overrides": [*stored["overrides"]["task"], *stored["overrides"]["hydra"]], **stored.get("runtime", {})}
    except (OSError, yaml.YAMLError, KeyError, TypeError):
        raise ConfigError(
            f"resume={folder}: {folder / SWEEP_FILE} does not tell the sweep's command; give it again, with -m and "
            f"{dir_argument(folder)}"
        ) from None


def _changed(first: Sequence[str], given: Sequence[str]) -> list[str]:
    """The first overrides, with those given in place of those of the same key, the others after them."""
    by_key: dict[str, list[str]] = {}
    for override in given:
        by_key.setdefault(_key(override), []).append(override)
    # Another launcher has other options; those of the one that it takes the place of would not be known.
    groups = tuple(f"{key.replace('/', '.')}." for key in by_key if key.startswith("hydra/"))
    changed: list[str] = []
    for override in first:
        key = _key(override)
        if key in by_key:
            changed += by_key[key]
            by_key[key] = []
        elif not (groups and key.startswith(groups)):
            changed.append(override)
    return [*changed, *(override for overrides in by_key.values() for override in overrides)]


def _config_dir(stored: dict[str, Any]) -> list[str]:
    """The flag with the user's own folder of settings, where the sweep was started with one."""
    folders = [source["path"] for source in stored.get("config_sources", ()) if source["provider"] == "command-line"]
    return ["--config-dir", folders[0]] if folders else []


def _key(override: str) -> str:
    return override.lstrip("+~").partition("=")[0]
