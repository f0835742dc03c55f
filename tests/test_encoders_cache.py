import logging
import mmap
import multiprocessing
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from bias_lab.encoders.cache import EmbeddingCache, open_cache
from bias_lab.encoders.frozen import Encoded
from bias_lab.encoders.shards import text_key
from bias_lab.errors import ConfigError

IDENTITY = {"format": 1, "checkpoint": "folder:abc", "pooling": "cls"}


class FakeEncoder:
    """Vectors that tell their text apart, and a record of what was encoded."""

    def __init__(self):
        self.calls = []

    def __call__(self, texts):
        self.calls.append(list(texts))
        vectors = np.array([np.frombuffer(text_key(text), dtype=np.uint8)[:4] for text in texts], dtype=np.float32)
        lengths = np.array([len(text) for text in texts], dtype=np.int32)
        return Encoded(vectors, lengths, lengths * 0)


def expected(texts):
    return FakeEncoder()(texts).vectors


def test_each_distinct_text_is_encoded_once_and_given_back_in_order(tmp_path):
    encode = FakeEncoder()
    found = EmbeddingCache(tmp_path, IDENTITY).get(["b", "a", "b", "ccc"], encode)
    assert [sorted(call) for call in encode.calls] == [["a", "b", "ccc"]]
    np.testing.assert_array_equal(found.vectors, expected(["b", "a", "b", "ccc"]))
    assert found.tokens.tolist() == [1, 1, 1, 3]
    assert (found.hits, found.encoded) == (0, 3)


def test_a_new_process_finds_what_was_written_and_encodes_the_rest(tmp_path):
    EmbeddingCache(tmp_path, IDENTITY).get(["a", "b"], FakeEncoder())
    encode = FakeEncoder()
    found = EmbeddingCache(tmp_path, IDENTITY).get(["b", "c", "a"], encode)
    assert encode.calls == [["c"]]
    assert (found.hits, found.encoded) == (2, 1)
    np.testing.assert_array_equal(found.vectors, expected(["b", "c", "a"]))


def test_vectors_are_memory_mapped_and_read_only(tmp_path):
    cache = EmbeddingCache(tmp_path, IDENTITY)
    cache.get(["a"], FakeEncoder())
    vectors = cache._shards[0].map()["vectors"]
    assert isinstance(vectors.base.base.obj, mmap.mmap)
    assert not vectors.flags.writeable


def test_another_encoder_identity_is_a_miss(tmp_path):
    EmbeddingCache(tmp_path, IDENTITY).get(["a"], FakeEncoder())
    for key, value in {"format": 2, "checkpoint": "folder:abd", "pooling": "mean"}.items():
        encode = FakeEncoder()
        EmbeddingCache(tmp_path, {**IDENTITY, key: value}).get(["a"], encode)
        assert encode.calls == [["a"]], key


@pytest.mark.parametrize("damage", ["truncate", "flip", "swap", "empty"])
def test_a_damaged_file_is_set_aside_and_its_texts_are_encoded_again(tmp_path, damage, caplog):
    cache = EmbeddingCache(tmp_path, IDENTITY)
    cache.get(["a", "b"], FakeEncoder())
    (shard,) = cache.folder.glob("*.safetensors")
    content = shard.read_bytes()
    damaged = {
        "truncate": content[:-1],
        "flip": content[:-1] + bytes([content[-1] ^ 1]),
        "swap": b"".join([content[8:], content[:8]]),
        "empty": b"",
    }[damage]
    shard.write_bytes(damaged)
    os.utime(shard, ns=(1, 1))
    encode = FakeEncoder()
    with caplog.at_level(logging.WARNING):
        found = EmbeddingCache(tmp_path, IDENTITY).get(["a", "b"], encode)
    np.testing.assert_array_equal(found.vectors, expected(["a", "b"]))
    assert sorted(encode.calls[0]) == ["a", "b"]
    assert f"embedding cache file {shard} is damaged" in caplog.text
    assert shard.with_suffix(".damaged").read_bytes() == damaged


