"""The command line of a sweep that goes on: `resume=FOLDER`."""

from pathlib import Path
from typing import Any

import yaml

from bias_lab.errors import ConfigError
from bias_lab.manifest import MANIFEST
from bias_lab.sweep.cells import SWEEP_FILE, run_folders
from bias_lab.sweep.launch import quoted

KEY = "resume="
NOT_REPEATED = ("hydra.sweep.dir", "hydra.mode")
CONFIG_DIR = {"--config-dir", "-cd"}


def resume_arguments(flags: list[str], overrides: list[str]) -> list[str]:
    """Arguments for Hydra in place of ones with `resume=FOLDER`: that folder is the sweep's.

    Without overrides of the job's own, the sweep's first command is repeated: its overrides and its `--config-dir` are
    read from the folder, and overrides of Hydra's (a launcher, say) are put on top. Raises ConfigError where there is
    no sweep.
    """
    given = [override for override in overrides if override.startswith(KEY)]
    rest = [override for override in overrides if not override.startswith(KEY)]
    folder = Path(given[-1].removeprefix(KEY).strip("'\"")).expanduser()
    check_sweep(folder)
    if all(_is_hydras(override) for override in rest):
        stored = _stored(folder)
        rest = [*_first_command(stored, without={_key(override) for override in rest}), *rest]
        flags = flags if CONFIG_DIR & set(flags) else [*flags, *_config_dir(stored)]
    multirun = [] if {"-m", "--multirun"} & set(flags) else ["-m"]
    return [*flags, *multirun, *rest, f"hydra.sweep.dir={quoted(str(folder))}"]


def check_sweep(folder: Path) -> None:
    """Raise ConfigError unless a folder is a sweep's."""
    if (folder / MANIFEST).is_file():
        raise ConfigError(f"resume={folder}: this is one run, not a sweep; give the folder that holds the cells")
    if not folder.is_dir() or not ((folder / SWEEP_FILE).is_file() or run_folders(folder)):
        raise ConfigError(
            f"resume={folder}: there is no sweep in {folder.absolute()}; give the folder that the sweep printed, "
            "such as multirun/<date>/<time>"
        )


def _stored(folder: Path) -> dict[str, Any]:
    """Hydra's part of the sweep's own configuration."""
    try:
        stored: Any = yaml.safe_load((folder / SWEEP_FILE).read_text(encoding="utf-8"))["hydra"]
        return {"overrides": [*stored["overrides"]["task"], *stored["overrides"]["hydra"]], **stored.get("runtime", {})}
    except (OSError, yaml.YAMLError, KeyError, TypeError):
        raise ConfigError(
            f"resume={folder}: {folder / SWEEP_FILE} does not tell the sweep's command; give it again, with {KEY}FOLDER"
        ) from None


def _first_command(stored: dict[str, Any], *, without: set[str]) -> list[str]:
    lines = map(str, stored["overrides"])
    return [line for line in lines if _key(line) not in without and _key(line) not in NOT_REPEATED]


def _config_dir(stored: dict[str, Any]) -> list[str]:
    """The flag with the user's own folder of settings, where the sweep was started with one."""
    folders = [source["path"] for source in stored.get("config_sources", ()) if source["provider"] == "command-line"]
    return ["--config-dir", folders[0]] if folders else []


def _is_hydras(override: str) -> bool:
    return _key(override).startswith(("hydra.", "hydra/"))


def _key(override: str) -> str:
    return override.lstrip("+~").partition("=")[0]
