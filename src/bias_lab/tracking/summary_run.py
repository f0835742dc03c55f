"""The summary of a sweep as a W&B run of its own, beside those of its cells."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from bias_lab.files import digest_of
from bias_lab.manifest import FINISHED, MANIFEST
from bias_lab.tracking.names import EFFECTS, FAILED, FINDINGS, PEARSON, SUMMARY, effect_name, name_part, pearson_name
from bias_lab.tracking.tracker import NoTracker, Tracker

if TYPE_CHECKING:
    import pandas as pd

    from bias_lab.summary import Summary

HEADLINE = ("effect_response", "p_name", "q")
REPORT = "report.html"


def track_summary(tracker: Tracker, summary: "Summary", folder: Path, *, group: str) -> None:
    """Log a sweep's summary as a run of the job type `summary`, in the group of its cells' runs.

    summary: what `bias_lab.summary.collect` gave. folder: the summary folder of the sweep, whose report.html and LaTeX
    files are sent along; W&B's own files go beside it. The run's id is a hash of the cells' identities, so the summary
    of the same cells is the same run. Of a failed cell's reason the kind of error alone is sent, as an error may quote
    a line of a data file.
    """
    if isinstance(tracker, NoTracker):
        return
    public = without_reasons(summary)
    tracker.start(
        run_id=summary_id(summary),
        name=f"{SUMMARY}-{group}",
        group=group,
        config=_config(public),
        folder=folder.parent,
        job_type=SUMMARY,
    )
    succeeded = False
    try:
        tracker.log_results(summary_metrics(public), summary_tables(public), [])
        with TemporaryDirectory() as scratch:
            files = _files(folder, summary, public, Path(scratch), title=f"Sweep {group}")
            tracker.log_files(f"{SUMMARY}-{group}", files)
        succeeded = True
    finally:
        tracker.finish(succeeded=succeeded)


def summary_id(summary: "Summary") -> str:
    """The run's id, of 16 hexadecimal digits: the same for the same cells, in whatever order and folder they were run.

    A cell that does not know its identity, as it failed too early or never began, counts by its override line.
    """
    cells = {
        _mapping(Path(row["folder"]) / MANIFEST).get("identity") or f"line {row['overrides']}"
        for row in summary.cells[["folder", "overrides"]].to_dict("records")
    }
    lines = {f"line {line}" for line in summary.missing["line"]}
    return digest_of([SUMMARY, *sorted(cells | lines)])[:16]


def without_reasons(summary: "Summary") -> "Summary":
    """The same summary, with the kind of error in place of each failed cell's reason."""
    told = summary.cells["status"].isin(["failed", "unreadable"])
    kinds = summary.cells["error"].map(kind_of_error)
    return replace(summary, cells=summary.cells.assign(error=summary.cells["error"].mask(told, kinds)))


def kind_of_error(reason: Any) -> Any:
    """Such as "DataError"; a missing reason stays missing."""
    import pandas as pd

    if pd.isna(reason):
        return reason
    found = re.match(r"([A-Za-z_][\w.]*)(: |$)", str(reason))
    return found[1] if found else "the reason is in the cell's log"


def summary_metrics(summary: "Summary") -> dict[str, Any]:
    """Headline numbers: test Pearson (mean over seeds), effects by model and emotion, counts; undefined ones left out.

    `pearson/<model>/<language>/<emotion>`; `bias/<corpus>/<term>/<model>/<emotion>/...`; `findings/<corpus>/...`;
    `cells/...`.
    """
    import pandas as pd

    from bias_lab.summary.tables import effects, findings_table

    metrics: dict[str, Any] = {
        pearson_name(row["model"], row["language"], row["emotion"]): row["mean"]
        for row in _test_pearson(summary).to_dict("records")
        if pd.notna(row["mean"])
    }
    for row in effects(summary.coefficients).to_dict("records"):
        within = (row["model"], row["emotion"])
        metrics |= {effect_name(row, value, *within): row[value] for value in HEADLINE if pd.notna(row[value])}
    for row in findings_table(summary.coefficients).to_dict("records"):
        counts = ("tests", "claims", "p_findings", "q_findings", "paper_only", "no_answer")
        metrics |= {f"findings/{name_part(row['eec'])}/{count}": int(row[count]) for count in counts}
    return metrics | {f"cells/{status}": number for status, number in _counts(summary).items()}


def summary_tables(summary: "Summary") -> "dict[str, pd.DataFrame]":
    """The tables that have rows, by name: Pearson, coefficients, findings, failed cells."""
    from bias_lab.summary.tables import failed_table, findings_table

    failed = failed_table(summary)
    tables = {
        PEARSON: _test_pearson(summary),
        EFFECTS: summary.coefficients,
        FINDINGS: findings_table(summary.coefficients),
        FAILED: failed.assign(folder=[Path(folder).name for folder in failed["folder"]]),
    }
    return {name: table for name, table in tables.items() if len(table)}


def _test_pearson(summary: "Summary") -> "pd.DataFrame":
    from bias_lab.summary.tables import score_table

    scores = score_table(summary.metrics)
    chosen = scores[(scores["split"] == "test") & (scores["metric"] == "pearson")]
    return chosen.drop(columns=["split", "metric"]).reset_index(drop=True)


def _counts(summary: "Summary") -> dict[str, int]:
    counts = {str(status): int(number) for status, number in summary.cells["status"].value_counts().items()}
    return {FINISHED: 0, "failed": 0, "missing": len(summary.missing)} | counts


def _config(summary: "Summary") -> dict[str, Any]:
    """What was compared, as plain types."""
    cells = summary.cells[summary.cells["status"] == FINISHED]
    chosen = {f"{name}s": sorted(set(cells[name])) for name in ("model", "language", "emotion")}
    seeds = sorted(int(seed) for seed in cells["seed"].dropna().unique())
    return {**chosen, "seeds": seeds, "corpora": sorted(summary.corpora["name"]), "notes": list(summary.notes)}


def _files(folder: Path, summary: "Summary", public: "Summary", scratch: Path, *, title: str) -> Mapping[str, Path]:
    """The summary's LaTeX and its report page; where that tells reasons, one without them is made for W&B."""
    from bias_lab.summary.write import MARKER

    # Files that a user put into the folder are nobody else's business.
    own = _mapping(folder / MARKER).get("files", [])
    files = {name: folder / name for name in own if name == REPORT or name.endswith(".tex")}
    if REPORT in files and not public.cells["error"].equals(summary.cells["error"]):
        from bias_lab.report.page import write_report

        files[REPORT] = write_report(public, scratch, title=title)
    return {name: path for name, path in files.items() if path.is_file()}


def _mapping(path: Path) -> dict[str, Any]:
    """A JSON file's content; empty where it cannot be read, or holds something else."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}
