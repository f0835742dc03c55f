"""Create a saved W&B workspace or report that compares the runs of a project, or of one sweep."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from bias_lab.command import exit_code
from bias_lab.dashboard.boards import Board
from bias_lab.dashboard.effects import shipped_effects, sweep_effects
from bias_lab.dashboard.group import group_in
from bias_lab.dashboard.saving import REPORT, WORKSPACE, save, specification


def main(argv: Sequence[str] | None = None) -> int:
    """Create or show the dashboard; return 0, or 1 where that cannot be done."""
    arguments = _parser().parse_args(argv)
    return exit_code(lambda: _make(arguments))


def _make(arguments: argparse.Namespace) -> None:
    board = _board(arguments)
    if arguments.dry_run:
        print(json.dumps(specification(board, kind=arguments.kind), indent=2, ensure_ascii=False))
    else:
        print(save(board, kind=arguments.kind))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bias_lab.dashboard", description=__doc__)
    parser.add_argument("--entity", metavar="E", help="user or team; default: your own on the server")
    parser.add_argument("--project", metavar="P", default="bias_lab", help="default: %(default)s")
    parser.add_argument("--group", metavar="GROUP", help="compare the runs of this group only; a sweep is a group")
    parser.add_argument(
        "--sweep",
        metavar="DIR",
        type=Path,
        help="a sweep's folder, or a run's in it: the sweep's group, and the corpora and terms of the runs there; "
        "default: the shipped corpora",
    )
    parser.add_argument("--kind", choices=(WORKSPACE, REPORT), default=WORKSPACE, help="default: %(default)s")
    parser.add_argument("--name", metavar="NAME", help="what to call it; default: bias_lab, and the group")
    parser.add_argument("--dry-run", action="store_true", help="print the specification as JSON; no key, no network")
    return parser


def _board(arguments: argparse.Namespace) -> Board:
    sweep = arguments.sweep
    effects = tuple(sweep_effects(sweep) if sweep else shipped_effects())
    group = arguments.group or (group_in(sweep) if sweep else None)
    return Board(
        project=arguments.project,
        entity=arguments.entity,
        group=group,
        name=arguments.name or ("bias_lab" if group is None else f"bias_lab {group}"),
        effects=effects,
    )


if __name__ == "__main__":
    sys.exit(main())
