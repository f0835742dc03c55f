"""The folder of an audit: what a run leaves, but for what only a model trained here has."""

import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd

from bias_lab.audit.matching import Matched
from bias_lab.audit.reading import ScoreFile
from bias_lab.errors import ConfigError
from bias_lab.files import digest_of, write_atomic, write_json, write_text
from bias_lab.manifest import FAILED, FINISHED, MANIFEST, Manifest
from bias_lab.stats import BetaRegression

AUDIT = "audit"
SEED = 0  # an audit has none; the summary knows a run by its label, model-language-emotion-seed
DEFAULT_STATS = "bias_lab.stats.BetaRegression"


def audit(
    file: ScoreFile,
    matched: Matched,
    out: Path,
    *,
    name: str | None = None,
    regression: BetaRegression | None = None,
    command: Sequence[str] = (),
) -> pd.DataFrame:
    """Analyse matched scores into a folder and return the coefficients, as `bias_lab.stats.analyse` tells them.

    out: a new folder, or that of an earlier audit, which is written over. name: of the system, by default the file's.
    command: recorded in the manifest. The folder has what a run's has: predictions/, coefficients.csv, figures/,
    manifest.json, config.yaml, and report.html where its libraries are installed; `bias_lab.summarize` takes it
    together with runs. Raises ConfigError for a folder of something else; what the analysis raises is recorded in the
    manifest.
    """
    from bias_lab.analysis import write_analysis

    _check_folder(out)
    regression = regression or BetaRegression()
    config = _config(file, matched, regression)
    _clear(out)
    manifest = Manifest.start(out, overrides=[])
    manifest.update(
        kind=AUDIT,
        label=f"{name or file.path.stem}-{config['task']['lang']}-{matched.emotion}-s{SEED}",
        seed=SEED,
        identity=digest_of({**config, "scores": file.sha256}),
        data=[{"path": str(file.path), "sha256": file.sha256, "rows": len(file.keys)}],
        corpora=_described(matched),
        model=config["model"],
        notes=list(matched.notes),
        coverage={},
        command=list(command),
    )
    try:
        _write_inputs(matched, config, out)
        with manifest.timed("analyse"):
            coefficients, _ = write_analysis(out, manifest.content, regression)
    except Exception as error:
        manifest.end(FAILED, f"{type(error).__name__}: {error}")
        raise
    manifest.end(FINISHED)
    return coefficients


def write_page(folder: Path, *, title: str) -> str:
    """Write report.html into an audit's folder; returns an empty text, or why there is none."""
    try:
        from bias_lab.report import write_report
    except ImportError as error:
        return f"no report page: {error}"
    from bias_lab.summary.collect import collect

    try:
        write_report(collect([folder]), folder, title=title)
    except ConfigError as error:  # its plotting library is an extra
        return f"no report page: {error}"
    return ""


def _check_folder(out: Path) -> None:
    """Refuse a folder that holds something else than an audit."""
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return
    try:
        is_audit = json.loads((out / MANIFEST).read_text(encoding="utf-8")).get("kind") == AUDIT
    except (OSError, ValueError, AttributeError):
        is_audit = False
    if not is_audit:
        raise ConfigError(f"--out {out}: is there already and is no audit; give a new folder")


def _clear(out: Path) -> None:
    """Take away what an earlier audit left here, its diagnostics too; its corpora may have been others."""
    for folder in ("predictions", "figures", "diagnostics"):
        shutil.rmtree(out / folder, ignore_errors=True)
    for name in ("coefficients.csv", "report.html"):
        (out / name).unlink(missing_ok=True)


def _config(file: ScoreFile, matched: Matched, regression: BetaRegression) -> dict[str, Any]:
    """What was asked for, as plain types, laid out as a run's config.yaml."""
    return {
        "seed": SEED,
        "task": {"kind": AUDIT, "lang": matched.corpora[0].language, "emotion": matched.emotion},
        "model": {
            "scores": file.path.name,
            "score_column": file.column,
            "matched_by": file.key,
            "range": list(file.scale),
        },
        "eec": {"corpora": [corpus.name for corpus in matched.corpora]},
        "stats": {"_target_": DEFAULT_STATS, **asdict(regression)},
    }


def _described(matched: Matched) -> list[dict[str, Any]]:
    from bias_lab.run import describe_corpus

    return [describe_corpus(*pair) for pair in zip(matched.corpora, matched.tables, strict=True)]


def _write_inputs(matched: Matched, config: dict[str, Any], out: Path) -> None:
    import yaml

    for corpus, table in zip(matched.corpora, matched.tables, strict=True):
        write_atomic(
            out / "predictions" / f"{corpus.name}.parquet",
            lambda part, table=table: table.to_parquet(part, index=False),  # type: ignore[misc]
        )
    write_text(out / "config.yaml", yaml.safe_dump(config, sort_keys=False, allow_unicode=True))
    write_json(out / "metrics.json", {})  # nobody's own scores of the sentences to compare with
