"""Splits and tasks check themselves; scores are read strictly."""

import numpy as np
import pytest

from bias_lab.data.reading import decode, read_source
from bias_lab.data.task import Split, Task, parse_score
from bias_lab.errors import DataError

SPLIT = Split(texts=("a", "b"), scores=np.array([0.0, 1.0]), ids=("1", "2"))


def test_a_split_keeps_a_read_only_float64_copy():
    given = np.array([0, 1], dtype=np.int32)
    split = Split(texts=["a", "b"], scores=given, ids=["1", "2"])  # type: ignore[arg-type]
    given[0] = 9
    assert (split.texts, split.ids, split.scores.dtype, split.scores.tolist()) == (
        ("a", "b"),
        ("1", "2"),
        np.float64,
        [0.0, 1.0],
    )
    assert len(split) == 2
    with pytest.raises(ValueError, match="read-only"):
        split.scores[0] = 0.5


@pytest.mark.parametrize(
    ("texts", "scores", "ids", "message"),
    [
        ((), [], (), "a split is empty; it needs at least one text"),
        (
            ("a", "b"),
            [0.1],
            ("1", "2"),
            "a split has 2 texts, scores of shape (1,) and 2 ids; all three need the same length",
        ),
        (
            ("a",),
            [0.1],
            ("1", "2"),
            "a split has 1 texts, scores of shape (1,) and 2 ids; all three need the same length",
        ),
        (("a", "b"), [0.1, 1.2], ("1", "2"), "text '2' has the score 1.2; scores lie in [0, 1]"),
        (("a", "b"), [0.1, np.nan], ("1", "2"), "text '2' has the score nan; scores lie in [0, 1]"),
        (("a", "b"), [0.1, 0.2], ("1", "1"), "the id '1' occurs twice in a split; ids must be unique"),
    ],
)
def test_broken_splits(texts, scores, ids, message):
    with pytest.raises(DataError) as caught:
        Split(texts=texts, scores=np.array(scores), ids=ids)
    assert str(caught.value) == message


def test_a_task_needs_words():
    with pytest.raises(DataError) as caught:
        Task("t", "en", " ", SPLIT, SPLIT, SPLIT, files=())
    assert str(caught.value) == "a task's emotion is ' '; it must be a word, such as 'en' or 'joy'"


@pytest.mark.parametrize(("text", "score"), [("0", 0.0), ("1.000", 1.0), ("0.517", 0.517), ("1e-1", 0.1)])
def test_scores(text, score):
    assert parse_score(text, where="f") == score


@pytest.mark.parametrize("text", ["", "high", "0,5", "nan", "0_5"])
def test_scores_that_are_no_numbers(text):
    with pytest.raises(DataError) as caught:
        parse_score(text, where="f, line 2")
    assert str(caught.value) == (f"f, line 2: the score is {text!r}; expected a number from 0 to 1, such as 0.517")


@pytest.mark.parametrize("text", ["1.2", "-0.1", "inf"])
def test_scores_outside_the_range(text):
    with pytest.raises(DataError) as caught:
        parse_score(text, where="f, line 2")
    assert str(caught.value) == (f"f, line 2: the score is {text}, outside [0, 1]; rescale the scores to 0..1")


def test_lines_end_at_line_feeds_only():
    source = decode("\ufeffa\u2028b\r\nc\x85d\n\r\n\n".encode(), path="f")
    assert source.lines == ("a\u2028b", "c\x85d")
    assert source.content_sha256 == decode("a\u2028b\nc\x85d".encode(), path="g").content_sha256


def test_a_missing_file_and_a_folder(tmp_path):
    with pytest.raises(DataError) as caught:
        read_source(tmp_path / "none.tsv")
    assert str(caught.value) == f"{tmp_path / 'none.tsv'}: there is no such file"
    with pytest.raises(DataError) as caught:
        read_source(tmp_path)
    assert str(caught.value) == f"{tmp_path}: cannot be read (Is a directory)"
