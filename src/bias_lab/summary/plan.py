"""Cells that a sweep was asked for and of which no run folder tells: it was stopped before their turn."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

SWEEP_FILE = "multirun.yaml"  # Hydra's: the sweep's own configuration, with the line that asked for it


def planned_lines(sweep: Path) -> list[tuple[str, ...]]:
    """The override lines of all cells that a sweep was asked for; empty where its folder does not tell.

    Hydra's own grammar reads them (`seed=0,1`, `range(0,3)`), as no other reading is sure to be the same.
    """
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.errors import HydraException

    try:
        asked = _asked(yaml.safe_load((sweep / SWEEP_FILE).read_text(encoding="utf-8")))
        overrides = OverridesParser.create().parse_overrides(asked)
        choices = [list(_choices(override)) for override in overrides]
    except (OSError, yaml.YAMLError, HydraException, KeyError, TypeError, AttributeError):
        # There is no such file, or a choice such as model=glob(*), which only Hydra's own configuration can spell out.
        return []
    lines: list[tuple[str, ...]] = [()]
    for options in choices:
        lines = [(*line, option) for line in lines for option in options]
    return lines


def missing_lines(planned: Sequence[tuple[str, ...]], seen: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The planned lines that no seen override line answers.

    Only what varies between the planned lines is compared, so that `resume=` or another launcher makes no difference.
    """
    if not planned:
        return []
    shared = set.intersection(*(set(line) for line in planned))
    told = [set(line) for line in seen]
    return [line for line in planned if not any(set(line) - shared <= cell for cell in told)]


def _asked(content: dict[str, Any]) -> list[str]:
    """What the sweeper multiplies out: its own parameters, and the line, which wins."""
    hydra = content["hydra"]
    line = [str(entry) for entry in hydra["overrides"]["task"] or ()]
    keys = {entry.partition("=")[0].lstrip("+") for entry in line}
    params = (hydra.get("sweeper") or {}).get("params") or {}
    return [f"{key}={value}" for key, value in params.items() if str(key).lstrip("+") not in keys] + line


def _choices(override: Any) -> Any:
    if not override.is_sweep_override():
        return [override.input_line]
    key = override.get_key_element()
    return [f"{key}={value}" for value in override.sweep_string_iterator()]
