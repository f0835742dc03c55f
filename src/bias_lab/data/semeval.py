"""SemEval-2018 Task 1 (Mohammad et al., 2018): emotion intensity (EI-reg) and valence (V-reg) of tweets.

The files are for research use and may not be passed on, so they are read from a folder of the user's.
"""

import filecmp
import json
import logging
import os
import re
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bias_lab.data.reading import Source, read_source
from bias_lab.data.task import (
    EMOTIONS,
    LANGUAGES,
    SPLITS,
    DataFile,
    Split,
    Task,
    first_duplicate,
    parse_score,
)
from bias_lab.errors import DataError
from bias_lab.strict import check_choice

DIMENSIONS = (*EMOTIONS, "valence")
COLUMNS = ("ID", "Tweet", "Affect Dimension", "Intensity Score")
MAX_DEPTH = 5
HOW_TO_GET = (
    "Run `python -m bias_lab.data fetch --out DIR` to get the files and pass `task.data_dir=DIR`; "
    "`python -m bias_lab.data check DIR` shows what a folder holds."
)

log = logging.getLogger("bias_lab.data")


class Published(NamedTuple):
    """What the organisers published: rows of data, and the digest of the content (None: not known)."""

    rows: int
    content_sha256: str | None


def load_semeval(data_dir: str | Path | None, *, language: str, emotion: str) -> Task:
    """Read one language and emotion.

    Args:
        data_dir: folder with the files, flat or as the organisers' archive unpacks.
        language: "en", "es" or "ar".
        emotion: "anger", "fear", "joy", "sadness" or "valence".

    Raises:
        ConfigError: an unknown language or emotion.
        DataError: a file is missing (with how to get it) or malformed (with its line).
    """
    check_choice("task.lang", language, LANGUAGES)
    check_choice("task.emotion", emotion, DIMENSIONS)
    found = locate(data_dir, language=language, emotion=emotion)
    if missing := [split for split in SPLITS if split not in found]:
        names = (" or ".join(file_names(language, emotion, split)) for split in missing)
        raise DataError(
            f"{data_dir}: no {' and no '.join(missing)} file for {language} {emotion}; looked for "
            f"{'; '.join(names)}; in the folder and up to {MAX_DEPTH} folders deep. {HOW_TO_GET}"
        )
    splits, sources = {}, []
    for name in SPLITS:
        source = read_source(found[name])
        splits[name] = parse(source, emotion=emotion)
        sources.append(DataFile(path=source.path, sha256=source.sha256, rows=len(splits[name])))
        expected = published(language, emotion, name).rows
        if len(splits[name]) != expected:
            log.warning("%s has %d rows; %d were published", source.path, len(splits[name]), expected)
    return Task("semeval2018", language, emotion, **splits, files=tuple(sources))


def locate(data_dir: str | Path | None, *, language: str, emotion: str) -> dict[str, Path]:
    """Find the files of one cell; splits without a file are left out.

    Raises:
        DataError: no such folder, or a name that stands twice in it with different content.
    """
    if data_dir is None or not str(data_dir).strip():
        raise DataError(f"task.data_dir is not set; it names the folder of SemEval-2018 files. {HOW_TO_GET}")
    folder = Path(data_dir).expanduser()
    if not folder.is_dir():
        raise DataError(f"task.data_dir={data_dir}: there is no such folder. {HOW_TO_GET}")
    candidates = {split: file_names(language, emotion, split) for split in SPLITS}
    wanted = {name for names in candidates.values() for name in names}
    paths = _walk(folder, wanted)
    return {
        split: _only(paths[name])
        for split, names in candidates.items()
        if (name := next((name for name in names if name in paths), None))
    }


def file_names(language: str, emotion: str, split: str) -> tuple[str, ...]:
    """Names the organisers gave the file of one split, best first.

    The English training files lack the year in the archive; the unlabelled test file comes last, so that
    whoever has nothing else is told so.
    """
    task = "Valence-reg" if emotion == "valence" else "EI-reg"
    middle = "" if emotion == "valence" else f"-{emotion}"
    stem = f"{task}-{language.capitalize()}{middle}"
    ends = ("test-gold", "test") if split == "test" else (split,)
    return tuple(f"{year}{stem}-{end}.txt" for end in ends for year in ("2018-", ""))


