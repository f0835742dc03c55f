import gzip
import struct

import fasttext
import numpy as np
import pytest

from bias_lab.errors import ModelError
from bias_lab.models.fasttext_binary import load_binary
from bias_lab.models.tokens import tokenize
from bias_lab.models.word_vectors import average, check_vectors_path, open_vectors
from vector_files import VECTORS, train, vec_text


@pytest.fixture
def vec(tmp_path):
    path = tmp_path / "small.vec"
    path.write_text(vec_text(VECTORS), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def model_bin(tmp_path_factory):
    return train(tmp_path_factory.mktemp("fasttext"))


def test_tokens_are_words_and_single_symbols():
    assert tokenize("I don't! 😊❤️ #joy أَنَا cafe\u0301\t:(") == [
        *("I", "don", "'", "t", "!", "😊", "❤", "#", "joy", "أَنَا", "cafe\u0301", ":", "(")
    ]


@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("end", [" \n", "\n", "\r\n"])
def test_text_files_give_the_vectors_as_written_else_in_lower_case(tmp_path, header, packed, end):
    path = tmp_path / ("v.vec.gz" if packed else "v.vec")
    content = vec_text(VECTORS, header=header, end=end).encode()
    path.write_bytes(gzip.compress(content) if packed else content)
    vectors = open_vectors(path)
    found = vectors.look_up(["Alonzo", "I", "i", "nobody"])
    assert (vectors.dim, vectors.size) == (3, 4)
    assert {word: tuple(vector) for word, vector in found.items()} == {
        "Alonzo": (3.0, 0.0, -3.0),
        "I": (0.5, 0.25, 0.0),
    }
    assert all(vector.dtype == np.float32 for vector in found.values())
    assert [vectors.in_vocabulary(word) for word in ("Alonzo", "I", "i")] == [True, True, False]


def test_words_asked_later_are_found_too_and_the_first_of_two_lines_counts(tmp_path):
    path = tmp_path / "v.vec"
    path.write_text("\ufeffa 1 2\nb 3 4\nb 5 6\nc\u00a0d 7 8", encoding="utf-8")
    vectors = open_vectors(path)
    assert list(vectors.look_up(["a"])) == ["a"]
    assert vectors.look_up(["b"])["b"].tolist() == [3, 4]
    assert vectors.look_up(["c\u00a0d", "a"])["c\u00a0d"].tolist() == [7, 8]


def test_a_file_is_not_read_again_for_words_that_were_asked_for(vec, monkeypatch):
    vectors = open_vectors(vec)
    vectors.look_up(["I", "nobody"])
    monkeypatch.setattr("bias_lab.models.word_vectors._scan", None)
    assert open_vectors(vec) is vectors
    assert list(vectors.look_up(["nobody", "I"])) == ["I"]


def test_a_file_that_changed_is_opened_anew(vec):
    assert open_vectors(vec).look_up(["I"])["I"].tolist() == [0.5, 0.25, 0.0]
    vec.write_text("I 1 2 3 4\n")
    assert open_vectors(vec).look_up(["I"])["I"].tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "{path}, line 1: expected 'words dimension' or a word with numbers, got b''"),
        (b"3 0\na\n", "{path}, line 1: expected 'words dimension' or a word with numbers, got b'3 0\\n'"),
        (b"2 3\nI 1 2 3\na 1 2\n", "{path}, line 3: expected a word and 3 numbers, got 2 numbers"),
        (b"I 1 2 3\na 1 2 3 4\n", "{path}, line 2: expected a word and 3 numbers, got 4 numbers"),
        (b"I 1 2 3\n\na 1 2 3\n", "{path}, line 2: expected a word and 3 numbers, got 0 numbers"),
        (b"3 2\nI 1 2\n", "{path}: line 1 promises 3 words, but the file has 1; get the file again"),
        (b"1 2\nI 1 2\na 1 2\n", "{path}: line 1 promises 1 words, but the file has 2; get the file again"),
        (
            b"1 2\nI 1 x2\n",
            "{path}, line 2: expected a word and 2 numbers, but could not convert string to float: b'x2'",
        ),
        (b"1 2\nI 1 nan\n", "{path}, line 2: not all values are finite numbers"),
        ("1 2\nni\u00f1o 1 2\n".encode("latin-1"), "{path}, line 2: the word b'ni\\xf1o' is not UTF-8"),
    ],
)
def test_malformed_text_files_are_refused_with_their_line(tmp_path, content, message):
    path = tmp_path / "v.vec"
    path.write_bytes(content)
    with pytest.raises(ModelError) as caught:
        open_vectors(path).look_up(["I"])
    assert str(caught.value) == message.format(path=path)


