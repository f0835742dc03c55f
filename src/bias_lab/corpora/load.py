"""Load a corpus by name, from a file, or from data that Hydra has composed."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bias_lab.corpora.corpus import Corpus
from bias_lab.corpora.csv_file import load_csv
from bias_lab.corpora.definition import parse_definition
from bias_lab.corpora.expand import expand
from bias_lab.corpora.node import choice, unknown
from bias_lab.corpora.source import Source, find, folders, list_corpora, read_yaml, resolve
from bias_lab.errors import ConfigError
from bias_lab.files import sha256_of

KINDS = ("generated", "csv")
MOST_SHARED_ROWS = 200_000


def load_corpus(corpus: str | Path | Mapping[str, Any], *, search: Sequence[Path] = ()) -> Corpus:
    """Load and expand a corpus.

    Args:
        corpus: A name such as `black_white_en`, the path of a corpus file (a Path, or a text with a slash or
            .yaml), or the file's data, still with its `extends`.
        search: The user's eec folders, looked in before the shipped one.

    Raises:
        ConfigError: No such corpus, or a mistake in its definition, told with file and key.
        DataError: A mistake in the rows of a CSV corpus, told with file and line.
    """
    return _load(_source(corpus, search))


def shared_corpus(corpus: str | Path | Mapping[str, Any], *, search: Sequence[Path] = ()) -> Corpus:
    """As `load_corpus`, but expanded once in this process for all who ask, while its files say the same.

    For the jobs of a sweep. As others have the same corpus, its table must not be changed. What is too big to be kept
    in memory is loaded each time.
    """
    source = _source(corpus, search)
    entries = source.node.mapping()
    csv = Path(entries["path"].text()).expanduser() if "path" in entries else None
    content = sha256_of(csv) if csv is not None and csv.is_file() else None
    # The order of keys counts: it is the order of factors and rows.
    key = repr((source.node.value, source.files, content))
    if key in _shared:
        return _shared[key]
    loaded = _load(source)
    if len(loaded.table) <= MOST_SHARED_ROWS:
        if len(loaded.table) + sum(len(other.table) for other in _shared.values()) > MOST_SHARED_ROWS:
            _shared.clear()
        _shared[key] = loaded
    return loaded


_shared: dict[str, Corpus] = {}  # by everything that decides what is in it


def _load(source: Source) -> Corpus:
    entries = source.node.mapping()
    kind = choice(entries.pop("kind"), "kind", KINDS) if "kind" in entries else KINDS[0]
    return load_csv(source) if kind == "csv" else _generate(source)


def _source(corpus: str | Path | Mapping[str, Any], search: Sequence[Path]) -> Source:
    if isinstance(corpus, Mapping):
        name = corpus.get("name")
        return resolve(corpus, origin=f"eec.corpora.{name}" if name else "eec.corpora", file=None, search=search)
    if isinstance(corpus, Path) or "/" in corpus or corpus.endswith((".yaml", ".yml")):
        path = Path(corpus).expanduser()
        if path.suffix not in (".yaml", ".yml"):
            raise ConfigError(
                f"{path}: is no corpus file (.yaml); a CSV is read with eec=csv eec.corpora.csv.path={path}, "
                f"in Python with load_corpus({{'kind': 'csv', 'path': ..., 'language': ...}})"
            )
        return resolve(read_yaml(path), origin=str(path), file=path, search=(*search, path.parent))
    if not (found := find(corpus, folders(search))):
        raise ConfigError(f"{unknown('corpus', corpus, [*list_corpora(search=search), 'csv'])}")
    raw = read_yaml(found)
    if raw.get("name") not in (None, corpus):
        raise ConfigError(f"{found}: name: must be the file's own name {corpus!r}, got {raw['name']!r}")
    return resolve(raw, origin=str(found), file=found, search=search)


def _generate(source: Source) -> Corpus:
    definition = parse_definition(source.node)
    return Corpus(
        name=definition.name,
        language=definition.language,
        factors=definition.factors,
        table=expand(definition),
        version=definition.version,
        licence=definition.licence,
        source=definition.source,
        verified_by_native_speaker=definition.verified_by_native_speaker,
        files=source.files,
    )
