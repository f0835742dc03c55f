"""`python -m bias_lab.summarize`: the tables of one or more sweeps, from what their cells left."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bias_lab.command import exit_code
from bias_lab.errors import DataError

if TYPE_CHECKING:
    from bias_lab.summary.collect import Summary
    from bias_lab.summary.write import Page

FOLDER = "summary"


def summarise(
    folders: Sequence[Path],
    *,
    out: Path | None = None,
    jobs: int | None = None,
    pages: "Sequence[Page]" = (),
    failures: bool = True,
) -> "Summary":
    """Collect the cells in `folders`, write the summary folder, print it on one screen; returns what was collected.

    out: the folder to write, by default `summary/` in the first of the folders. jobs: processes, by default one a
    core. pages: further writers (a report page), called with the summary and the folder being made. failures: whether
    to print the cells without a result, too, which a sweep's end tells in its own list. Raises what `collect`
    and `write_summary` raise, and DataError where the folder cannot be written.
    """
    from rich.console import Console

    from bias_lab.summary.collect import collect
    from bias_lab.summary.screen import show_summary
    from bias_lab.summary.write import write_summary

    with Console(stderr=True).status("reading and analysing the cells"):  # shown on a terminal only
        summary = collect(folders, jobs=jobs or _cores())
    target = (out or Path(folders[0]) / FOLDER).absolute()
    try:
        write_summary(summary, target, pages=pages)
    except OSError as error:
        raise DataError(f"{target}: the summary cannot be written: {error}") from error
    show_summary(summary, _shown(target), failures=failures)
    return summary


def report_page(summary: "Summary", out: Path) -> Path:
    """Write report.html; its title comes from the cells, so that the page is the same wherever it is made."""
    from bias_lab.report import write_report

    models, languages = (", ".join(sorted(summary.cells[name].dropna().unique())) for name in ("model", "language"))
    return write_report(summary, out, title=f"{models} ({languages}): {len(summary.cells)} cells")


def main(argv: Sequence[str] | None = None) -> int:
    """Summarise the given folders; return 0 once the summary is written, whatever the cells, 1 where it is not."""
    parser = argparse.ArgumentParser(prog="python -m bias_lab.summarize", description=__doc__)
    parser.add_argument("dir", metavar="DIR", nargs="+", type=Path, help="a sweep's folder, or a run's")
    parser.add_argument(
        "--out", metavar="DIR", type=Path, help="the folder to write; default: summary in the first DIR"
    )
    parser.add_argument("--jobs", metavar="N", type=_positive, help="processes to use; default: one a core")
    arguments = parser.parse_args(argv)
    return exit_code(lambda: _summarise(arguments))


def _summarise(arguments: argparse.Namespace) -> None:
    summarise(arguments.dir, out=arguments.out, jobs=arguments.jobs, pages=[report_page])


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return int(text)


def _cores() -> int:
    """Cores that this process may use: a cluster's job has fewer than its machine."""
    affinity = getattr(os, "sched_getaffinity", None)  # not on every system
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _shown(path: Path) -> str:
    """As seen from here, where that is shorter."""
    relative = os.path.relpath(path)
    return relative if len(relative) < len(str(path)) else str(path)


if __name__ == "__main__":
    sys.exit(main())
