"""A corpus as the command line names it: a shipped one, one of the user's folders, or a file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bias_lab.corpora.corpus import Corpus
from bias_lab.corpora.csv_table import read_table
from bias_lab.corpora.load import load_corpus
from bias_lab.corpora.source import find, folders
from bias_lab.errors import ConfigError, DataError

YAML = (".yaml", ".yml")
DELIMITERS = (",", ";", "\t")
# Frequent words by which the language of a CSV file is told; Arabic is told by its letters.
_FREQUENT = {
    "en": {"the", "a", "an", "with", "was", "feels", "made", "to", "my", "this", "has", "is", "in", "and"},
    "es": {"el", "la", "los", "con", "se", "una", "un", "mi", "me", "fue", "que", "del", "al", "de", "este", "esta"},
}
_GLOSS = ("sentence_en", "gloss")


@dataclass(frozen=True, eq=False)
class Opened:
    """A corpus with what the command line may want to say about it.

    Attributes:
        corpus: The corpus.
        guessed: Whether its language was guessed from its sentences.
        glosses: The English sentence beside each sentence of a CSV file, where it has them.
    """

    corpus: Corpus
    guessed: bool = False
    glosses: tuple[str, ...] | None = None


def open_corpus(
    text: str,
    *,
    language: str | None = None,
    factors: Mapping[str, str] | None = None,
    search: Sequence[Path] = (),
) -> Opened:
    """Load a corpus by name, from a corpus file (.yaml), or from a CSV file.

    Args:
        text: What the user wrote.
        language: The language of a CSV file; None to guess it.
        factors: Factor columns of a CSV file with their reference levels; none for race and gender.
        search: The user's eec folders.

    Raises:
        ConfigError: No such corpus, or an option that does not fit.
        DataError: The file is missing, or a row of it is wrong.
    """
    path = Path(text).expanduser()
    if path.suffix not in YAML and (path.is_file() or (path.suffix and not find(text, folders(search)))):
        return _open_csv(path, language, factors)
    if language or factors:
        raise ConfigError(f"{text}: --language and --factor are for CSV files; a corpus file states them itself")
    return Opened(load_corpus(path if path.suffix in YAML else text, search=search))


def is_defined(text: str, search: Sequence[Path]) -> bool:
    """Whether there is a corpus file of this name, sound or not; False for a CSV file."""
    path = Path(text).expanduser()
    return path.is_file() if path.suffix in YAML else find(text, folders(search)) is not None


def guess_language(sentences: Sequence[str]) -> str:
    """Guess `en`, `es` or `ar` from sentences; `und` (undetermined) where it is not clear.

    Arabic is told by its letters. English and Spanish are told by frequent words: one must have them in half the
    sentences at least, and twice as often as the other.
    """
    if not sentences:
        return "und"
    arabic = sum(any("\u0621" <= char <= "\u064a" for char in sentence) for sentence in sentences)
    if arabic * 2 > len(sentences):
        return "ar"
    words = [set(sentence.casefold().rstrip(".").split()) for sentence in sentences]
    hits = {language: sum(not frequent.isdisjoint(one) for one in words) for language, frequent in _FREQUENT.items()}
    best, other = sorted(hits, key=lambda language: hits[language], reverse=True)
    return best if hits[best] * 2 >= len(sentences) and hits[best] >= 2 * hits[other] else "und"


def _open_csv(path: Path, language: str | None, factors: Mapping[str, str] | None) -> Opened:
    delimiter = _delimiter(path)
    table = read_table(path, delimiter=delimiter)
    at = table.find("sentence", first=True)
    raw: dict[str, Any] = {"kind": "csv", "path": str(path), "delimiter": delimiter, "name": _name(path)}
    raw["language"] = language or guess_language(table.cells[at] if at >= 0 else [])
    if factors:
        raw["factors"] = {name: {"reference": reference} for name, reference in factors.items()}
    try:
        corpus = load_corpus(raw)
    except ConfigError as error:
        advice = "on the command line: --factor NAME=REFERENCE for each, such as --factor gender=male"
        raise ConfigError(f"{error} ({advice})") from error
    # The published files call the English gloss `sentence` as well; it stands behind the sentence.
    gloss = next((table.header.index(name) for name in _GLOSS if name in table.header), None)
    if gloss is None and table.header.count("sentence") == 2:  # noqa: PLR2004
        gloss = table.header.index("sentence", at + 1)
    return Opened(corpus, language is None, tuple(table.column(gloss)) if gloss is not None else None)


def _delimiter(path: Path) -> str:
    """Return the delimiter that the header has most of."""
    try:
        with path.open(encoding="utf-8-sig", errors="replace") as file:
            header = file.readline()
    except OSError as error:
        raise DataError(f"{path}: cannot read this corpus ({error.strerror})") from error
    return max(DELIMITERS, key=header.count)


def _name(path: Path) -> str:
    """Make a name from the file's that can be part of a file's name."""
    return "".join(char if char.isalnum() or char in "_-." else "_" for char in path.stem).lstrip("-.") or "corpus"
