import numpy as np

from bias_lab.encoders.key_index import KeyIndex
from bias_lab.encoders.shards import KEY, text_key, text_keys


def test_it_finds_what_a_dict_finds_however_it_was_added():
    rng = np.random.default_rng(0)
    keys = text_keys([f"text {i}" for i in range(5000)])
    index, referee, row = KeyIndex(), {}, 0
    for size in (1, 3000, 0, 10, 500):
        added = keys[rng.integers(0, len(keys), size)]
        index.add(added)
        for key in added.tolist():
            referee.setdefault(key, row)
            row += 1
        asked = keys[rng.integers(0, len(keys), 2000)]
        assert index.find(asked).tolist() == [referee.get(key, -1) for key in asked.tolist()]


def test_keys_that_end_in_zeros_are_told_apart():
    raw = [b"k" * 15 + b"\0", b"k" * 14 + b"\0\0", b"k" * 14 + b"\0\1", b"\0" * 16]
    keys = np.frombuffer(b"".join(raw), dtype=KEY)
    index = KeyIndex()
    index.add(keys[[0, 2]])
    assert index.find(keys).tolist() == [0, -1, 1, -1]
    index.add(keys[[3, 1]])
    assert index.find(keys).tolist() == [0, 3, 1, 2]


def test_nothing_is_found_in_nothing():
    assert KeyIndex().find(text_keys(["a"])).tolist() == [-1]


def test_a_key_is_the_digest_of_the_exact_string():
    texts = ["a", "a ", "", "\ud83d"]
    assert text_keys(texts).astype(KEY).tobytes() == b"".join(text_key(text) for text in texts)
    assert len(set(text_keys(texts).tolist())) == 4
