"""fastText word vectors from .vec, .vec.gz and .bin files, read as far as they are needed."""

import gzip
import io
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import IO, Protocol

import numpy as np
from numpy.typing import NDArray

from bias_lab.errors import ModelError
from bias_lab.models.fasttext_binary import BinaryVectors, load_binary

SUFFIXES = (".bin", ".vec", ".vec.gz")

Vector = NDArray[np.float32]


class WordVectors(Protocol):
    """Vectors of d numbers for words."""

    def look_up(self, words: Iterable[str]) -> dict[str, Vector]:
        """The vectors (d,) of those words that have one, by the word as asked for."""

    def in_vocabulary(self, word: str) -> bool:
        """Whether a word that was looked up before is in the file itself, not only put together from subwords."""

    @property
    def dim(self) -> int:
        """The number d."""

    @property
    def size(self) -> int:
        """Words that the file has; known after the first look-up."""


def check_vectors_path(path: str | Path) -> Path:
    """Give the path of a word-vector file if it can be one; nothing is read.

    Raises:
        ModelError: no such file, or a name that does not end in .bin, .vec or .vec.gz.
    """
    path = Path(path).expanduser()
    if not path.name.endswith(SUFFIXES):
        raise ModelError(f"{path}: word vectors must be a file that ends in {', '.join(SUFFIXES)}")
    if not path.is_file():
        raise ModelError(f"{path}: there is no such file of word vectors (looked in {path.absolute().parent})")
    return path


def open_vectors(path: str | Path) -> WordVectors:
    """Open a word-vector file; within a process, the file used last stays open with the words already looked up.

    Raises:
        ModelError: as `check_vectors_path`, and for a .bin file that is not fastText's or is cut off.
    """
    path = check_vectors_path(path).resolve()
    status = path.stat()
    return _open(path, status.st_size, status.st_mtime_ns)


# One file only: the published .bin files take 7 GB of memory each.
@lru_cache(maxsize=1)
def _open(path: Path, _size: int, _mtime_ns: int) -> WordVectors:
    return BinaryVectors(load_binary(path)) if path.suffix == ".bin" else TextVectors(path)


def average(tokens: Sequence[Sequence[str]], vectors: WordVectors) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Average the word vectors of each of n texts, as Câmara et al. (2022) do for fastText.

    Every occurrence of a token counts, a token without a vector does not. Unlike fastText's own `get_sentence_vector`,
    vectors keep their length and the end of the sentence adds no vector.

    Returns:
        The averages, float64 (n, d), zero for a text of which no token has a vector; and per text the number of its
        tokens that have one, int64 (n,).
    """
    found = vectors.look_up({token for text in tokens for token in text})
    pooled = np.zeros((len(tokens), vectors.dim))
    counts = np.zeros(len(tokens), dtype=np.int64)
    for row, text in enumerate(tokens):
        known = [found[token] for token in text if token in found]
        counts[row] = len(known)
        if known:
            pooled[row] = np.mean(known, axis=0, dtype=np.float64)
    return pooled, counts


class TextVectors:
    """A .vec or .vec.gz file: an optional line "words dim", then a line per word with its numbers.

    The published files have two million lines, so a look-up reads the file once as a stream and keeps the asked words
    only. A word is taken as written or else in lower case (some files are cased, others not); of a word with two lines
    the first counts. Every line is checked for its number of values and its encoding, the numbers of the words that
    are asked for.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._found: dict[bytes, Vector] = {}
        self._asked: set[bytes] = set()
        self._size = 0
        with _stream(path) as (_, dim, _):
            self._dim = dim

    @property
    def dim(self) -> int:
        """Values per word."""
        return self._dim

    @property
    def size(self) -> int:
        """Lines with a word; 0 before the first look-up, which counts them."""
        return self._size

    def look_up(self, words: Iterable[str]) -> dict[str, Vector]:
        """Vectors float32 (dim,) by word; words that the file lacks are left out.

        Raises:
            ModelError: a line that is not as described above, a file that ends too early.
        """
        words = list(words)
        wanted = {spelling for word in words for spelling in _spellings(word)} - self._asked
        if wanted:
            found, self._size = _scan(self._path, wanted)
            self._found |= found
            self._asked |= wanted
        return {word: self._found[spelling] for word in words if (spelling := self._spelling(word)) is not None}

    def in_vocabulary(self, word: str) -> bool:
        """Whether a word that was looked up is in the file."""
        return self._spelling(word) is not None

    def _spelling(self, word: str) -> bytes | None:
        return next((spelling for spelling in _spellings(word) if spelling in self._found), None)


