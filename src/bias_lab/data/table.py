"""Any TSV or CSV of texts and scores as a task: one file per split, a header, one row a text."""

import csv
import io
import logging
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from bias_lab.data.reading import Source, read_source
from bias_lab.data.task import DataFile, Split, Task, first_duplicate, parse_score
from bias_lab.errors import ConfigError, DataError

DELIMITERS = {".csv": ",", ".tsv": "\t", ".txt": "\t"}

log = logging.getLogger("bias_lab.data")

Row = tuple[int, list[str]]


def load_table(
    *,
    train: str | Path,
    dev: str | Path,
    test: str | Path,
    language: str,
    emotion: str,
    text_column: str = "text",
    score_column: str = "score",
    id_column: str | None = None,
    delimiter: str | None = None,
    quoting: bool | None = None,
    name: str = "table",
) -> Task:
    """Read three files with a header, a column of texts and a column of scores in [0, 1]; others are ignored.

    Args:
        train: file of the training split; `dev` and `test` likewise.
        language: any language code; the corpora of that language are scored.
        emotion: what the score measures.
        text_column: header of the column of texts; `score_column` likewise.
        id_column: header of a column of unique ids; None numbers the rows ("train-1", ...).
        delimiter: one character; None takes it from the suffix (.csv comma, .tsv and .txt tab).
        quoting: whether fields may stand in double quotes as in RFC 4180; None means yes, except in files
            separated by tabs, where a quote is an ordinary character and a row is a line.
        name: what the task is called in results.

    Raises:
        ConfigError: the delimiter is unknown or not one character.
        DataError: a file is missing or malformed, with file and line.
    """
    splits, sources = {}, []
    for split, given in (("train", train), ("dev", dev), ("test", test)):
        path = Path(given).expanduser()
        separator = _delimiter(path, delimiter)
        source = read_source(path)
        quoted = separator != "\t" if quoting is None else quoting
        rows = _quoted(source, separator) if quoted else _plain(source, separator)
        splits[split] = _split(source, rows, text_column, score_column, id_column, prefix=split)
        sources.append(DataFile(path=source.path, sha256=source.sha256, rows=len(splits[split])))
    for i, j in ((0, 1), (0, 2), (1, 2)):
        if sources[i].sha256 == sources[j].sha256:
            log.warning("%s and %s are the same data in two splits", sources[i].path, sources[j].path)
    return Task(name, language, emotion, **splits, files=tuple(sources))


def _delimiter(path: Path, given: str | None) -> str:
    if given is not None:
        if len(given) != 1 or given in '"\r\n':
            raise ConfigError(f"task.delimiter={given!r} is not allowed; it must be one character, such as ',' or ';'")
        return given
    if path.suffix.lower() not in DELIMITERS:
        raise ConfigError(
            f"{path}: no delimiter is known for the suffix {path.suffix!r} (known: {', '.join(DELIMITERS)}); "
            "set task.delimiter"
        )
    return DELIMITERS[path.suffix.lower()]


def _plain(source: Source, delimiter: str) -> Iterator[Row]:
    for number, line in enumerate(source.lines, start=1):
        yield number, line.split(delimiter)


def _quoted(source: Source, delimiter: str) -> Iterator[Row]:
    """Rows as RFC 4180 has them, each with the line it starts on: a quoted field may hold line ends."""
    reader = csv.reader(io.StringIO(source.text.rstrip("\r\n"), newline=""), delimiter=delimiter, strict=True)
    start = 1
    try:
        for cells in reader:
            yield start, cells or [""]
            start = reader.line_num + 1
    except csv.Error as error:
        raise DataError(
            f"{source.path}, line {start}: the row that starts here is not quoted as in RFC 4180 ({error}); "
            'write a quote inside a quoted field twice (""), or set task.quoting=false'
        ) from None


def _split(
    source: Source,
    rows: Iterator[Row],
    text_column: str,
    score_column: str,
    id_column: str | None,
    *,
    prefix: str,
) -> Split:
    _, header = next(rows, (1, []))
    text_at, score_at = _column(source, header, text_column), _column(source, header, score_column)
    id_at = None if id_column is None else _column(source, header, id_column)
    texts, scores, ids, numbers = [], [], [], []
    for number, cells in rows:
        where = f"{source.path}, line {number}"
        _check_width(source, where, number, cells, header)
        for key, at in (("text", text_at), ("id", id_at)):
            if at is not None and not cells[at].strip():
                raise DataError(f"{where}: the {key} is empty")
        texts.append(cells[text_at])
        scores.append(parse_score(cells[score_at].strip(), where=where))
        ids.append(f"{prefix}-{len(texts)}" if id_at is None else cells[id_at])
        numbers.append(number)
    if not texts:
        raise DataError(f"{source.path}: there is a header but no row below it")
    if (twice := first_duplicate(ids)) is not None:
        raise DataError(
            f"{source.path}, line {numbers[twice]}: the id {ids[twice]!r} is already on line "
            f"{numbers[ids.index(ids[twice])]}; ids must be unique"
        )
    return Split(texts=tuple(texts), scores=np.array(scores), ids=tuple(ids))


def _column(source: Source, header: list[str], name: str) -> int:
    if header.count(name) != 1:
        problem = "no column" if name not in header else "more than one column"
        raise DataError(f"{source.path}, line 1: {problem} {name!r}; the header is: {', '.join(header) or '(empty)'}")
    return header.index(name)


def _check_width(source: Source, where: str, number: int, cells: list[str], header: list[str]) -> None:
    if len(cells) == len(header):
        return
    cut = not source.ends_in_newline and number == len(source.lines)
    raise DataError(
        f"{where}: {len(cells)} columns, expected {len(header)} ({', '.join(header)})"
        + ("; the file seems to be cut off here" if cut else "")
    )