def test_a_file_of_another_encoder_is_not_read(tmp_path, caplog):
    one, other = EmbeddingCache(tmp_path, IDENTITY), EmbeddingCache(tmp_path, {**IDENTITY, "pooling": "mean"})
    one.get(["a"], FakeEncoder())
    (shard,) = one.folder.glob("*.safetensors")
    other.folder.mkdir(parents=True)
    (other.folder / shard.name).write_bytes(shard.read_bytes())
    encode = FakeEncoder()
    other.get(["a"], encode)
    assert encode.calls == [["a"]]
    assert "belongs to another encoder" in caplog.text


def test_what_a_killed_writer_left_is_neither_read_nor_kept(tmp_path):
    script = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from bias_lab.encoders import cache, shards\n"
        "shards.publish = lambda part, target: os._exit(9)\n"
        "sys.path.insert(0, sys.argv[2])\n"
        "from test_encoders_cache import FakeEncoder, IDENTITY\n"
        "cache.EmbeddingCache(Path(sys.argv[1]), IDENTITY).get(['a'], FakeEncoder())\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path), Path(__file__).parent], check=False)
    cache = EmbeddingCache(tmp_path, IDENTITY)
    assert done.returncode == 9
    assert len(list(cache.folder.glob(".*.part"))) == 1
    encode = FakeEncoder()
    cache.get(["a"], encode)
    assert encode.calls == [["a"]]
    assert list(cache.folder.glob(".*.part")) == []


def fill(root, number):
    """One of several processes that want overlapping texts at once; returns how many it encoded."""
    texts = [f"text {i}" for i in range(number, number + 200)]
    found = EmbeddingCache(root, IDENTITY).get(texts, FakeEncoder())
    np.testing.assert_array_equal(found.vectors, expected(texts))
    return found.encoded


def test_processes_that_fill_the_cache_at_once_encode_each_text_once(tmp_path):
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        encoded = pool.starmap(fill, [(tmp_path, number) for number in (0, 50, 100)])
    assert sum(encoded) == 300


def test_large_sets_are_written_in_shards(tmp_path, monkeypatch):
    monkeypatch.setattr("bias_lab.encoders.cache.SHARD_ROWS", 3)
    texts = [f"text {i}" for i in range(10)]
    cache = EmbeddingCache(tmp_path, IDENTITY)
    found = cache.get(texts, FakeEncoder())
    assert len(list(cache.folder.glob("*.safetensors"))) == 4
    np.testing.assert_array_equal(found.vectors, expected(texts))


def test_rows_of_many_shards_come_back_in_the_order_asked(tmp_path, monkeypatch):
    monkeypatch.setattr("bias_lab.encoders.cache.SHARD_ROWS", 7)
    texts = [f"text {i}" for i in range(300)]
    for start in range(0, 300, 50):
        EmbeddingCache(tmp_path, IDENTITY).get(texts[start : start + 50], FakeEncoder())
    asked = [texts[i] for i in np.random.default_rng(0).integers(0, 300, 1000)]
    cache, encode = EmbeddingCache(tmp_path, IDENTITY), FakeEncoder()
    found = cache.get(asked, encode)
    np.testing.assert_array_equal(found.vectors, expected(asked))
    assert found.tokens.tolist() == [len(text) for text in asked]
    assert encode.calls == []
    assert len(cache._shards) == 6 * 8


def test_counts_can_be_had_without_vectors(tmp_path):
    cache = EmbeddingCache(tmp_path, IDENTITY)
    found = cache.get(["a", "ccc"], FakeEncoder(), vectors=False)
    assert found.vectors.shape == (2, 0)
    assert found.tokens.tolist() == [1, 3]
    assert cache.get(["ccc"], FakeEncoder()).vectors.shape == (1, 4)


