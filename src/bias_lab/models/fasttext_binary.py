"""fastText models: loading a .bin file safely, training one on the spot, vectors of words from it."""

import mmap
import struct
import tempfile
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bias_lab.errors import ModelError

_MAGIC = 793_712_314
# magic, version, 12 arguments and t; then dictionary: entries, words, labels, tokens, pruned entries.
_HEADER = struct.Struct("<14id")
_DICTIONARY = struct.Struct("<3i2q")
_MATRIX = struct.Struct("<2q")
_ENTRY_TAIL = 9  # after a word's closing zero: its count (8 bytes) and its kind (1 byte)


class BinaryVectors:
    """Vectors of a loaded fastText model: the mean of the rows of a word and its subwords (Bojanowski et al. 2017).

    An unseen word has subwords only, and no vector where the model has no subwords. A word that is not in the
    dictionary as written is looked for in lower case before that; with `lowercase` (for a model trained on lower-case
    words) every word is lower-cased.
    """

    def __init__(self, model: Any, *, lowercase: bool = False) -> None:
        self._model = model
        self._lowercase = lowercase

    @property
    def dim(self) -> int:
        """Values per word."""
        return int(self._model.get_dimension())

    @property
    def size(self) -> int:
        """Words of the dictionary."""
        return len(self._model.get_words(on_unicode_error="replace"))

    def look_up(self, words: Iterable[str]) -> dict[str, NDArray[np.float32]]:
        """Vectors float32 (dim,) by word."""
        rows = {word: self._model.get_subwords(self._spelling(word), "replace")[1] for word in words}
        return {word: self._average(numbers) for word, numbers in rows.items() if len(numbers)}

    def in_vocabulary(self, word: str) -> bool:
        """Whether the dictionary has the word itself."""
        return bool(self._model.get_word_id(self._spelling(word)) >= 0)

    def _average(self, rows: NDArray[Any]) -> NDArray[np.float32]:
        # Not `get_word_vector`, which fasttext-community scales to length 1: that is neither what fastText itself
        # gives nor what a .vec file of the same model holds.
        average: NDArray[np.float32] = np.mean([self._model.get_input_vector(int(row)) for row in rows], axis=0)
        return average

    def _spelling(self, word: str) -> str:
        word = word.encode("utf-8", "replace").decode()  # a lone surrogate cannot be handed to fastText
        lower = word.lower()
        as_written = not self._lowercase and (self._model.get_word_id(word) >= 0 or self._model.get_word_id(lower) < 0)
        return word if as_written else lower


def load_binary(path: Path) -> Any:
    """Load a fastText model from its .bin file, whole into memory.

    Raises:
        ModelError: it is not a fastText model, or cut off (fastText itself would read such a file without complaint).
    """
    import fasttext

    try:
        expected = _expected_size(path)
    except (struct.error, ValueError) as error:
        raise ModelError(f"{path}: the fastText model is cut off or damaged ({error}); get the file again") from error
    size = path.stat().st_size
    if expected is not None and size != expected:
        raise ModelError(
            f"{path}: the fastText model is cut off or damaged: {size} bytes instead of {expected}; get the file again"
        )
    try:
        return fasttext.load_model(str(path))
    except (ValueError, RuntimeError, MemoryError) as error:
        raise ModelError(f"{path}: fastText cannot load the model ({error})") from error


def _expected_size(path: Path) -> int | None:
    """The size that a .bin file's own tables ask for; None for a compressed (quantized) model."""
    with path.open("rb") as stream:
        head = stream.read(_HEADER.size)
        if len(head) < 4 or struct.unpack_from("<i", head)[0] != _MAGIC:  # noqa: PLR2004
            raise ModelError(f"{path}: not a fastText model; a .bin of word2vec or another tool cannot be used")
        with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
            entries, _, _, _, pruned = _DICTIONARY.unpack_from(data, _HEADER.size)
            position = _HEADER.size + _DICTIONARY.size
            for _ in range(entries):
                end = data.find(b"\0", position)
                if end < 0:
                    raise ValueError("its dictionary has no end")
                position = end + 1 + _ENTRY_TAIL
            position += 8 * max(pruned, 0)
            for _ in ("input", "output"):
                if struct.unpack_from("<?", data, position)[0]:
                    return None
                rows, columns = _MATRIX.unpack_from(data, position + 1)
                position += 1 + _MATRIX.size + 4 * rows * columns
            return position


def train_binary(
    tokens: Sequence[Sequence[str]], *, dim: int, epochs: int, min_count: int, buckets: int, rng: np.random.RandomState
) -> bytes:
    """Train fastText's skip-gram model on n tokenized texts, in lower case, and give its .bin file's bytes.

    The same texts, options and state of `rng` give the same bytes: one thread, and the order of the texts comes from
    `rng` (fastText's Python interface takes no seed).

    Raises:
        ModelError: no word is left to learn from.
    """
    import fasttext

    lines = [" ".join(text).lower() for text in tokens]
    with tempfile.TemporaryDirectory() as folder:
        corpus, model_file = Path(folder, "corpus.txt"), Path(folder, "model.bin")
        shuffled = "\n".join(lines[row] for row in rng.permutation(len(lines)))
        corpus.write_text(shuffled + "\n", encoding="utf-8", errors="replace", newline="\n")
        try:
            model = fasttext.train_unsupervised(
                str(corpus),
                model="skipgram",
                dim=dim,
                epoch=epochs,
                minCount=min_count,
                minn=3,
                maxn=6,
                bucket=buckets,
                # fastText's 1e-4 is meant for billions of words; on some thousand it would drop most of them.
                t=1e-3,
                thread=1,
                verbose=0,
            )
        except (ValueError, RuntimeError) as error:
            raise ModelError(f"fastText cannot be trained on the {len(lines)} training texts ({error})") from error
        model.save_model(str(model_file))
        return model_file.read_bytes()


@lru_cache(maxsize=2)
def trained_vectors(model: bytes) -> BinaryVectors:
    """Vectors of a model that `train_binary` made."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.bin")
        path.write_bytes(model)
        return BinaryVectors(load_binary(path), lowercase=True)
