import tracemalloc
from typing import ClassVar

import numpy as np
import pytest

from bias_lab.encoders.embedder import Embedder
from bias_lab.encoders.frozen import Encoded, FrozenEncoder
from bias_lab.text import Cleaning


def embedder(folder, root, *, cleaning=None, **options):
    return Embedder(FrozenEncoder(name_or_path=str(folder), **options), cleaning or Cleaning(), root)


def test_cached_texts_never_load_the_weights_or_the_tokenizer(tiny_checkpoint, tmp_path, monkeypatch):
    first = embedder(tiny_checkpoint, tmp_path)(["i am angry", "calm"])

    def refuse(*_args, **_kwargs):
        raise AssertionError("the transformer was loaded")

    monkeypatch.setattr("transformers.AutoModel.from_pretrained", refuse)
    monkeypatch.setattr("transformers.AutoTokenizer.from_pretrained", refuse)
    again = embedder(tiny_checkpoint, tmp_path)
    np.testing.assert_array_equal(again(["calm", "i am angry"]), first[::-1])
    assert (again.hits, again.encoded) == (2, 0)


def test_texts_that_clean_to_the_same_string_share_a_vector(tiny_checkpoint, tmp_path):
    found = embedder(tiny_checkpoint, tmp_path)
    vectors = found(["@user i am angry", "i am angry"])
    np.testing.assert_array_equal(vectors[0], vectors[1])
    assert found.encoded == 1


@pytest.mark.parametrize(
    "change",
    [
        {"prefix": "query: "},
        {"cleaning": Cleaning(mentions="keep")},
        {"cleaning": Cleaning(entities=False)},
        {"cleaning": Cleaning(newlines=False)},
        {"cleaning": Cleaning(unicode="NFKC")},
        {"cleaning": Cleaning(arabic=("hamza",))},
        {"pooling": "mean"},
        {"layer": 1},
        {"max_length": 4},
        {"dtype": "bfloat16"},
    ],
)
def test_whatever_changes_the_input_or_the_encoder_is_a_miss(tiny_checkpoint, tmp_path, change):
    text = "@user i &amp; i\\nam angry ａ أ"
    embedder(tiny_checkpoint, tmp_path)([text])
    changed = embedder(tiny_checkpoint, tmp_path, **change)
    changed([text])
    assert (changed.hits, changed.encoded) == (0, 1)


class WideEncoder:
    """Stands for an encoder: vectors (n, 256) that tell their text, and the texts of each call."""

    identity: ClassVar = {"checkpoint": "wide"}
    name_or_path = "wide"

    def __init__(self):
        self.calls = []

    def model_input(self, text):
        return text

    def encode(self, texts):
        self.calls.append(list(texts))
        numbers = np.array([int(text.split()[-1]) for text in texts], dtype=np.float32)
        counts = np.ones(len(texts), dtype=np.int32)
        return Encoded(np.repeat(numbers[:, None], 256, axis=1), counts, counts * 0)


def test_blocks_are_the_whole_bit_for_bit(tiny_checkpoint, tmp_path, monkeypatch):
    texts = [f"{a} {b}" for a in ("i am", "what a", "so very", "@user") for b in ("angry", "calm", "sad !", "zzz")] * 2
    whole = embedder(tiny_checkpoint, tmp_path / "whole")(texts)
    monkeypatch.setattr("bias_lab.encoders.embedder.BLOCK_ROWS", 5)
    found = embedder(tiny_checkpoint, tmp_path / "whole")
    blocks = list(found.blocks(texts))
    assert [len(block) for block in blocks] == [5] * 6 + [2]
    np.testing.assert_array_equal(np.concatenate(blocks), whole)
    fresh = embedder(tiny_checkpoint, tmp_path / "blocks")
    # Encoded by blocks, a text has other batch mates: a few units in the last place of float32.
    np.testing.assert_allclose(np.concatenate(list(fresh.blocks(texts))), whole, atol=1e-5)
    assert (fresh.encoded, found.encoded) == (16, 0)
    assert fresh.counts(texts) == found.counts(texts) == (88, 8)


def test_a_long_corpus_takes_the_memory_of_a_block(tmp_path, monkeypatch):
    monkeypatch.setattr("bias_lab.encoders.embedder.BLOCK_ROWS", 2000)
    monkeypatch.setattr("bias_lab.encoders.cache.SHARD_ROWS", 1000)
    encoder, texts = WideEncoder(), [f"text {i}" for i in range(20_000)] * 2
    found = Embedder(encoder, Cleaning(), tmp_path)
    tracemalloc.start()
    try:
        sums = [float(block[:, 0].sum(dtype=np.float64)) for block in found.blocks(texts)]
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert sum(sums) == 20_000 * 19_999
    assert [len(call) for call in encoder.calls] == [1000] * 20
    # All vectors are 41 MB; a block is 2, and the texts, keys and a shard that is written are as much again and more.
    assert most < 12e6
    assert found.encoded == 20_000


def test_no_texts_are_refused(tiny_checkpoint, tmp_path):
    with pytest.raises(ValueError, match="at least one text"):
        list(embedder(tiny_checkpoint, tmp_path).blocks([]))


def test_it_describes_checkpoint_cleaning_and_cache(tiny_checkpoint, tmp_path):
    found = embedder(tiny_checkpoint, tmp_path, prefix="query: ")
    found(["calm", "calm"])
    told = found.describe()
    assert told["checkpoint"].startswith("folder:")
    assert told["cleaning"] == Cleaning().as_dict()
    assert told["prefix"] == "query: "
    assert {key: told["cache"][key] for key in ("hits", "encoded")} == {"hits": 0, "encoded": 1}
