"""Where the results come from, as the runs' manifests tell: corpora, cells, data, models, software."""

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import pandas as pd
import yaml

from bias_lab.manifest import MANIFEST
from bias_lab.report.numbers import count, listed
from bias_lab.report.table import Cell, Column, Row, Table, number, row, text
from bias_lab.summary.cells import CONFIG

PERSON_KINDS = {"name": "names", "noun_phrase": "noun phrases"}
_DIGEST = 12  # leading digits shown of a SHA-256


def read_manifests(cells: pd.DataFrame) -> list[dict[str, Any]]:
    """The manifests of the finished cells, each with its configuration under `config`."""
    finished = cells.loc[cells["status"] == "finished", "folder"]
    return [_manifest(Path(folder)) for folder in finished]


def _shown(folder: str, all_folders: pd.Series) -> str:
    """A run's folder from the folder of all runs on: where that lies is nobody's business but the maker's."""
    return os.path.relpath(folder, os.path.commonpath([Path(path).parent for path in all_folders]))


def _manifest(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    config = folder / CONFIG
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    found = yaml.load(config.read_text(encoding="utf-8"), Loader=loader) if config.is_file() else None
    return content | {"config": found or {}}


def is_sample(manifests: list[dict[str, Any]]) -> bool:
    """Whether any cell was trained on the shipped sample, which is no basis for findings."""
    return any((manifest["config"].get("task") or {}).get("kind") == "sample" for manifest in manifests)


def corpora_table(corpora: pd.DataFrame, names: pd.DataFrame) -> Table:
    """The corpora that were scored, with their counts."""
    titles = ("Corpus", "Language", "Version", "Licence")
    counts = ("Sentences", "Scored by a model", "Names", "Noun phrases")
    columns = (
        *(Column(title) for title in titles),
        *(Column(title, is_number=True) for title in counts),
        Column("Factors"),
        Column("Checked by a native speaker"),
        Column("SHA-256"),
        Column("Source"),
    )
    rows = []
    for found in corpora.to_dict("records"):
        own = names[names["eec"] == found["name"]]
        scored = own.groupby(["model", "emotion"])["n"].sum()
        persons = own.groupby("person_kind")["person"].nunique()
        cells = [text(found[name]) for name in ("name", "language", "version", "licence")]
        cells += [number(found["rows"], count(found["rows"])), _range(scored)]
        cells += [number(persons.get(kind, 0), count(persons.get(kind, 0))) for kind in PERSON_KINDS]
        cells += [text(found["factors"]), text("yes" if found["verified_by_native_speaker"] else "no")]
        cells += [text(str(found["digest"])[:_DIGEST], "code"), text(found["source"], "long")]
        rows.append(row(cells, language=found["language"], corpus=found["name"]))
    return Table("corpora-table", "Corpora that were scored", columns, tuple(rows))


def _range(values: pd.Series) -> Cell:
    if values.empty:
        return text(None)
    low, high = values.min(), values.max()
    return number(high, count(high) if low == high else f"{count(low)} to {count(high)}")


def failed_table(cells: pd.DataFrame, missing: pd.DataFrame) -> Table:
    """Cells without a result: how each ended, its override line, and the reason."""
    columns = (Column("Cell"), Column("Status"), Column("Reason"), Column("Override line"))
    failed = cells[~cells["status"].isin(["finished", "superseded"])]
    rows = [
        row(
            [
                text(found["label"]),
                text(found["status"]),
                text(found["error"], "long"),
                text(found["overrides"], "code"),
            ],
            **{name: found[name] for name in ("model", "language", "emotion")},
        )
        for found in failed.to_dict("records")
    ]
    rows += [
        row([text(None), text("missing"), text("asked for, but there is no run of it"), text(line, "code")])
        for line in missing["line"]
    ]
    return Table("failed-table", "Failed and missing cells", columns, tuple(rows))


def cells_table(cells: pd.DataFrame) -> Table:
    """Every run folder and how it ended."""
    columns = (Column("Cell"), Column("Status"), Column("Override line"), Column("Folder"))
    rows = [
        row(
            [
                text(found["label"]),
                text(found["status"]),
                text(found["overrides"], "code"),
                text(_shown(found["folder"], cells["folder"]), "code"),
            ],
            **{name: found[name] for name in ("model", "language", "emotion")},
        )
        for found in cells.to_dict("records")
    ]
    return Table("cells-table", "All cells", columns, tuple(rows))


def data_table(manifests: list[dict[str, Any]]) -> Table:
    """The files of tweets, with their digests; the folder that they lay in is not shown."""
    files: dict[tuple[str, str], tuple[int, set[tuple[str, str]]]] = {}
    for manifest in manifests:
        for found in manifest.get("data", ()):
            name = PurePosixPath(PureWindowsPath(found["path"]).as_posix()).name
            task = manifest["config"].get("task") or {}
            users = files.setdefault((name, found["sha256"]), (found["rows"], set()))[1]
            users.add((str(task.get("lang", "")), str(task.get("emotion", ""))))
    columns = (Column("File"), Column("Texts", is_number=True), Column("SHA-256"))
    rows = [
        row([text(name), number(rows, count(rows)), text(digest, "code")], **_where(users))
        for (name, digest), (rows, users) in sorted(files.items())
    ]
    return Table("data-table", "Data files", columns, tuple(rows))


def _where(users: set[tuple[str, str]]) -> dict[str, str]:
    values = {"language": {user[0] for user in users}, "emotion": {user[1] for user in users}}
    return {name: "\n".join(sorted(found)) for name, found in values.items() if "" not in found}


def models_table(manifests: list[dict[str, Any]], cells: pd.DataFrame) -> Table:
    """What each model is, by language: checkpoint, revision and settings."""
    finished = cells[cells["status"] == "finished"]
    described: dict[tuple[str, str], list[dict[str, str]]] = {}
    for model, language, manifest in zip(finished["model"], finished["language"], manifests, strict=True):
        facts = dict(_flat(manifest.get("model") or {}))
        described.setdefault((model, language), []).append(facts)
    rows: list[Row] = []
    for (model, language), several in described.items():
        # What differs between seeds and emotions (epochs, cache use) describes a run, not the model.
        same = {key: value for key, value in several[0].items() if all(other.get(key) == value for other in several)}
        words = "; ".join(f"{key}: {value}" for key, value in same.items() if value not in ("", "None"))
        rows.append(row([text(model), text(language), text(words, "long")], model=model, language=language))
    return Table(
        "models-table",
        "Models and their checkpoints",
        (Column("Model"), Column("Language"), Column("Settings and checkpoint")),
        tuple(rows),
    )


def _flat(value: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for key, inner in value.items():
        name = f"{prefix}{key}"
        if isinstance(inner, Mapping):
            yield from _flat(inner, f"{name}.")
        elif not name.startswith(("encoder.cache.", "training.")):
            yield name, str(inner)


def software_table(manifests: list[dict[str, Any]]) -> Table:
    """Versions, revisions, analysis settings, commands and times; several values with the number of their cells."""
    found: dict[str, Counter[str]] = {}
    for manifest in manifests:
        facts = {"git revision": manifest.get("git_revision"), **manifest.get("versions", {})}
        facts |= {f"stats.{key}": value for key, value in (manifest["config"].get("stats") or {}).items()}
        facts["command"] = " ".join(["bias_lab", *map(str, manifest.get("command", ())[1:])])
        for name, value in facts.items():
            if value is not None:
                found.setdefault(name, Counter())[str(value)] += 1
    rows = [row([text(name), text(_counted(values), "code")]) for name, values in found.items()]
    rows += [row([text(name), text(value)]) for name, value in _times(manifests).items()]
    return Table("software-table", "Software and settings", (Column("What"), Column("Value")), tuple(rows))


def _counted(values: Counter[str]) -> str:
    if len(values) == 1:
        return next(iter(values))
    return listed([f"{value} ({n} {'cell' if n == 1 else 'cells'})" for value, n in sorted(values.items())])


def _times(manifests: list[dict[str, Any]]) -> dict[str, str]:
    started = [manifest["started"] for manifest in manifests if manifest.get("started")]
    ended = [manifest["ended"] for manifest in manifests if manifest.get("ended")]
    seconds = sum(sum(manifest.get("timings", {}).values()) for manifest in manifests)
    times = {"first cell started": min(started, default=""), "last cell ended": max(ended, default="")}
    return {name: value for name, value in times.items() if value} | {
        "computing time, all cells": f"{seconds / 60:,.1f} min"
    }
