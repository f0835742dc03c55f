"""The shipped corpora: what each must be, and what the published ones were."""

import csv
import re
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

from bias_lab.corpora import Corpus, list_corpora, load_corpus
from bias_lab.corpora.corpus import COLUMNS_AFTER_FACTORS, COLUMNS_BEFORE_FACTORS

SHIPPED = tuple(list_corpora())
PERSONS, ITEMS = 60, 144
SENTENCE_ENDS = (".", "؟", "!", "?")
COMPARED = ["sentence", "person", "person_kind", "gender", "race", "emotion", "emotion_word"]


@pytest.fixture(scope="module", params=SHIPPED)
def corpus(request: pytest.FixtureRequest) -> Corpus:
    return load_corpus(request.param)


def test_english_corpora_ship() -> None:
    assert {"black_white_en", "latino_anglo_en", "arab_anglo_en"} <= set(list_corpora(language="en"))
    assert "csv" not in SHIPPED


def test_every_person_stands_in_every_item_once(corpus: Corpus) -> None:
    table = corpus.table
    assert not table.duplicated(["person", "item"]).any()
    assert table["person"].nunique() == PERSONS
    assert len(table) == PERSONS * table["item"].nunique()
    if corpus.language == "en":
        assert table["item"].nunique() == ITEMS


def test_sentences_are_clean(corpus: Corpus) -> None:
    for sentence in corpus.table["sentence"]:
        assert sentence == " ".join(sentence.split()), sentence
        assert sentence[0] == sentence[0].upper(), sentence
        assert sentence.endswith(SENTENCE_ENDS), sentence
        assert not re.search(r"[{}]|\s[.,?!]|\.\.", sentence), sentence


def test_table_keeps_the_contract(corpus: Corpus) -> None:
    table = corpus.table
    factors = [factor.name for factor in corpus.factors]
    assert list(table.columns) == [*COLUMNS_BEFORE_FACTORS, *factors, *COLUMNS_AFTER_FACTORS]
    assert all(isinstance(dtype, pd.StringDtype) for dtype in table.dtypes)
    assert set(table["eec"]) == {corpus.name}
    assert table["emotion"].isna().equals(table["emotion_word"].isna())
    names = table[table["person_kind"] == "name"]
    assert names[factors].notna().all(axis=None)
    assert names.groupby(factors)["person"].nunique().tolist() == [10] * 4
    assert table[table["person_kind"] == "noun_phrase"]["race"].isna().all()
    for factor in corpus.factors:
        assert set(table[factor.name].dropna()) == set(factor.levels)
        assert factor.reference in factor.levels


def test_emotions_are_balanced(corpus: Corpus) -> None:
    emotions = corpus.table[["item", "emotion"]].drop_duplicates()["emotion"]
    assert set(emotions.dropna()) == {"anger", "fear", "joy", "sadness"}
    if corpus.language == "en":
        assert emotions.value_counts(dropna=False).tolist() == [35, 35, 35, 35, 4]


def test_metadata_is_there(corpus: Corpus) -> None:
    assert corpus.version and corpus.licence and corpus.source
    assert corpus.verified_by_native_speaker is False
    assert corpus.files[0].name == f"{corpus.name}.yaml"
    assert corpus.files[0].read_text().startswith(f"# @package eec.corpora.{corpus.name}\n")


def test_loading_twice_gives_the_same_rows_and_digest(corpus: Corpus) -> None:
    again = load_corpus(corpus.name)
    pd.testing.assert_frame_equal(again.table, corpus.table)
    assert again.digest == corpus.digest


def test_rows_are_ordered_by_template_word_and_person() -> None:
    table = load_corpus("black_white_en").table
    assert table["template"].drop_duplicates().tolist() == [str(number) for number in range(1, 12)]
    assert table["item"].drop_duplicates().tolist()[:2] == ["1:angry", "1:annoyed"]
    assert table["item"].tolist()[-1] == "11"
    assert table["person"].tolist()[:2] == ["Nichelle", "Shereen"]
    assert table["person"].tolist()[:PERSONS] * ITEMS == table["person"].tolist()


