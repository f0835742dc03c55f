"""Save a dashboard on the server, or say within seconds why that cannot be done."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from bias_lab.dashboard.boards import Board, report, workspace
from bias_lab.dashboard.library import load_library
from bias_lab.errors import ConfigError
from bias_lab.tracking.connection import base_url, has_key, is_reachable

WORKSPACE, REPORT = "workspace", "report"
DRY = "--dry-run shows the dashboard without W&B"


def specification(board: Board, *, kind: str) -> dict[str, Any]:
    """What would be saved, as plain types; needs neither a key nor a network."""
    built = workspace(board) if kind == WORKSPACE else report(board, with_project=False)
    content = built._to_model().model_dump(by_alias=True, exclude_none=True, mode="json")
    who = {"kind": kind, "entity": board.entity, "project": board.project, "name": board.name}
    return who | {"spec": content["spec"]}


def save(board: Board, *, kind: str) -> str:
    """Create the dashboard; returns its address. Raises ConfigError where W&B cannot be used or refuses."""
    load_library()
    check_connection()
    import wandb

    with _told(board, kind):
        entity = board.entity or wandb.Api().default_entity
    if entity is None:
        raise ConfigError("W&B knows no default entity for this key: give --entity")
    board = replace(board, entity=entity)
    built = workspace(board) if kind == WORKSPACE else report(board)
    with _told(board, kind):
        return str(built.save().url)


@contextmanager
def _told(board: Board, kind: str) -> Iterator[None]:
    """Turn whatever the server's answer was into a ConfigError: the library's errors have no class in common."""
    try:
        yield
    except Exception as error:
        where = f"{board.entity or 'the default entity'}/{board.project}"
        raise ConfigError(
            f"W&B ({base_url()}) did not take the {kind} for {where}: {' '.join(str(error).split())}. "
            f"Is the key valid, and has the project runs? {DRY}"
        ) from error


def check_connection() -> None:
    """Raise ConfigError unless there is a key, and a server that takes connections."""
    mode = os.environ.get("WANDB_MODE", "").strip()
    if mode not in ("", "online"):
        raise ConfigError(f"WANDB_MODE={mode}: a dashboard is made on the server; unset it, or {DRY}")
    if not has_key():
        raise ConfigError(f"there is no key for {base_url()}: run `wandb login`, or set WANDB_API_KEY; {DRY}")
    if not is_reachable():
        raise ConfigError(f"{base_url()} cannot be reached: check the network (and WANDB_BASE_URL); {DRY}")
