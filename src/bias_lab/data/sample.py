"""The sample task: short texts written for this project, to try everything out. No basis for findings."""

from importlib.resources import files

import numpy as np

from bias_lab.data.reading import Source, decode
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

COLUMNS = ("id", "text", "split", *EMOTIONS)


def load_sample(*, language: str, emotion: str) -> Task:
    """Read the sample that ships with the package: one file per language, four intensities a text.

    Raises:
        ConfigError: an unknown language or emotion.
        DataError: the shipped file is damaged, with its line.
    """
    check_choice("task.lang", language, LANGUAGES)
    resource = files("bias_lab.data").joinpath("sample", f"{language}.tsv")
    if not resource.is_file():
        raise DataError(f"{resource}: the sample is missing from the installed package; install bias_lab again")
    return parse_sample(decode(resource.read_bytes(), path=str(resource)), language=language, emotion=emotion)


def parse_sample(source: Source, *, language: str, emotion: str) -> Task:
    """Read a sample file: tab-separated, no quoting, columns id, text, split, anger, fear, joy, sadness."""
    check_choice("task.emotion", emotion, EMOTIONS)
    lines = source.lines
    if not lines or tuple(lines[0].split("\t")) != COLUMNS:
        raise DataError(f"{source.path}, line 1: expected the header {'<TAB>'.join(COLUMNS)}")
    rows = [_row(f"{source.path}, line {number}", line) for number, line in enumerate(lines[1:], start=2)]
    if (twice := first_duplicate([row["id"] for row in rows])) is not None:
        raise DataError(f"{source.path}, line {twice + 2}: the id {rows[twice]['id']!r} occurs twice; ids are unique")
    parts = {}
    for split in SPLITS:
        chosen = [row for row in rows if row["split"] == split]
        if not chosen:
            raise DataError(f"{source.path}: no row of the {split} split")
        parts[split] = Split(
            texts=tuple(row["text"] for row in chosen),
            scores=np.array([float(row[emotion]) for row in chosen]),
            ids=tuple(row["id"] for row in chosen),
        )
    file = DataFile(path=source.path, sha256=source.sha256, rows=len(rows))
    return Task("sample", language, emotion, **parts, files=(file,))


def _row(where: str, line: str) -> dict[str, str]:
    cells = line.split("\t")
    if len(cells) != len(COLUMNS):
        raise DataError(f"{where}: {len(cells)} columns, expected {len(COLUMNS)} ({', '.join(COLUMNS)})")
    row = dict(zip(COLUMNS, cells, strict=True))
    if not row["id"].strip() or not row["text"].strip():
        raise DataError(f"{where}: the id or the text is empty")
    if row["split"] not in SPLITS:
        raise DataError(f"{where}: the split is {row['split']!r}; choose from {', '.join(SPLITS)}")
    for emotion in EMOTIONS:
        parse_score(row[emotion], where=where)
    return row
