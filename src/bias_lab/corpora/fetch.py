"""Get the five published corpora from their authors' public repository."""

import json
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from bias_lab.corpora.load import load_corpus
from bias_lab.data.download import download
from bias_lab.data.reading import read_source
from bias_lab.errors import BiasLabError, ConfigError, DataError
from bias_lab.files import write_atomic

LICENCE = (
    "The files are their authors' work. If you use them, cite:\n"
    "Câmara, Taneja, Azad, Allaway & Zemel (2022), Mapping the Multilingual Margins, LT-EDI; and\n"
    "Kiritchenko & Mohammad (2018), Examining Gender and Race Bias in Two Hundred Sentiment Analysis Systems, *SEM."
)


@dataclass(frozen=True)
class Fetched:
    """One file that is now in the folder.

    Attributes:
        path: Where it is.
        new: Whether it was put there now.
        verified: Whether its content is known to be the published one; without a checksum on record only its
            rows were counted.
    """

    path: Path
    new: bool
    verified: bool


def fetch(*, out: str | Path, url: str | None = None) -> list[Fetched]:
    """Put the published files into the folder `out`, all of them or none.

    Files that are there and as published stay. Downloads are kept in the cache (BIAS_LAB_CACHE, else the user's
    cache folder). A checksum covers the content alone: neither line ends nor a byte-order mark count.

    Args:
        out: The folder.
        url: Where the files are, with {file} for the file's name; None for the authors' repository.

    Raises:
        ConfigError: `url` has no {file}.
        DataError: No network, content other than the published one, or a folder that holds other files of these
            names or cannot be written.
    """
    url = url or _facts()["url"]
    if "{file}" not in url:
        raise ConfigError(f"--url {url}: must hold {{file}}, the place of the file's name")
    folder = Path(out).expanduser()
    ready = [name for name in _facts()["files"] if _is_ready(folder / name)]
    cached = {
        name: download(url.replace("{file}", name), by_hand=_by_hand())
        for name in _facts()["files"]
        if name not in ready
    }
    for name, path in cached.items():
        problem = _problem(name, path)
        if problem:
            path.unlink(missing_ok=True)  # or the next call would meet the same bad file again
            raise DataError(f"{url.replace('{file}', name)}: {problem}. Nothing was installed. {_by_hand()}")
    try:
        for name, path in cached.items():
            content = path.read_bytes()
            write_atomic(folder / name, partial(_write, content))
    except OSError as error:
        raise DataError(f"--out {folder}: cannot be written ({error.strerror or error})") from error
    return [
        Fetched(folder / name, new=name in cached, verified=fact["content_sha256"] is not None)
        for name, fact in _facts()["files"].items()
    ]


def _write(content: bytes, path: Path) -> None:
    path.write_bytes(content)


def _is_ready(path: Path) -> bool:
    if path.parent.exists() and not path.parent.is_dir():
        raise DataError(f"--out {path.parent}: is a file; give a folder")
    if not path.exists():
        return False
    if problem := _problem(path.name, path):
        raise DataError(f"{path}: {problem}; nothing was changed: remove it or give another --out")
    return True


def _problem(name: str, path: Path) -> str | None:
    """Say what is wrong with a file; None where it is the published one, as far as that is on record."""
    fact = _facts()["files"][name]
    try:
        if fact["content_sha256"] is not None:
            same = read_source(path).content_sha256 == fact["content_sha256"]
            return None if same else "its content is not the published one"
        corpus = load_corpus({"kind": "csv", "path": str(path), "language": fact["language"]})
    except BiasLabError as error:
        return f"is no such corpus ({error})"
    rows = len(corpus.table)
    return None if rows == fact["rows"] else f"has {rows} sentences; {fact['rows']} were published"


def _by_hand() -> str:
    return f"By hand: the files are in the folder eec of {_facts()['repository']}; put them into the folder --out."


@lru_cache(maxsize=1)
def _facts() -> dict[str, Any]:
    return json.loads(Path(__file__).with_name("eec_published.json").read_text(encoding="utf-8"))
