"""Grids as Markdown (GitHub's tables)."""

import re
from collections.abc import Sequence

from bias_lab.summary.grids import Grid

_SPECIAL = re.compile(r"([\\`*_\[\]<>|~])")


def grid_to_markdown(grid: Grid, *, level: int = 2) -> str:
    """The table with its title as a heading of the given level and its caption below."""
    entries = len(grid.header) - grid.labels
    lines = [f"{'#' * level} {escape(grid.title)}", ""]
    lines += [_row(grid.header), _row(["---"] * grid.labels + ["--:"] * entries, raw=True)]
    for section in grid.sections:
        if section.heading:
            lines.append(_row([f"**{escape(section.heading)}**"] + [""] * (len(grid.header) - 1), raw=True))
        lines += map(_row, grid.shown(section))
    return "\n".join([*lines, "", escape(grid.caption), ""])


def escape(text: str) -> str:
    """Text that Markdown shows as it is; line breaks become blanks."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def _row(cells: Sequence[str], *, raw: bool = False) -> str:
    return "| " + " | ".join(cell if raw else escape(cell) for cell in cells) + " |"
