"""Run folders for the tests of what comes after a run: made up, or left by a real cell."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from stats_tables import FACTORS, Factor


def write_run(
    folder: Path,
    table: pd.DataFrame,
    factors: tuple[Factor, ...] = FACTORS,
    *,
    label: str = "made-up-en-anger-s0",
    stats: dict[str, Any] | None = None,
    **manifest: Any,
) -> Path:
    """A finished run's folder with a long table's predictions and little else."""
    eec = str(table["eec"].iloc[0])
    content = {
        "status": "finished",
        "label": label,
        "identity": f"identity of {label}",
        "corpora": [{"name": eec, "factors": [asdict(factor) for factor in factors]}],
        **manifest,
    }
    (folder / "predictions").mkdir(parents=True)
    (folder / "manifest.json").write_text(json.dumps(content), encoding="utf-8")
    (folder / "config.yaml").write_text(yaml.safe_dump({"stats": stats or {}}), encoding="utf-8")
    table.to_parquet(folder / "predictions" / f"{eec}.parquet", index=False)
    return folder


def real_run(folder: Path, *overrides: str) -> Path:
    """Run a cell on the shipped sample and black_white_en; its status is set as after a good analysis."""
    from hydra import compose, initialize_config_dir
    from hydra.core.global_hydra import GlobalHydra

    from bias_lab.manifest import FINISHED, Manifest
    from bias_lab.paths import conf_dir
    from bias_lab.run import run_cell

    GlobalHydra.instance().clear()
    common = ["task=sample", "eec=black_white_en", "trainer=cpu", "tracking=off"]
    with initialize_config_dir(config_dir=str(conf_dir()), version_base="1.3"):
        cfg = compose("config", overrides=[*common, *overrides])
    manifest = Manifest.start(folder, overrides=list(overrides))
    run_cell(cfg, manifest, model_choice="encoder", corpus_folders=[])
    manifest.end(FINISHED)
    return folder
