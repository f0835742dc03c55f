"""Made-up run folders for the tests of the summary."""

import hashlib
import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pandas as pd
import yaml

import bias_lab
from bias_lab.stats import BetaRegression
from stats_tables import FACTORS, with_noun_phrases

STATS = {"permutations": 20, "level": 0.95}


def predictions(*, seed: int = 0, shift: float = 0.0, eec: str = "made_up") -> pd.DataFrame:
    """The long table of a cell: its scores differ by seed a little; `shift` moves those of women."""
    table = with_noun_phrases()
    noise = np.random.default_rng(seed).normal(0, 0.01, len(table))
    scores = table["prediction"] + noise + shift * (table["gender"] == "female")
    return table.assign(eec=eec, prediction=scores.clip(0.001, 0.999))


def write_cell(
    folder: Path,
    *,
    model: str = "svm",
    language: str = "en",
    emotion: str = "anger",
    seed: int = 0,
    pearson: float | None = 0.5,
    table: pd.DataFrame | None = None,
    digest: str = "d1",
    status: str = "finished",
    settings: dict | None = None,
    **manifest,
) -> Path:
    """Write a run folder as a run leaves it; `manifest` replaces entries of that file."""
    table = predictions(seed=seed) if table is None else table
    eec = table["eec"].iloc[0]
    (folder / "predictions").mkdir(parents=True)
    corpus = {"name": eec, "language": language, "version": "1.0", "licence": "MIT", "source": "made up"}
    corpus |= {"verified_by_native_speaker": False, "digest": digest, "rows": 160, "scored_rows": len(table)}
    content = {
        "status": status,
        "overrides": [f"model={model}", f"task.lang={language}", f"task.emotion={emotion}", f"seed={seed}"],
        "versions": {"bias_lab": bias_lab.__version__},
        "label": f"{model}-{language}-{emotion}-s{seed}",
        "seed": seed,
        "data": [
            {"path": "train.tsv", "sha256": hashlib.sha256(f"{language}{emotion}".encode()).hexdigest(), "rows": 150}
        ],
        "corpora": [corpus | {"factors": [asdict(factor) for factor in FACTORS]}],
        "error": None,
        "ended": "2030-01-01T00:00:00+00:00",
    }
    (folder / "manifest.json").write_text(json.dumps(content | manifest), encoding="utf-8")
    config = {"seed": seed, "cache_dir": None, "task": {"kind": "semeval2018", "lang": language, "emotion": emotion}}
    config |= {"model": {"C": 1.0}, "stats": {"_target_": "bias_lab.stats.BetaRegression", **STATS}}
    config |= {"tracking": {"mode": "off"}, **(settings or {})}
    (folder / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    scores = {"n": 100, "n_high": 50, "pearson": pearson, "pearson_high": 0.3, "spearman": 0.4, "mse": 0.02}
    (folder / "metrics.json").write_text(json.dumps({"dev": scores, "test": scores}), encoding="utf-8")
    sentences = table.assign(sentence=table["person"] + " " + table["item"])
    sentences.to_parquet(folder / "predictions" / f"{eec}.parquet", index=False)
    names = table.loc[table["person_kind"] == "name", ["eec", "person", "race", "gender"]].drop_duplicates()
    names.assign(tokens=2, unknown=0).to_csv(folder / "name_coverage.csv", index=False)
    BetaRegression(**STATS)(table, FACTORS).to_csv(folder / "coefficients.csv", index=False)
    return folder


def add_corpus(folder: Path, table: pd.DataFrame) -> Path:
    """Let a cell have scored one more corpus, of the language of the others."""
    eec = table["eec"].iloc[0]
    path = folder / "manifest.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    content["corpora"].append(content["corpora"][0] | {"name": eec, "digest": f"digest of {eec}"})
    path.write_text(json.dumps(content), encoding="utf-8")
    sentences = table.assign(sentence=table["person"] + " " + table["item"])
    sentences.to_parquet(folder / "predictions" / f"{eec}.parquet", index=False)
    own = [pd.read_csv(folder / "coefficients.csv"), BetaRegression(**STATS)(table, FACTORS)]
    pd.concat(own).to_csv(folder / "coefficients.csv", index=False)
    return folder


def with_other_names(table: pd.DataFrame, eec: str) -> pd.DataFrame:
    """Another corpus: its names differ, its noun phrases are the same."""
    names = table["person_kind"] == "name"
    return table.assign(eec=eec, person=table["person"].where(~names, table["person"] + f" {eec}"))


def write_failed(folder: Path, *, overrides: list[str], error: str = "DataError: no file") -> Path:
    """Write what a cell leaves that failed before it knew who it was."""
    folder.mkdir(parents=True)
    content = {"status": "failed", "overrides": overrides, "versions": {}, "error": error}
    (folder / "manifest.json").write_text(json.dumps(content), encoding="utf-8")
    return folder


def write_plan(sweep: Path, *overrides: str, **sweeper) -> None:
    """Write Hydra's file about a sweep, as far as the summary reads it."""
    content = {"hydra": {"overrides": {"task": list(overrides), "hydra": []}, "sweeper": sweeper}}
    (sweep / "multirun.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
