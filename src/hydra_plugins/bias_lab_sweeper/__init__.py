"""Hydra finds plugins only in this namespace; what the sweeper does is in `bias_lab.sweep`."""

from typing import Any

from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig


class CellSweeper(BasicSweeper):
    """Hydra's basic sweeper, for cells that are skipped when finished and whose failures do not end the sweep."""

    def setup(self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig) -> None:
        """As Hydra's; raises ConfigError where the chosen launcher is not installed."""
        from bias_lab.sweep.process import launcher_kind

        try:
            super().setup(hydra_context=hydra_context, task_function=task_function, config=config)
        except (ImportError, RuntimeError) as error:
            from bias_lab.errors import ConfigError

            kind = launcher_kind(str(config.hydra.launcher.get("_target_")))
            raise ConfigError(
                f"hydra/launcher={config.hydra.runtime.choices.get('hydra/launcher')} is not installed: "
                f"pip install 'bias-lab[{kind}]' ({error})"
            ) from error

    def sweep(self, arguments: list[str]) -> Any:
        """Run all combinations of the arguments' values."""
        from bias_lab.sweep.run import run_sweep

        assert self.config is not None and self.hydra_context is not None and self.launcher is not None
        parser = OverridesParser.create(config_loader=self.hydra_context.config_loader)
        overrides = parser.parse_overrides([*self._parse_config(), *arguments])
        (lines,) = self.split_arguments(overrides, None)
        run_sweep(
            lines,
            config=self.config,
            context=self.hydra_context,
            launcher=self.launcher,
            batch_size=self.max_batch_size,
        )
