"""The long table of a corpus as a file."""

import json
from pathlib import Path

import pandas as pd

from bias_lab.corpora.corpus import Corpus
from bias_lab.errors import ConfigError, DataError
from bias_lab.files import write_atomic

FORMATS = (".csv", ".jsonl", ".parquet")


def export(corpus: Corpus, out: Path) -> None:
    """Write the long table: one row a sentence, what does not apply left empty (CSV) or null.

    The file appears in one step, complete. A CSV file can be read again as a corpus.

    Raises:
        ConfigError: The ending of `out` is none of .csv, .jsonl, .parquet.
        DataError: The file cannot be written.
    """
    suffix = out.suffix.lower()
    if suffix not in FORMATS:
        raise ConfigError(f"--out {out}: the ending must be one of {', '.join(FORMATS)}, got {suffix or 'none'!r}")
    if out.is_dir():
        raise ConfigError(f"--out {out}: is a folder; give a file")
    try:
        write_atomic(out, lambda part: _write(corpus.table, part, suffix))
    except OSError as error:
        raise DataError(f"--out {out}: cannot be written ({error.strerror or error})") from error


def _write(table: pd.DataFrame, path: Path, suffix: str) -> None:
    if suffix == ".csv":
        table.to_csv(path, index=False, encoding="utf-8", lineterminator="\n")
    elif suffix == ".parquet":
        table.to_parquet(path, index=False, engine="pyarrow")
    else:
        rows = table.astype(object).where(table.notna(), None).to_dict("records")
        lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
        path.write_text("".join(lines), encoding="utf-8", newline="\n")
