"""The optional package wandb-workspaces."""

import warnings
from importlib import import_module
from types import ModuleType

from bias_lab.errors import ConfigError


def load_library() -> tuple[ModuleType, ModuleType, ModuleType]:
    """The package's workspaces, its reports (which have the panels), and its filter expressions.

    Raises ConfigError where it is not installed.
    """
    try:
        with warnings.catch_warnings():
            # Its classes are written for an older pydantic, which says so at each of them.
            warnings.simplefilter("ignore", DeprecationWarning)
            return (
                import_module("wandb_workspaces.workspaces"),
                import_module("wandb_workspaces.reports.v2"),
                import_module("wandb_workspaces.expr"),
            )
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("wandb_workspaces"):
            raise
        raise ConfigError(
            "dashboards need the package wandb-workspaces, which is not installed: pip install 'bias-lab[dashboard]'"
        ) from None
