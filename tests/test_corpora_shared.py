"""One corpus for all jobs of a process, while its files say the same."""

import pytest

from bias_lab.corpora import load, load_corpus, shared_corpus
from bias_lab.errors import DataError


@pytest.fixture(autouse=True)
def nothing_is_shared_yet(monkeypatch):
    monkeypatch.setattr(load, "_shared", {})


def test_it_is_the_corpus_that_would_be_loaded_and_expanded_once():
    one = shared_corpus("black_white_en")
    assert shared_corpus("black_white_en") is one
    assert one.digest == load_corpus("black_white_en").digest
    assert load_corpus("black_white_en") is not one
    assert shared_corpus("arab_anglo_en") is not one


def test_a_changed_definition_is_another_corpus(tmp_path):
    mine = tmp_path / "mine.yaml"
    for names in ("[Ann, Eve]", "[Ann, Eva]", "[Eva, Ann]"):
        mine.write_text(
            "extends: black_white_en\nname: mine\npersons:\n"
            "  - {race: African-American, gender: male, names: [Bob]}\n"
            f"  - {{race: European, gender: female, names: {names}}}\n",
            encoding="utf-8",
        )
        expected = load_corpus("mine", search=[tmp_path])
        assert shared_corpus("mine", search=[tmp_path]).table.equals(expected.table)
    assert len(load._shared) == 3


def test_a_changed_csv_file_is_read_again(tmp_path):
    file = tmp_path / "mine.csv"
    settings = {"kind": "csv", "path": str(file), "language": "en", "factors": {"gender": {"reference": "male"}}}
    for names in (("Ann", "Bob"), ("Eve", "Bob")):
        rows = [f"{name} is here.,{name},{gender}" for name, gender in zip(names, ("female", "male"), strict=True)]
        file.write_text("\n".join(["sentence,person,gender", *rows]) + "\n", encoding="utf-8")
        one = shared_corpus(settings)
        assert tuple(one.table["person"]) == names
        assert shared_corpus(settings) is one
    file.unlink()
    with pytest.raises(DataError, match="cannot read this corpus"):
        shared_corpus(settings)


def test_what_is_too_big_is_not_kept(monkeypatch):
    size = len(load_corpus("black_white_en").table)
    monkeypatch.setattr(load, "MOST_SHARED_ROWS", size)
    one = shared_corpus("black_white_en")
    assert shared_corpus("black_white_en") is one
    shared_corpus("arab_anglo_en")  # as big; takes its place
    assert shared_corpus("black_white_en") is not one
    monkeypatch.setattr(load, "MOST_SHARED_ROWS", size - 1)
    load._shared.clear()
    assert shared_corpus("black_white_en") is not shared_corpus("black_white_en")
