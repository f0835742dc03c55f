"""From Hydra's composed configuration to checked settings and built parts; the only reader of OmegaConf objects."""

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from omegaconf import DictConfig, OmegaConf

from bias_lab.errors import ConfigError
from bias_lab.files import canonical_json, digest_of
from bias_lab.strict import build, suggestion

Lang = Literal["en", "es", "ar"]
Emotion = Literal["anger", "fear", "joy", "sadness"]
# Where results are kept and who watches does not change them.
NOT_IDENTITY = ("cache_dir", "tracking")


@dataclass(frozen=True)
class SemevalSettings:
    """conf/task/semeval2018.yaml."""

    kind: Literal["semeval2018"]
    lang: Lang
    emotion: Literal["anger", "fear", "joy", "sadness", "valence"]
    data_dir: str


@dataclass(frozen=True)
class SampleSettings:
    """conf/task/sample.yaml."""

    kind: Literal["sample"]
    lang: Lang
    emotion: Emotion


@dataclass(frozen=True)
class TableSettings:
    """conf/task/table.yaml."""

    kind: Literal["table"]
    lang: str
    emotion: str
    train: str
    dev: str
    test: str
    text_column: str = "text"
    score_column: str = "score"
    id_column: str | None = None
    delimiter: str | None = None
    quoting: bool | None = None


TaskSettings = SemevalSettings | SampleSettings | TableSettings
TASK_KINDS: dict[str, type[SemevalSettings] | type[SampleSettings] | type[TableSettings]] = {
    "semeval2018": SemevalSettings,
    "sample": SampleSettings,
    "table": TableSettings,
}


@dataclass(frozen=True)
class EecSettings:
    """conf/eec/: which corpora to score, and which of their rows."""

    select: Literal["auto", "none", "listed"]
    rows: Literal["own", "all"]
    corpora: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Settings:
    """One cell's settings, checked; `plain` is the whole resolved configuration as plain types."""

    task: TaskSettings
    eec: EecSettings
    seed: int
    cache_root: Path
    plain: dict[str, Any]
    model_choice: str = "encoder"

    @property
    def identity(self) -> str:
        """SHA-256 (hex) of everything configured that decides the results."""
        return digest_of({key: value for key, value in self.plain.items() if key not in NOT_IDENTITY})

    @property
    def label(self) -> str:
        """A short name such as `xlmr-ar-anger-s0`."""
        checkpoint = self.plain["model"].get("name_or_path")
        # The choice `encoder` says nothing about which one it is; its folder or hub id does.
        named = self.model_choice != "encoder" or not isinstance(checkpoint, str)
        model = self.model_choice if named else Path(checkpoint).name
        return f"{model}-{self.task.lang}-{self.task.emotion}-s{self.seed}"


def parse(cfg: DictConfig, *, model_choice: str = "encoder") -> Settings:
    """Check a composed configuration; `model_choice` is the file chosen from the group `model`.

    Raises `ConfigError` before anything is loaded.
    """
    missing = sorted(OmegaConf.missing_keys(cfg))
    if missing:
        raise ConfigError(f"{missing[0]} has no value: set it on the command line, {missing[0]}=...")
    plain = OmegaConf.to_container(cfg, resolve=True)
    if not isinstance(plain, dict):
        raise ConfigError("the configuration must be a mapping")
    config = {str(key): value for key, value in plain.items()}
    try:
        canonical_json(config)
    except ValueError as error:
        raise ConfigError("a setting is NaN or infinite, which no setting may be") from error
    seed = config["seed"]
    if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed < 2**32:
        raise ConfigError(f"seed={seed!r} is not allowed: give a whole number from 0 to {2**32 - 1}")
    if "name" in config["eec"]:
        raise ConfigError(
            f"eec.name={config['eec']['name']!r}: a corpus file must begin with the line "
            f"# @package eec.corpora.{config['eec']['name']}"
        )
    return Settings(
        task=_task(config["task"]),
        eec=build(EecSettings, config["eec"], where="eec"),
        seed=seed,
        cache_root=cache_root(config["cache_dir"]),
        plain=config,
        model_choice=model_choice,
    )


