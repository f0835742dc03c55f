"""Made-up run folders for the tests of the report: two models, two languages, two emotions, two seeds."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml

from bias_lab.stats import BetaRegression
from bias_lab.summary import Summary, collect

EVIL = "<script>alert('x')</script>"
MODELS = ("alpha", "blind")  # blind: gives all persons of a group the same score
EMOTIONS = ("anger", "joy")
GENDER = {"name": "gender", "levels": ["male", "female"], "reference": "male"}
CORPORA: dict[str, dict[str, Any]] = {
    "made_up_en": {"language": "en", "race": ["Anglo", "Latino"], "phrase": ("my brother", "my sister")},
    "made_up_ar": {"language": "ar", "race": ["Anglo", "Arab"], "phrase": ("أخي", "أختي")},
}
NAMES = {
    "made_up_en": ["John", "O'Neil & <b>", "Mary", "Ann", "Juan", "José", "Lucía", "Rosa"],
    "made_up_ar": ["جون", "آدم", "ماري", "آن", "محمد", "أحمد", "فاطمة", "مريم"],
}
WORDS = {"en": ("feels", ["angry", "furious", "irritated"]), "ar": ("يشعر", ["بالغضب", "بالغيظ", "بالانزعاج"])}


def long_table(eec: str, emotion: str, *, model: str, seed: int) -> pd.DataFrame:
    """One corpus with predictions: two names and one noun phrase a group, three items."""
    corpus, rows = CORPORA[eec], []
    verb, words = WORDS[corpus["language"]]
    groups = list(product(corpus["race"], GENDER["levels"]))
    persons: list[tuple[str, str, str | None, str]] = [
        (name, "name", *groups[i // 2]) for i, name in enumerate(NAMES[eec])
    ]
    persons += [(p, "noun_phrase", None, level) for p, level in zip(corpus["phrase"], GENDER["levels"], strict=True)]
    # A second noun phrase a level, so that names can be told from groups there too.
    persons += [(f"{p} B", kind, race, gender) for p, kind, race, gender in persons if kind == "noun_phrase"]
    rng = np.random.default_rng([seed, len(emotion), len(eec), sum(map(ord, model))])
    for number, (person, kind, race, gender) in enumerate(persons):
        for i, word in enumerate(words):
            score = 0.4 + 0.05 * i + (0.12 if gender == "female" and emotion == "anger" else 0)
            if model != "blind":
                score += 0.01 * (number % 2) + rng.normal(0, 0.004)
            subject = person[0].upper() + person[1:]
            rows.append(
                {
                    "eec": eec,
                    "sentence": f"{subject} {verb} {word}.",
                    "template": "t1",
                    "item": f"t1-{i}",
                    "person": person,
                    "person_kind": kind,
                    "race": race,
                    "gender": gender,
                    "emotion": emotion,
                    "emotion_word": word,
                    "prediction": score,
                }
            )
    return pd.DataFrame(rows)


def write_run(
    folder: Path,
    *,
    model: str,
    language: str,
    emotion: str,
    seed: int,
    error: str | None = None,
    kind: str = "semeval2018",
) -> None:
    """Write what the report and the summary read of a run folder; with `error`, the run failed."""
    corpora = [name for name, corpus in CORPORA.items() if corpus["language"] == language]
    (folder / "predictions").mkdir(parents=True)
    manifest = {
        "status": "failed" if error else "finished",
        "error": error,
        "overrides": [f"model={model}", f"task.lang={language}", f"task.emotion={emotion}", f"seed={seed}"],
        "label": f"{model}-{language}-{emotion}-s{seed}",
        "seed": seed,
        "versions": {"bias_lab": "0.0", "numpy": "2.4"},
        "git_revision": "abc123",
        "command": ["bias_lab", "-m"],
        "started": "2026-01-01T00:00:00+00:00",
        "ended": f"2026-01-01T00:0{seed}:00+00:00",
        "timings": {"fit": 30.0},
        "data": [{"path": f"/home/me/{language}-{emotion}.txt", "sha256": "d" * 64, "rows": 100}],
        "model": {"encoder": {"checkpoint": "hub:m@1", "cache": {"hits": seed}}, "training": {"epochs": seed}},
        "corpora": [
            {
                "name": name, "language": language, "version": "1.0", "licence": "MIT", "source": "Made up.",
                "verified_by_native_speaker": False, "digest": "c" * 64, "rows": 36,
                "factors": [{"name": "race", "levels": CORPORA[name]["race"], "reference": "Anglo"}, GENDER],
            }
            for name in corpora
        ],
    }  # fmt: skip
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    config = {"seed": seed, "task": {"kind": kind, "lang": language, "emotion": emotion}, "stats": {}}
    (folder / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    if error:
        return
    pearson = 0.5 + 0.1 * MODELS.index(model) + 0.02 * seed
    agreement = {"n": 100, "n_high": 50, "pearson": pearson, "pearson_high": 0.3, "spearman": pearson, "mse": 0.02}
    (folder / "metrics.json").write_text(json.dumps({"dev": agreement, "test": agreement}), encoding="utf-8")
    for name in corpora:
        table = long_table(name, emotion, model=model, seed=seed)
        table.to_parquet(folder / "predictions" / f"{name}.parquet", index=False)
        known = table.loc[table["person_kind"] == "name", ["eec", "person", "race", "gender"]].drop_duplicates()
        known.assign(tokens=2, unknown=int(model == "blind")).to_csv(folder / "name_coverage.csv", index=False)


def write_runs(root: Path, *, kind: str = "semeval2018") -> Path:
    """A sweep of all cells, one of which failed with a message that is not to be taken for HTML."""
    grid = product(MODELS, ("en", "ar"), EMOTIONS, (0, 1))
    for number, (model, language, emotion, seed) in enumerate(grid):
        failed = (model, language, emotion, seed) == ("alpha", "ar", "joy", 1)
        write_run(
            root / str(number), model=model, language=language, emotion=emotion, seed=seed, kind=kind,
            error=f"ModelError: {EVIL}" if failed else None,
        )  # fmt: skip
    return root


def make_summary(root: Path, *, smallest_effect: float | None = 0.05, kind: str = "semeval2018") -> Summary:
    """The summary of `write_runs`, by the analysis without permutations."""
    regression = BetaRegression(permutations=0, smallest_effect=smallest_effect)
    return collect([write_runs(root, kind=kind)], regression=regression)


_MADE: list[Summary] = []


def shared_summary(tmp_path_factory: pytest.TempPathFactory) -> Summary:
    """One summary for all tests of a session that only read it."""
    if not _MADE:
        _MADE.append(make_summary(tmp_path_factory.mktemp("runs")))
    return _MADE[0]