def parse(source: Source, *, emotion: str) -> Split:
    """Read a file's rows: ID, tweet, dimension and score, separated by tabs; quotes mean nothing.

    Raises:
        DataError: with file and line, for anything but complete rows of this emotion with a score in [0, 1].
    """
    lines = source.lines
    header = tuple(cell.strip() for cell in lines[0].split("\t")) if lines else ()
    if header != COLUMNS:
        got = "<TAB>".join(header) if lines else "an empty file"
        raise DataError(f"{source.path}, line 1: expected the header {'<TAB>'.join(COLUMNS)}, got {_short(got)}")
    if len(lines) == 1:
        raise DataError(f"{source.path}: there is a header but no row below it")
    rows = [_row(source, number, line, emotion) for number, line in enumerate(lines[1:], start=2)]
    _check_end(source, len(lines), lines[-1].split("\t")[3])
    ids, texts, scores = zip(*rows, strict=True)
    if (twice := first_duplicate(ids)) is not None:
        raise DataError(
            f"{source.path}, line {twice + 2}: the ID {ids[twice]} is already on line "
            f"{ids.index(ids[twice]) + 2}; IDs must be unique"
        )
    return Split(texts=texts, scores=np.array(scores), ids=ids)


def published(language: str, emotion: str, split: str) -> Published:
    """Rows and content digest of a published file."""
    return Published(**_facts()[language][emotion][split])


@lru_cache(maxsize=1)
def _facts() -> dict[str, Any]:
    return json.loads(files("bias_lab.data").joinpath("semeval2018.json").read_text(encoding="utf-8"))


def _row(source: Source, number: int, line: str, emotion: str) -> tuple[str, str, float]:
    where = f"{source.path}, line {number}"
    cells = line.split("\t")
    if len(cells) != len(COLUMNS):
        raise DataError(
            f"{where}: {len(cells)} columns, expected {len(COLUMNS)} ({', '.join(COLUMNS)})"
            + ("; the file seems to be cut off here" if _is_open_end(source, number) else "")
        )
    tweet_id, text, dimension, score = cells
    if not tweet_id.strip():
        raise DataError(f"{where}: the ID is empty")
    if not text.strip():
        raise DataError(f"{where}: the tweet of {tweet_id} is empty")
    if dimension.strip() != emotion:
        raise DataError(
            f"{where}: the affect dimension is {_short(dimension)}, expected {emotion}: another task's file?"
        )
    if score.strip() == "NONE":
        raise DataError(
            f"{where}: the score is NONE: this file has no labels; the labelled test files end in -test-gold.txt"
        )
    return tweet_id, text, parse_score(score.strip(), where=where)


def _check_end(source: Source, number: int, score: str) -> None:
    """Refuse a last score such as 0.51 without a newline: published ones have three decimals."""
    if _is_open_end(source, number) and not re.fullmatch(r"\d\.\d{3}", score.strip()):
        raise DataError(
            f"{source.path}, line {number}: the last line has no newline and ends in {score!r}, expected a "
            "score with three decimals; the file seems to be cut off (if it is whole, end it with a newline)"
        )


def _is_open_end(source: Source, number: int) -> bool:
    return not source.ends_in_newline and number == len(source.lines)


def _walk(folder: Path, wanted: set[str]) -> dict[str, list[Path]]:
    """All wanted files below `folder`, by name, shallow ones first; hidden folders are left alone."""
    found: dict[str, list[Path]] = {}
    for parent, children, names in os.walk(folder, followlinks=True):
        depth = len(Path(parent).relative_to(folder).parts)
        children[:] = sorted(name for name in children if depth < MAX_DEPTH and not name.startswith("."))
        for name in wanted.intersection(names):
            found.setdefault(name, []).append(Path(parent) / name)
    return {name: sorted(paths, key=lambda path: (len(path.parts), path)) for name, paths in found.items()}


def _only(paths: list[Path]) -> Path:
    for other in paths[1:]:
        if not filecmp.cmp(paths[0], other, shallow=False):
            raise DataError(
                f"{paths[0]} and {other} have the same name but differ; "
                "point task.data_dir at the folder with the one you mean"
            )
    return paths[0]


def _short(text: str, limit: int = 80) -> str:
    return repr(text if len(text) <= limit else text[:limit] + "...")
