"""The result as Markdown tables."""

import importlib
import platform
from collections.abc import Mapping, Sequence

from benchmarks.machine import describe
from benchmarks.timing import Figure

HEAD = "| what | ours | against | ratio | range | goal |\n|---|---|---|---|---|---|"


def page(found: Mapping[str, Sequence[Figure]]) -> str:
    """All results by benchmark, under the machine that they were measured on."""
    parts = [f"Measured on {describe()}, Python {platform.python_version()}."]
    for name, figures in found.items():
        module = importlib.import_module(f"benchmarks.{name}")
        parts += [f"## {name}: {(module.__doc__ or '').splitlines()[0]}", "\n".join([HEAD, *map(row, figures)])]
    return "\n\n".join(parts) + "\n"


def row(figure: Figure) -> str:
    """One row of the table."""
    missed = " (not reached)" if figure.reached is False else ""
    cells = [
        figure.case,
        figure.ours,
        figure.against,
        f"**{figure.ratio:.3g}**",
        f"{figure.low:.3g} to {figure.high:.3g}",
        figure.target + missed,
    ]
    return f"| {' | '.join(cells)} |"
