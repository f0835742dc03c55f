"""The shipped sample texts: format, splits, spread of the scores, and script of each language."""

import re
import statistics
import unicodedata
from collections import Counter
from importlib.resources import files
from itertools import pairwise

import pytest

EMOTIONS = ("anger", "fear", "joy", "sadness")
HEADER = ["id", "text", "split", *EMOTIONS]
SPLITS = {"train": 90, "dev": 30, "test": 30}
SCRIPTS = {"en": "LATIN", "es": "LATIN", "ar": "ARABIC"}
FOLDER = files("bias_lab") / "data" / "sample"

# Plain splitting on purpose: the project's reader must not hide a fault of the files.
RAW = {language: (FOLDER / f"{language}.tsv").read_bytes() for language in SCRIPTS}
TABLES = {language: [line.split("\t") for line in raw.decode().split("\n")] for language, raw in RAW.items()}

each_language = pytest.mark.parametrize("language", SCRIPTS)


def rows(language: str) -> list[dict[str, str]]:
    return [dict(zip(HEADER, cells, strict=True)) for cells in TABLES[language][1:-1]]


@each_language
def test_file_is_plain_tab_separated_text(language: str) -> None:
    raw, table = RAW[language], TABLES[language]
    assert not raw.startswith(b"\xef\xbb\xbf")
    assert b"\r" not in raw
    assert b'"' not in raw
    assert table[0] == HEADER
    assert table[-1] == [""], "the file ends with exactly one line end"
    assert {len(cells) for cells in table[:-1]} == {len(HEADER)}


@each_language
def test_rows_ids_and_splits(language: str) -> None:
    table = rows(language)
    assert [row["id"] for row in table] == [f"sample-{language}-{i:03d}" for i in range(1, 151)]
    assert Counter(row["split"] for row in table) == SPLITS


@each_language
def test_texts_are_distinct_and_short(language: str) -> None:
    texts = [row["text"] for row in rows(language)]
    # Only letters are compared: posts differing just in case, emoji or punctuation would leak across splits.
    assert len({"".join(filter(str.isalpha, text.casefold())) for text in texts}) == len(texts)
    assert [text for text in texts if not 5 <= len(text.split()) <= 25] == []
    assert [text for text in texts if text != unicodedata.normalize("NFC", text)] == []
    assert [text for text in texts if text != " ".join(text.split())] == []


@each_language
def test_texts_are_in_the_script_of_the_language(language: str) -> None:
    for row in rows(language):
        letters = [c for c in re.sub(r"@user|&amp;", "", row["text"]) if c.isalpha()]
        share = sum(unicodedata.name(c).startswith(SCRIPTS[language]) for c in letters) / len(letters)
        assert share > 0.95, row["id"]


@each_language
def test_texts_look_like_posts(language: str) -> None:
    texts = "\n".join(row["text"] for row in rows(language))
    assert "@user" in texts
    assert "&amp;" in texts
    assert re.search(r"#\w", texts)
    assert "😡" in texts
    assert re.search(r"(\w)\1\1\1", texts), "an elongated word"


@each_language
@pytest.mark.parametrize("emotion", EMOTIONS)
def test_scores_have_three_decimals_and_spread(language: str, emotion: str) -> None:
    table = rows(language)
    assert [row["id"] for row in table if not re.fullmatch(r"0\.\d{3}|1\.000", row[emotion])] == []
    for split in SPLITS:
        scores = [float(row[emotion]) for row in table if row["split"] == split]
        assert statistics.stdev(scores) > 0.15
        assert min(scores) <= 0.05
        assert max(scores) >= 0.75
        middle = [score for score in scores if 0.25 < score < 0.75]
        assert len(middle) >= len(scores) // 10, "not only weak and strong texts"


@each_language
def test_splits_are_balanced_and_mixed_in_the_file(language: str) -> None:
    table = rows(language)
    dominant = [max((float(row[emotion]), emotion) for emotion in EMOTIONS)[1] for row in table]
    for split, size in SPLITS.items():
        counts = Counter(d for d, row in zip(dominant, table, strict=True) if row["split"] == split)
        assert all(counts[emotion] >= 0.15 * size for emotion in EMOTIONS), (split, counts)
    # Shuffled rows of four about equal groups have around 110 changes, a file in blocks 3.
    assert sum(a != b for a, b in pairwise(dominant)) > 80
    assert {row["split"] for row in table[:30]} == set(SPLITS)


def test_readme_says_what_the_texts_are_not() -> None:
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert "Not a basis for findings" in text
    assert "one rater's judgement" in text
    assert "MIT" in text