WRITTEN_BY_HAND = {
    "1:angry": ("{} feels angry.", "subject"),
    "2:terrified": ("The situation makes {} feel terrified.", "object"),
    "3:glad": ("I made {} feel glad.", "object"),
    "4:sad": ("{} made me feel sad.", "subject"),
    "5:annoying": ("{} found {self} in an annoying situation.", "subject"),
    "5:grim": ("{} found {self} in a grim situation.", "subject"),
    "6:great": ("{} told us all about the recent great events.", "subject"),
    "7:shocking": ("The conversation with {} was shocking.", "object"),
    "8": ("I saw {} in the market.", "object"),
    "9": ("I talked to {} yesterday.", "object"),
    "10": ("{} goes to the school in our neighborhood.", "subject"),
    "11": ("{} has two children.", "subject"),
}
PEOPLE = {  # person: at the start of a sentence, inside it, reflexive
    "she": ("She", "her", "herself"),
    "he": ("He", "him", "himself"),
    "Latoya": ("Latoya", "Latoya", "herself"),
    "Adam": ("Adam", "Adam", "himself"),
    "this woman": ("This woman", "this woman", "herself"),
    "my dad": ("My dad", "my dad", "himself"),
}


@pytest.mark.parametrize("person", PEOPLE)
def test_english_sentences_written_by_hand(person: str) -> None:
    table = load_corpus("black_white_en").table
    sentences = table[table["person"] == person].set_index("item")["sentence"]
    subject, obj, reflexive = PEOPLE[person]
    for item, (pattern, case) in WRITTEN_BY_HAND.items():
        expected = pattern.replace("{self}", reflexive).format(subject if case == "subject" else obj)
        assert sentences[item] == expected


def _rows(table: pd.DataFrame) -> Counter[tuple[str, ...]]:
    return Counter(table[COMPARED].fillna("").itertuples(index=False, name=None))


def _published(folder: Path, name: str, language: str) -> pd.DataFrame:
    path = folder / "data" / "eec_published" / f"{name}.csv"
    return load_corpus({"kind": "csv", "path": str(path), "language": language}).table


def test_black_white_en_is_the_published_corpus_row_for_row(shared: Path) -> None:
    assert _rows(load_corpus("black_white_en").table) == _rows(_published(shared, "en", "en"))


def _mended(sentence: str, *, person_first: bool) -> str:
    """Give a published sentence its full stop, its capital, and the object case after verb or preposition."""
    sentence = f"{sentence[0].upper()}{sentence[1:]}."
    if not person_first:
        sentence = re.sub(r"\bhe\b", "him", sentence)
        sentence = re.sub(r"\bshe\b", "her", sentence)
    return sentence


def test_latino_anglo_en_is_the_published_corpus_but_for_its_mistakes(shared: Path) -> None:
    published = _published(shared, "en_es", "en")
    published["sentence"] = [
        _mended(row.sentence, person_first=row.template.startswith("<p>")) for row in published.itertuples()
    ]
    assert _rows(load_corpus("latino_anglo_en").table) == _rows(published)


def test_arab_anglo_en_holds_the_english_glosses_of_the_published_arabic_corpus(shared: Path) -> None:
    with (shared / "data" / "eec_published" / "ar.csv").open(encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file)
    starts = ("The ", "I ")
    glosses = [_mended(row[-1], person_first=not row[-1].startswith(starts)) for row in rows]
    glosses = [re.sub(r"\ba (?=[aeiou])", "an ", gloss) for gloss in glosses]  # "in a outrageous situation"
    table = load_corpus("arab_anglo_en").table
    assert len(set(glosses)) == 8038
    assert set(glosses) <= set(table["sentence"])
    # Three words had no Arabic of their own, and two names are one row short.
    missing = table[~table["sentence"].isin(glosses)]
    words = missing["emotion_word"].value_counts().to_dict()
    assert words == {"irritating": 180, "vexing": 180, "ecstatic": 240, "excited": 1, "glad": 1}
