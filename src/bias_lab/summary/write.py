"""The summary folder: tables as CSV, Markdown and LaTeX, put in place as a whole."""

import json
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd

import bias_lab
from bias_lab.errors import DataError
from bias_lab.files import write_json, write_text
from bias_lab.summary.collect import Summary
from bias_lab.summary.grids import Grid, all_grids, failed_grid
from bias_lab.summary.headline import counts_line, finding_lines, findings_line
from bias_lab.summary.latex import document, grid_to_latex
from bias_lab.summary.markdown import escape, grid_to_markdown
from bias_lab.summary.tables import failed_table, score_table

MARKER = "summary.json"  # tells a summary folder from any other, and its own files from those put there by hand
TABLES = "tables"
SHOWN_FINDINGS = 25
Page = Callable[[Summary, Path], object]


def write_summary(summary: Summary, target: Path, *, pages: Sequence[Page] = ()) -> Path:
    """Write the summary folder and return it; the same summary gives the same bytes.

    The folder is made beside `target` and takes its place when it is complete, so that a reader never sees a mixture
    and a failure leaves the old one. pages: further writers, called with the summary and the folder being made.
    Files that somebody put into the old folder are kept. Raises DataError where `target` is a folder of other things.
    """
    own = _own_files(target)
    part, old = (target.with_name(f".{target.name}.{os.getpid()}.{kind}") for kind in ("part", "old"))
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    try:
        _write_csv(summary, part, target.parent)
        _write_tables(summary, part)
        for page in pages:
            page(summary, part)
        files = sorted(path.relative_to(part).as_posix() for path in part.rglob("*") if path.is_file())
        write_json(part / MARKER, {"format": 1, "bias_lab": bias_lab.__version__, "files": files})
        if target.exists():
            _keep_foreign(target, part, {*own, MARKER})
            target.rename(old)
        part.rename(target)
    finally:
        shutil.rmtree(part, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)
    return target


def _own_files(target: Path) -> set[str]:
    """The files of an earlier summary at this place."""
    if not target.exists() or (target.is_dir() and not any(target.iterdir())):
        return set()
    try:
        return set(json.loads((target / MARKER).read_text(encoding="utf-8"))["files"])
    except (OSError, ValueError, KeyError, TypeError):
        raise DataError(
            f"{target}: this is there already and is no summary of ours (no readable {MARKER}); "
            "give another folder with --out, or move it away"
        ) from None


def _keep_foreign(target: Path, part: Path, own: set[str]) -> None:
    for path in sorted(target.rglob("*")):
        name = path.relative_to(target)
        if path.is_file() and name.as_posix() not in own and not (part / name).exists():
            (part / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, part / name)


def _write_csv(summary: Summary, folder: Path, base: Path) -> None:
    """Tidy tables with every digit; folders as seen from `base`, so that a copied sweep keeps its bytes."""
    tables = {
        "cells": _seen_from(base, summary.cells, "folder"),
        "failed": _seen_from(base, failed_table(summary), "folder"),
        "metrics": summary.metrics,
        "scores": score_table(summary.metrics),
        "coefficients": summary.coefficients,
        "names": summary.names,
        "corpora": summary.corpora,
    }
    for name, table in tables.items():
        write_text(folder / f"{name}.csv", table.to_csv(index=False, lineterminator="\n"))


def _seen_from(base: Path, table: pd.DataFrame, column: str) -> pd.DataFrame:
    return table.assign(**{column: [Path(os.path.relpath(path, base.resolve())).as_posix() for path in table[column]]})


def _write_tables(summary: Summary, folder: Path) -> None:
    grids = all_grids(summary)
    for grid in grids:
        write_text(folder / TABLES / f"{grid.name}.md", grid_to_markdown(grid))
        write_text(folder / TABLES / f"{grid.name}.tex", grid_to_latex(grid))
    write_text(folder / "tables.tex", document([grid.name for grid in grids], folder=TABLES))
    write_text(folder / "summary.md", _page(summary, grids))


def _page(summary: Summary, grids: Sequence[Grid]) -> str:
    """All tables on one Markdown page, what must be known first."""
    notes = [f"- {escape(note)}" for note in summary.notes]
    findings = [f"- {escape(line)}" for line in finding_lines(summary, most=SHOWN_FINDINGS)]
    head = ["# Summary", "", f"{escape(counts_line(summary))}.", "", f"{escape(findings_line(summary))}.", ""]
    parts = ["\n".join([*head, *notes, *[""] * bool(notes)])]
    failed = failed_grid(summary)
    if any(section.rows for section in failed.sections):
        parts.append(grid_to_markdown(failed))
    if findings:
        parts.append("\n".join(["## What holds after adjustment, q < .05", "", *findings, ""]))
    return "\n".join([*parts, *map(grid_to_markdown, grids)])