def test_no_damage_of_a_byte_gives_another_vector(tmp_path, caplog):
    texts = ["a", "b", "ccc"]
    cache = EmbeddingCache(tmp_path, IDENTITY)
    cache.get(texts, FakeEncoder())
    (shard,) = cache.folder.glob("*.safetensors")
    content = shard.read_bytes()
    for position in range(0, len(content), 5):
        for path in cache.folder.glob("*.*"):
            path.unlink()
        shard.write_bytes(content[:position] + bytes([content[position] ^ 4]) + content[position + 1 :])
        encode = FakeEncoder()
        found = EmbeddingCache(tmp_path, IDENTITY).get(texts, encode)
        np.testing.assert_array_equal(found.vectors, expected(texts))
        assert found.tokens.tolist() == [1, 1, 3]
        assert encode.calls, position
        assert shard.with_suffix(".damaged").is_file(), position


def test_a_file_is_read_through_only_before_it_is_used(tmp_path, monkeypatch, caplog):
    for text in ("a", "b"):
        EmbeddingCache(tmp_path, IDENTITY).get([text], FakeEncoder())
    read = []
    monkeypatch.setattr("bias_lab.encoders.shards.sha256_of", lambda path: read.append(path) or path.stem)
    cache = EmbeddingCache(tmp_path, IDENTITY)
    for _ in range(2):
        cache.get(["b"], FakeEncoder())
    assert len(read) == 1
    cache.get(["a", "b"], FakeEncoder())
    assert len(set(read)) == len(read) == 2


def test_damage_while_the_cache_is_open_is_noticed(tmp_path, caplog):
    cache = EmbeddingCache(tmp_path, IDENTITY)
    cache.get(["a", "b"], FakeEncoder())
    (shard,) = cache.folder.glob("*.safetensors")
    content = shard.read_bytes()
    shard.write_bytes(content[:200] + bytes([content[200] ^ 1]) + content[201:])
    os.utime(shard, ns=(1, 1))
    encode = FakeEncoder()
    np.testing.assert_array_equal(cache.get(["a", "b"], encode).vectors, expected(["a", "b"]))
    assert sorted(encode.calls[0]) == ["a", "b"]
    assert "is damaged (its content does not fit its name); its texts are encoded again" in caplog.text


def test_an_open_cache_sees_what_others_write_and_remove(tmp_path):
    cache, other = EmbeddingCache(tmp_path, IDENTITY), EmbeddingCache(tmp_path, IDENTITY)
    cache.get(["a"], FakeEncoder())
    other.get(["b"], FakeEncoder())
    encode = FakeEncoder()
    np.testing.assert_array_equal(cache.get(["b", "a"], encode).vectors, expected(["b", "a"]))
    assert encode.calls == []
    shutil.rmtree(cache.folder)
    np.testing.assert_array_equal(cache.get(["b", "a"], encode).vectors, expected(["b", "a"]))
    assert sorted(encode.calls[0]) == ["a", "b"]


def test_a_process_opens_the_cache_of_an_encoder_once(tmp_path, monkeypatch):
    cache = open_cache(tmp_path, IDENTITY)
    monkeypatch.chdir(tmp_path)
    assert open_cache(tmp_path, dict(IDENTITY)) is cache
    assert open_cache(Path(), IDENTITY) is cache
    assert open_cache(tmp_path, {**IDENTITY, "pooling": "mean"}) is not cache
    assert open_cache(tmp_path / "other", IDENTITY) is not cache


def test_a_cache_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        EmbeddingCache(tmp_path / "file", IDENTITY).get(["a"], FakeEncoder())
    folder = EmbeddingCache(tmp_path / "file", IDENTITY).folder
    assert str(caught.value) == (
        f"cache_dir: embeddings cannot be kept in {folder} (Not a directory); "
        "set cache_dir=FOLDER or $BIAS_LAB_CACHE to a folder that can be written"
    )


def test_no_pickle_is_involved(tmp_path):
    cache = EmbeddingCache(tmp_path, IDENTITY)
    cache.get(["a"], FakeEncoder())
    suffixes = {path.suffix for path in cache.folder.iterdir() if path.name != ".lock"}
    assert suffixes == {".safetensors", ".json"}
