"""The command line: Hydra composes, one function runs a cell, errors are told in the user's words."""

import logging
import os
import re
import sys
import warnings
from pathlib import Path
from typing import Any, NoReturn

import hydra
from hydra.core.config_store import ConfigStore
from hydra.errors import ConfigCompositionException, HydraException
from omegaconf import DictConfig
from omegaconf.errors import OmegaConfBaseException

from bias_lab import garbage
from bias_lab.errors import BiasLabError, ConfigError
from bias_lab.paths import conf_dir

EXIT_ERROR, EXIT_INTERRUPTED = 1, 130
FLAGS_WITH_VALUE = frozenset(
    {"--cfg", "-c", "--package", "-p", "--config-path", "-cp", "--config-name", "-cn", "--config-dir", "-cd"}
    | {"--experimental-rerun", "--info", "-i"}
)

# conf/hydra/launcher/ has files of the same names as the launchers' packages, which Hydra 1.3 checks them against and
# reports as deprecated, for each job. At import, as jobs in other processes import this module before all else.
SAME_NAME = r"\s*'hydra/launcher/\w+' is validated against ConfigStore schema"
warnings.filterwarnings("ignore", message=SAME_NAME, category=UserWarning)

# Hydra copies its store of built-in configurations at each composition and each list of choices, a hundred times for
# --help. It copies once more what it takes out, so that the store itself is never changed.
ConfigStore.__deepcopy__ = lambda store, _memo: store  # type: ignore[attr-defined]

garbage.collect_rarely()  # at import, for jobs in other processes


def main() -> None:
    """Entry point of `python -m bias_lab` and `bias-lab`."""
    # Hydra's own error printing hides the exception's type; we print, unless the user asked for everything.
    wants_traceback = os.environ.get("HYDRA_FULL_ERROR", "0") not in ("", "0")
    os.environ["HYDRA_FULL_ERROR"] = "1"
    # Threads that wait by spinning make a job ten times slower as soon as another one shares its cores.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        sys.argv[1:] = hydra_arguments(sys.argv[1:])
        hydra.main(version_base="1.3", config_path=str(conf_dir()), config_name="config")(_cell)()
    except (BiasLabError, HydraException, OmegaConfBaseException) as error:
        if wants_traceback:
            raise
        _exit(explain(error))
    except KeyboardInterrupt:
        _exit("interrupted", EXIT_INTERRUPTED)
    finally:
        logging.shutdown()


def hydra_arguments(arguments: list[str]) -> list[str]:
    """The arguments in an order that Hydra's parser takes; `resume=FOLDER` becomes the sweep's folder and command."""
    flags, overrides = split_flags(arguments)
    names = {flag.partition("=")[0] for flag in flags}
    if names & {"-m", "--multirun"} and (shown := names & {"--cfg", "-c", "--info", "-i"}):
        raise ConfigError(f"{shown.pop()} shows one job: leave out -m, and choose one value of each setting")
    if any(override.startswith("resume=") for override in overrides):
        from bias_lab.sweep.command import resume_arguments

        return resume_arguments(flags, overrides)
    return flags + overrides


def split_flags(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Flags with their values, and overrides: Hydra takes overrides in one unbroken row, people write -m in between."""
    flags: list[list[str]] = []
    overrides: list[str] = []
    rest = iter(arguments)
    for argument in rest:
        if argument in FLAGS_WITH_VALUE:
            flags.append([argument, *[value for value in [next(rest, None)] if value is not None]])
        elif argument.startswith("-"):
            flags.append([argument])
        else:
            overrides.append(argument)
    # A flag without a value goes last, so that none with an optional value can swallow an override.
    return [part for flag in sorted(flags, key=len, reverse=True) for part in flag], overrides


def _cell(cfg: DictConfig) -> str:
    """Hydra's task function: one cell, into the folder Hydra made for it, unless its results are there."""
    from hydra.core.hydra_config import HydraConfig
    from hydra.types import RunMode

    from bias_lab.sweep.cells import is_finished
    from bias_lab.sweep.process import as_job_error

    hydra_cfg = HydraConfig.get()
    if hydra_cfg.mode == RunMode.RUN:
        with as_job_error():
            return _run(cfg, hydra_cfg)
    if is_finished(Path(hydra_cfg.runtime.output_dir)):
        return "finished already"
    try:
        with as_job_error():
            return _run(cfg, hydra_cfg)
    finally:
        garbage.collect_after_job()


def _run(cfg: DictConfig, hydra_cfg: Any) -> str:
    from omegaconf import OmegaConf

    from bias_lab.config import check
    from bias_lab.manifest import Manifest
    from bias_lab.sweep.resume import corpus_folders

    overrides = list(OmegaConf.to_container(hydra_cfg.overrides.task))  # type: ignore[arg-type]
    manifest = Manifest.start(Path(hydra_cfg.runtime.output_dir), overrides=overrides, provenance=False)
    choice = str(hydra_cfg.runtime.choices["model"])
    check(cfg, model_choice=choice)
    manifest.add_provenance()
    from bias_lab.run import run_cell  # its libraries take seconds: a mistake is told before

    return run_cell(cfg, manifest, model_choice=choice, corpus_folders=corpus_folders(hydra_cfg))


def explain(error: Exception) -> str:
    """The message a user needs: an unknown key is told with the keys there are."""
    if isinstance(error, ConfigCompositionException) and error.__cause__ is not None:
        key = getattr(error.__cause__, "full_key", None)
        if key:
            return f"{_first_line(error)}{_keys_beside(str(key))}"
    # Hydra tells the choices for a single one, but not for one of a list.
    lost = re.search(r"Could not load '(\w+)/\w+'", str(error))
    if lost:
        choices = sorted(path.stem for path in (conf_dir() / lost[1]).glob("*.yaml"))
        return f"{_first_line(error)} (choices: {', '.join(choices)})"
    return str(error).strip()


def _keys_beside(full_key: str) -> str:
    """Suggestion for a mistyped key, from the configuration composed without key overrides."""
    from hydra import compose, initialize_config_dir
    from hydra.core.global_hydra import GlobalHydra
    from omegaconf import OmegaConf

    from bias_lab.strict import suggestion

    chosen = [arg for arg in sys.argv[1:] if (conf_dir() / arg.split("=")[0].lstrip("+")).is_dir()]
    groups = [arg for arg in chosen if "," not in arg]
    GlobalHydra.instance().clear()
    try:
        with initialize_config_dir(config_dir=str(conf_dir()), version_base="1.3"):
            composed = compose("config", overrides=groups)
    except (HydraException, OmegaConfBaseException):
        return ""
    parent, _, last = full_key.rpartition(".")
    node = OmegaConf.select(composed, parent) if parent else composed
    return (
        f": {full_key} is not a setting{suggestion(last, [str(key) for key in node])}"
        if isinstance(node, DictConfig)
        else ""
    )


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0].rstrip(".")


def _exit(message: str, code: int = EXIT_ERROR) -> NoReturn:
    print(f"error: {message}" if code == EXIT_ERROR else message, file=sys.stderr)
    sys.exit(code)
