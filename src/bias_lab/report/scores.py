"""Every sentence's score, averaged over seeds and packed small, so that the page can show what lies behind a mean."""

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bias_lab.files import digest_of
from bias_lab.stats import average_seeds

SCALE = 65535  # scores in [0, 1] are sent as 16-bit whole numbers: wrong by less than .00001
WHO = ["model", "language", "emotion"]
# Placeholders of a person in a sentence; no corpus may hold these control characters.
PERSON, CAPITALISED = "\x00", "\x01"


def sentence_scores(cells: pd.DataFrame, *, most: int) -> tuple[dict[str, Any], bool]:
    """Pack the scores of all finished cells; see `pack`.

    cells: of a summary. most: how many scores at most. Returns the packed scores and whether they are all there: a
    model whose scores would go beyond `most` is left out, and so are all after it.
    """
    layouts: dict[str, dict[str, Any]] = {}
    runs: list[dict[str, Any]] = []
    total = 0
    for who, table in _averaged_tables(cells):
        total += len(table)
        if total > most:
            return {"layouts": list(layouts.values()), "runs": runs}, False
        persons, sentences = table["person"].astype(str).tolist(), table["sentence"].astype(str).tolist()
        key = digest_of([persons, sentences])
        if key not in layouts:
            layouts[key] = pack_sentences(persons, sentences)
        scores = np.round(table["prediction"].clip(0, 1).to_numpy() * SCALE)
        position = list(layouts).index(key)
        runs.append({**who, "layout": position, "scores": packed(scores.astype(np.int64))})
    return {"layouts": list(layouts.values()), "runs": runs}, True


def pack_sentences(persons: list[str], sentences: list[str]) -> dict[str, Any]:
    """Write n sentences as a list of patterns and persons, and two numbers a sentence."""
    patterns = [_pattern(*pair) for pair in zip(persons, sentences, strict=True)]
    person_codes, person_list = pd.factorize(pd.Series(persons, dtype="object"))
    pattern_codes, pattern_list = pd.factorize(pd.Series(patterns, dtype="object"))
    return {
        "persons": list(person_list),
        "patterns": list(pattern_list),
        "person": packed(person_codes),
        "pattern": packed(pattern_codes),
    }


def packed(numbers: np.ndarray) -> dict[str, Any]:
    """Whole numbers from 0 as base64 of little-endian 16-bit integers, or 32-bit ones where they are larger."""
    kind = "<u2" if not len(numbers) or numbers.max() <= np.iinfo(np.uint16).max else "<u4"
    return {"bytes": int(kind[-1]), "base64": base64.b64encode(numbers.astype(kind).tobytes()).decode()}


def _pattern(person: str, sentence: str) -> str:
    if person and person in sentence:
        return sentence.replace(person, PERSON, 1)
    capitalised = person[:1].upper() + person[1:]
    return sentence.replace(capitalised, CAPITALISED, 1) if person and capitalised in sentence else sentence


def _averaged_tables(cells: pd.DataFrame) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """Each (model, language, emotion, eec) with its long table, averaged over the seeds."""
    finished = cells[cells["status"] == "finished"]
    for who, group in finished.groupby(WHO, sort=True):
        folders = [Path(folder) for folder in group["folder"]]
        for eec in sorted({path.stem for folder in folders for path in folder.glob("predictions/*.parquet")}):
            scored = [f for f in folders if (f / "predictions" / f"{eec}.parquet").is_file()]
            table = average_seeds([_read(folder, eec) for folder in scored])
            yield {**dict(zip(WHO, who, strict=True)), "eec": eec}, table


def _read(folder: Path, eec: str) -> pd.DataFrame:
    return pd.read_parquet(folder / "predictions" / f"{eec}.parquet", columns=["person", "sentence", "prediction"])