def check(cfg: DictConfig, *, model_choice: str = "encoder") -> Settings:
    """As `parse`, and build what a run builds before it reads anything, the quick parts first.

    The regressor is kept for `build_regressor`, so that checking costs nothing twice. Raises `ConfigError`.
    """
    settings = parse(cfg, model_choice=model_choice)
    key = canonical_json(settings.plain)
    if key not in _checked:
        _checked.clear()
        for group in ("tracking", "stats"):
            build_part(cfg, group)
        _checked[key] = build_regressor(cfg, settings)
    return settings


_checked: dict[str, Any] = {}  # by its configuration, the regressor that was built last and no run has taken yet


def cache_root(cache_dir: str | None) -> Path:
    """Folder of everything that can be computed again: the given one, $BIAS_LAB_CACHE, or the user's cache folder."""
    chosen = cache_dir or os.environ.get("BIAS_LAB_CACHE")
    if chosen:
        return Path(chosen).expanduser().absolute()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "bias_lab"


def build_regressor(cfg: DictConfig, settings: Settings) -> Any:
    """Instantiate `model` with what only a run knows: language, cache folder, trainer."""
    from hydra.utils import instantiate

    if (built := _checked.pop(canonical_json(settings.plain), None)) is not None:
        return built
    options: dict[str, Any] = {"language": settings.task.lang}
    if "optimizer" in cfg.model:
        # What needs torch is made when training starts, so that a wrong option is told at once.
        options |= {part: _later(f"model.{part}", cfg.model[part]) for part in ("optimizer", "loss")}
        options |= {"trainer": _trainer(cfg.trainer), "cache_root": settings.cache_root}
    model = OmegaConf.masked_copy(cfg.model, [key for key in cfg.model if key not in options])
    return _owned("model", lambda: instantiate(model, _convert_="all", **options))


def build_part(cfg: DictConfig, group: str) -> Any:
    """Instantiate the group `stats` or `tracking`."""
    from hydra.utils import instantiate

    return _owned(group, lambda: instantiate(cfg[group], _convert_="all"))


def _later(key: str, node: DictConfig) -> Callable[..., Any]:
    """A function that instantiates a part of the configuration when it is called, with further arguments."""
    from hydra.utils import instantiate

    return lambda *arguments, **options: _owned(key, lambda: instantiate(node, *arguments, _convert_="all", **options))


def _trainer(node: DictConfig) -> Callable[..., Any]:
    """Makes the Trainer; without a progress bar where nobody watches, as its control characters would fill a log."""
    shown = bool(node.get("enable_progress_bar", True)) and sys.stderr.isatty()
    return lambda **options: _later("trainer", node)(**options, enable_progress_bar=shown)


def _owned(group: str, make: Any) -> Any:
    """Unwrap Hydra's InstantiationException, so that the owner's own message reaches the user."""
    from hydra.errors import InstantiationException

    try:
        return make()
    except InstantiationException as error:
        cause = error.__cause__
        if isinstance(cause, ConfigError) or type(cause).__module__ == "bias_lab.errors":
            raise cause from None  # type: ignore[misc]
        raise ConfigError(f"{group} cannot be built: {cause or error}") from error


def _task(values: Any) -> TaskSettings:
    if not isinstance(values, Mapping) or "kind" not in values:
        raise ConfigError(f"task has no kind{suggestion('', list(TASK_KINDS))}")
    kind = values["kind"]
    if kind not in TASK_KINDS:
        raise ConfigError(f"task.kind={kind!r} is not a kind of task{suggestion(str(kind), list(TASK_KINDS))}")
    return build(TASK_KINDS[kind], values, where="task")
