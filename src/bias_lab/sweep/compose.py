"""Configurations of a sweep's cells: Hydra composes once for all cells that differ in values alone."""

import copy
from collections.abc import Sequence

from hydra.core.config_loader import ConfigLoader
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override, OverrideType, ValueType
from omegaconf import DictConfig, OmegaConf

from bias_lab.sweep.resume import job_config


class Composer:
    """Composes the cells of one sweep from their override lines; `config` is the sweep's own, composed by Hydra.

    Hydra takes tens of milliseconds a composition, nearly all of them for choosing files and laying them over each
    other, and then sets the values that were given. So lines that choose the same files share what comes before.
    """

    def __init__(self, config: DictConfig, loader: ConfigLoader) -> None:
        self._config, self._loader = config, loader
        self._parser = OverridesParser.create()
        self._parsed: dict[str, Override] = {}
        self._groups: dict[str, bool] = {}
        self._shared: dict[tuple[str, ...], tuple[DictConfig, str]] = {}

    def whole(self, line: Sequence[str]) -> DictConfig:
        """A cell's whole configuration, Hydra's part included, as Hydra composes it. Raises what Hydra raises."""
        return self._loader.load_sweep_config(self._config, list(line))

    def job(self, line: Sequence[str]) -> tuple[DictConfig, str]:
        """The job's part of a cell's configuration, and the chosen model. Raises what Hydra raises."""
        overrides = [self._parse(text) for text in line]
        values = [override for override in overrides if self._sets_a_value(override)]
        others = [override for override in overrides if not self._sets_a_value(override)]
        if any(_overlap(one, other) for one in values for other in others if not self._chooses(other)):
            return _job_of(self.whole(line))
        try:
            shared, model = self._composed(tuple(str(override.input_line) for override in others))
            job = copy.deepcopy(shared)
            for override in values:
                OmegaConf.update(job, override.key_or_group, override.value(), merge=True)
        except Exception:  # Hydra says what is wrong with the line in its own words
            return _job_of(self.whole(line))
        return job, model

    def _composed(self, line: tuple[str, ...]) -> tuple[DictConfig, str]:
        if line not in self._shared:
            self._shared[line] = _job_of(self.whole(line))
        return self._shared[line]

    def _parse(self, text: str) -> Override:
        if text not in self._parsed:
            (self._parsed[text],) = self._parser.parse_overrides([text])
        return self._parsed[text]

    def _sets_a_value(self, override: Override) -> bool:
        """Whether an override sets a value of the job's that the configuration has: `key=value`."""
        plain = override.type == OverrideType.CHANGE and override.value_type == ValueType.ELEMENT
        ours = override.package is None and override.key_or_group.partition(".")[0] != "hydra"
        return plain and ours and not self._is_group(override.key_or_group)

    def _chooses(self, override: Override) -> bool:
        """Whether an override chooses a file, which Hydra does before it sets any value."""
        return self._is_group(override.key_or_group) and not isinstance(override.value(), dict)

    def _is_group(self, key: str) -> bool:
        if key not in self._groups:
            given = OmegaConf.to_container(self._config.hydra.overrides.hydra)
            name = self._config.hydra.job.config_name
            self._groups[key] = bool(self._loader.get_group_options(key, None, name, given))  # type: ignore[arg-type]
        return self._groups[key]


def _job_of(whole: DictConfig) -> tuple[DictConfig, str]:
    return job_config(whole), str(whole.hydra.runtime.choices.get("model"))


def _overlap(one: Override, other: Override) -> bool:
    """Whether two overrides set the same value, or one sets a part of what the other sets."""
    first, second = f"{one.key_or_group}.", f"{other.key_or_group}."
    return first.startswith(second) or second.startswith(first)
