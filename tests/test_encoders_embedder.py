import numpy as np
import pytest

from bias_lab.encoders.embedder import Embedder
from bias_lab.encoders.frozen import FrozenEncoder
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


def test_it_describes_checkpoint_cleaning_and_cache(tiny_checkpoint, tmp_path):
    found = embedder(tiny_checkpoint, tmp_path, prefix="query: ")
    found(["calm", "calm"])
    told = found.describe()
    assert told["checkpoint"].startswith("folder:")
    assert told["cleaning"] == Cleaning().as_dict()
    assert told["prefix"] == "query: "
    assert {key: told["cache"][key] for key in ("hits", "encoded")} == {"hits": 0, "encoded": 1}