def test_utf_16_is_refused(tmp_path):
    path = tmp_path / "v.vec"
    path.write_text(vec_text(VECTORS), encoding="utf-16")
    with pytest.raises(ModelError, match=r"v\.vec, line \d: "):
        open_vectors(path).look_up(["I"])


def test_a_long_word_that_fasttext_cut_within_a_letter_does_no_harm(tmp_path):
    path = tmp_path / "v.vec"
    path.write_bytes(b"2 2\n" + "caf\u00e9".encode()[:-1] + b" 1 2\nI 3 4\n")
    assert open_vectors(path).look_up(["I"])["I"].tolist() == [3, 4]


@pytest.mark.parametrize("damage", ["cut", "flipped", "no gzip"])
def test_damaged_gzip_is_refused(tmp_path, damage):
    path = tmp_path / "v.vec.gz"
    packed = bytearray(
        gzip.compress(vec_text({f"w{i}": np.random.default_rng(i).normal(size=9) for i in range(99)}).encode())
    )
    if damage == "flipped":
        packed[-6] ^= 255  # of the checksum
    path.write_bytes({"cut": packed[: len(packed) // 2], "flipped": packed, "no gzip": b"I 1 2\n"}[damage])
    with pytest.raises(
        ModelError, match=r"v\.vec\.gz: the gzip data are damaged or cut off \(.+\); get the file again"
    ):
        open_vectors(path).look_up(["w1"])


def test_a_path_must_be_a_file_of_a_known_kind(tmp_path):
    with pytest.raises(ModelError) as caught:
        check_vectors_path(tmp_path / "glove.txt")
    assert str(caught.value) == f"{tmp_path}/glove.txt: word vectors must be a file that ends in .bin, .vec, .vec.gz"
    with pytest.raises(ModelError) as caught:
        check_vectors_path(tmp_path / "none.vec")
    assert str(caught.value) == f"{tmp_path}/none.vec: there is no such file of word vectors (looked in {tmp_path})"


def test_a_binary_gives_the_models_own_vectors_also_of_unseen_words(model_bin, capfd):
    referee = fasttext.load_model(str(model_bin))
    vectors = open_vectors(model_bin)
    found = vectors.look_up(["happy", "Happy", "Latisha", "\ud83d"])
    assert (vectors.dim, vectors.size) == (6, len(referee.get_words()))
    rows = referee.get_input_matrix()
    for word, spelling in {"happy": "happy", "Happy": "happy", "Latisha": "Latisha"}.items():
        by_hand = rows[referee.get_subwords(spelling)[1]].mean(axis=0)
        # The tolerance is of float32 sums.
        np.testing.assert_allclose(found[word], by_hand, rtol=1e-6)
        # fasttext-community scales its word vectors to length 1; the directions agree.
        np.testing.assert_allclose(by_hand / np.linalg.norm(by_hand), referee.get_word_vector(spelling), atol=1e-6)
        assert abs(np.linalg.norm(found[word]) - 1) > 0.1
    assert [vectors.in_vocabulary(word) for word in ("happy", "Happy", "Latisha")] == [True, True, False]
    assert capfd.readouterr() == ("", "")


def test_a_binary_without_subwords_has_no_vector_for_an_unseen_word(tmp_path):
    path = train(tmp_path, ["a b c"] * 9, maxn=0)
    model = fasttext.load_model(str(path))
    found = open_vectors(path).look_up(["a", "z"])
    assert list(found) == ["a"]
    np.testing.assert_allclose(found["a"], model.get_input_vector(model.get_word_id("a")))


@pytest.mark.parametrize("keep", [3, 40, 90, 400, -200, -1])
def test_a_binary_that_was_cut_off_is_refused(model_bin, tmp_path, keep):
    path = tmp_path / "cut.bin"
    path.write_bytes(model_bin.read_bytes()[:keep])
    with pytest.raises(ModelError, match=r"cut\.bin: (the fastText model is cut off or damaged|not a fastText model)"):
        load_binary(path)


def test_a_binary_with_bytes_too_many_or_of_another_tool_is_refused(model_bin, tmp_path):
    path = tmp_path / "m.bin"
    content = model_bin.read_bytes()
    path.write_bytes(content + b"x")
    with pytest.raises(ModelError) as caught:
        load_binary(path)
    assert str(caught.value) == (
        f"{path}: the fastText model is cut off or damaged: {len(content) + 1} bytes instead of {len(content)}; "
        "get the file again"
    )
    path.write_bytes(b"3000000 300\n</s> " + b"\0" * 100)
    with pytest.raises(ModelError, match=r"not a fastText model; a \.bin of word2vec or another tool cannot be used"):
        load_binary(path)
    path.write_bytes(content[:4] + struct.pack("<i", 99) + content[8:])
    with pytest.raises(ModelError, match="fastText cannot load the model"):
        load_binary(path)


def test_a_quantized_binary_can_be_used(tmp_path):
    rng = np.random.default_rng(0)
    words = [f"word{i}" for i in range(300)]
    lines = [f"__label__{i % 2} {' '.join(rng.choice(words, 5))}" for i in range(400)]
    (tmp_path / "corpus.txt").write_text("\n".join(lines) + "\n")
    model = fasttext.train_supervised(str(tmp_path / "corpus.txt"), dim=4, thread=1, verbose=0)
    model.quantize(str(tmp_path / "corpus.txt"), dsub=2, verbose=0)
    model.save_model(str(tmp_path / "q.bin"))
    referee = fasttext.load_model(str(tmp_path / "q.bin"))
    found = open_vectors(tmp_path / "q.bin").look_up(["word1"])["word1"]
    np.testing.assert_array_equal(found, referee.get_input_vector(referee.get_word_id("word1")))


# --- averages


def test_the_average_counts_every_occurrence_of_known_tokens(vec):
    pooled, counts = average([["I", "am", "am", "nobody"], ["nobody"], []], open_vectors(vec))
    # By hand: ((.5, .25, 0) + 2 (0, -1, 2)) / 3.
    np.testing.assert_allclose(pooled, [[0.5 / 3, -1.75 / 3, 4 / 3], [0, 0, 0], [0, 0, 0]], rtol=1e-7)
    assert pooled.dtype == np.float64
    assert counts.tolist() == [3, 0, 0]


def test_the_average_of_a_binary_is_that_of_its_word_vectors(model_bin):
    referee = fasttext.load_model(str(model_bin))
    rows = referee.get_input_matrix().astype(float)
    words = ("I", "am", "happy", "happy", "Latisha")
    by_hand = sum(rows[referee.get_subwords(word)[1]].mean(axis=0) for word in words) / 5
    pooled, counts = average([tokenize("I am happy happy Latisha")], open_vectors(model_bin))
    # The word vectors are float32.
    np.testing.assert_allclose(pooled[0], by_hand, rtol=1e-5, atol=1e-8)
    assert counts.tolist() == [5]