def _spellings(word: str) -> tuple[bytes, ...]:
    # A lone surrogate has no UTF-8 form; "?" in its place matches no word of a file with real words.
    return tuple(spelling.encode("utf-8", "replace") for spelling in (word, word.lower()))


def _opened(path: Path) -> IO[bytes]:
    if path.suffix != ".gz":
        return path.open("rb")
    # GzipFile by itself gives lines several times slower than a buffer around it.
    return io.BufferedReader(gzip.open(path), 1 << 20)


@contextmanager
def _stream(path: Path) -> Iterator[tuple[IO[bytes], int, int | None]]:
    """Open a text file of vectors behind its header: the stream, values per word, words promised (None: no header)."""
    try:
        with _opened(path) as stream:
            first = stream.readline().removeprefix(b"\xef\xbb\xbf")
            fields = first.split()
            promised = int(fields[0]) if len(fields) == 2 and all(field.isdigit() for field in fields) else None  # noqa: PLR2004
            dim = len(fields) - 1 if promised is None else int(fields[1])
            if dim < 1:
                raise ModelError(
                    f"{path}, line 1: expected 'words dimension' or a word with numbers, got {first[:80]!r}"
                )
            if promised is None:
                stream.seek(0)
            yield stream, dim, promised
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ModelError(f"{path}: the gzip data are damaged or cut off ({error}); get the file again") from error


def _scan(path: Path, wanted: set[bytes]) -> tuple[dict[bytes, Vector], int]:
    """Read the whole file, checking each line: the vectors of the wanted words, and the number of words it has."""
    found: dict[bytes, Vector] = {}
    with _stream(path) as (stream, dim, promised):
        start = 1 if promised is None else 2
        number = start - 1
        for number, line in enumerate(stream, start):
            values = line.rstrip()
            # Counting blanks is several times faster than splitting; only odd lines are split.
            if values.count(b" ") != dim and len(values.split()) != dim + 1:
                _refuse_length(path, number, values, dim)
            word = values[: values.find(b" ")]
            if number == 1:
                word = word.removeprefix(b"\xef\xbb\xbf")
            if not word.isascii():
                _check_encoding(path, number, word)
            if word in wanted and word not in found:
                found[word] = _numbers(path, number, values, dim)
    words = number - start + 1
    if promised is not None and words != promised:
        raise ModelError(f"{path}: line 1 promises {promised} words, but the file has {words}; get the file again")
    return found, words


def _refuse_length(path: Path, number: int, values: bytes, dim: int) -> None:
    raise ModelError(
        f"{path}, line {number}: expected a word and {dim} numbers, got {max(len(values.split()) - 1, 0)} numbers"
    )


def _check_encoding(path: Path, number: int, word: bytes) -> None:
    try:
        word.decode()
    except UnicodeDecodeError as error:
        # fastText cuts very long words after a fixed number of bytes, within a letter if it comes so.
        if error.reason != "unexpected end of data":
            raise ModelError(f"{path}, line {number}: the word {word[:80]!r} is not UTF-8") from error


def _numbers(path: Path, number: int, values: bytes, dim: int) -> Vector:
    try:
        vector = np.array([float(value) for value in values.split()[1:]], dtype=np.float32)
    except ValueError as error:
        raise ModelError(f"{path}, line {number}: expected a word and {dim} numbers, but {error}") from error
    if not np.isfinite(vector).all():
        raise ModelError(f"{path}, line {number}: not all values are finite numbers")
    return vector
