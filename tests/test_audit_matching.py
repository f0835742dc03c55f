"""Scores of any other system, read from a file and matched to a corpus' sentences, every mismatch named."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bias_lab.audit import match_scores, read_scores, sentence_id
from bias_lab.audit.matching import sentence_sheet
from bias_lab.corpora import Corpus, Factor, load_corpus
from bias_lab.errors import BiasLabError, DataError

MEN, WOMEN = ("Al", "Bo", "Cy", "Di"), ("Eve", "Fay", "Gia", "Hal")
FACTORS = (Factor("gender", ("male", "female"), "male"),)


def made_up(tmp_path: Path, *, name: str = "made_up") -> Corpus:
    """Eight persons of two genders, two angry and one joyful item; "Al was there." stands under both emotions."""
    rows = []
    for person in (*MEN, *WOMEN):
        for emotion, text in (
            ("anger", "feels angry"),
            ("anger", "was there"),
            ("joy", "was there"),
            ("joy", "is glad"),
        ):
            rows.append(
                {"eec": name, "sentence": f"{person} {text}.", "template": text, "item": f"{text}:{emotion}"}
                | {"person": person, "person_kind": "name", "gender": "male" if person in MEN else "female"}
                | {"emotion": emotion, "emotion_word": text}
            )
    return Corpus(name, "en", FACTORS, pd.DataFrame(rows).astype("str"), version="1", files=(tmp_path,))


def write(path: Path, lines: list[str]) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def scored(path: Path, corpus: Corpus, **of_sentence: str) -> Path:
    """A file with a score of .5 for every sentence, or the one given by its place in the corpus."""
    sentences = corpus.table["sentence"].drop_duplicates()
    return write(
        path, ["sentence,score", *(f"{text},{of_sentence.get(f's{i}', '0.5')}" for i, text in enumerate(sentences))]
    )


def test_a_sentence_gets_its_score_in_each_place(tmp_path: Path) -> None:
    corpus = made_up(tmp_path)
    file = read_scores(scored(tmp_path / "s.csv", corpus, s1="0.25"))
    matched = match_scores(file, [corpus])
    (table,) = matched.tables
    twice = table[table["sentence"] == "Al was there."]
    assert twice["emotion"].tolist() == ["anger", "joy"]
    assert twice["prediction"].tolist() == [0.25, 0.25]
    assert (len(file.keys), len(table), matched.emotion, matched.notes) == (24, 32, "all", ())
    assert list(table.columns) == [*corpus.table.columns, "prediction"]
    pd.testing.assert_frame_equal(table.drop(columns="prediction"), corpus.table)


def test_sentences_of_the_emotions_that_have_scores_are_wanted(tmp_path: Path) -> None:
    corpus = made_up(tmp_path)
    angry = [f"{person} {text}.,0.5" for person in (*MEN, *WOMEN) for text in ("feels angry", "was there")]
    file = read_scores(write(tmp_path / "s.csv", ["sentence,score", *angry]))
    matched = match_scores(file, [corpus], emotion="anger")
    assert (matched.emotion, set(matched.tables[0]["emotion"])) == ("anger", {"anger"})
    # The shared sentences make joy wanted as well; the message says how to ask for one emotion.
    with pytest.raises(DataError) as caught:
        match_scores(file, [corpus])
    assert str(caught.value) == (
        f"{tmp_path}/s.csv: 8 of 32 sentences of made_up have no score: 'Al is glad.', 'Bo is glad.', 'Cy is glad.', "
        "'Di is glad.', 'Eve is glad.', ... (male 4, female 4). Say --allow-missing to leave them out, or --emotion "
        "NAME if only sentences of one emotion were scored"
    )
    missing = match_scores(file, [corpus], allow_missing=True)
    assert len(missing.tables[0]) == 24
    assert missing.notes[0].endswith("which is a bias of its own if some groups lack more than others")


def test_scores_of_other_emotions_are_told_and_left_out(tmp_path: Path) -> None:
    corpus = made_up(tmp_path)
    matched = match_scores(read_scores(scored(tmp_path / "s.csv", corpus)), [corpus], emotion="anger")
    assert (len(matched.tables[0]), matched.notes) == (16, ("8 scored sentences of other emotions not looked at",))


def test_unknown_sentences_are_named_with_the_nearest_one(tmp_path: Path) -> None:
    corpus = made_up(tmp_path)
    path = scored(tmp_path / "s.csv", corpus)
    path.write_text(path.read_text() + 'Al feels angy.,0.1\n"Zoe, too.",0.2\n')
    with pytest.raises(DataError) as caught:
        match_scores(read_scores(path), [corpus])
    told = "2 of 26 sentences are not in made_up: line 26: 'Al feels angy.', line 27: 'Zoe, too.'"
    assert str(caught.value) == (
        f"{path}: {told}; the nearest one to the first is 'Al feels angry.'. Say --allow-unknown to leave them out"
    )
    assert match_scores(read_scores(path), [corpus], allow_unknown=True).notes == (f"{told}; they are left out",)


def test_several_scores_of_a_sentence_are_named_or_averaged(tmp_path: Path) -> None:
    corpus = made_up(tmp_path)
    path = scored(tmp_path / "s.csv", corpus)
    path.write_text(path.read_text() + "Al feels angry.,0.5\nBo feels angry.,0.7\n")
    with pytest.raises(DataError) as caught:
        match_scores(read_scores(path), [corpus])
    assert str(caught.value) == (
        f"{path}: 1 sentence with several scores: 'Bo feels angry.' in lines 5, 27. A sentence has one score; "
        "--average takes the mean, as of several answers of a system that draws them"
    )
    matched = match_scores(read_scores(path), [corpus], average=True)
    assert matched.notes == ("2 sentences more than once in the file; their scores are averaged",)
    own = matched.tables[0].set_index("sentence")["prediction"]
    assert own["Bo feels angry."] == pytest.approx(0.6, abs=1e-15)
    path.write_text(path.read_text().replace("0.7", "0.5"))
    assert match_scores(read_scores(path), [corpus]).notes == (
        "2 sentences more than once in the file; with the same score each time",
    )


def test_blanks_and_unicode_form_matter_only_where_the_exact_sentence_is_not_there(tmp_path: Path) -> None:
    table = made_up(tmp_path).table.replace({"Al feels angry.": "José feels angry.", "Bo feels angry.": "Bo  is."})
    one_more = table.iloc[[4]].assign(sentence="Bo is.", item="new")
    corpus = Corpus("made_up", "en", FACTORS, pd.concat([table, one_more], ignore_index=True))
    sentences = [text for text in corpus.table["sentence"].drop_duplicates() if not text.startswith("José")]
    path = write(
        tmp_path / "s.csv", ["sentence,score", *(f"{text},0.5" for text in sentences), "Jose\u0301  feels angry. ,0.1"]
    )
    matched = match_scores(read_scores(path), [corpus], allow_missing=True)
    own = matched.tables[0].set_index("sentence")["prediction"]
    assert own["José feels angry."] == 0.1
    assert matched.notes == (
        "1 line matched only with blanks collapsed and letters composed (NFC): line 26: 'Jose\u0301  feels angry. '; "
        "the system may have seen other sentences than the corpus has",
    )
    # "Bo  is." and "Bo is." are the same but for blanks, so that " Bo is. " could be either: it matches none.
    path = write(tmp_path / "t.csv", ["sentence,score", " Bo is. ,0.5"])
    with pytest.raises(DataError, match=r"1 of 1 sentences are not in made_up: line 2: ' Bo is. '"):
        match_scores(read_scores(path), [corpus])


@pytest.mark.parametrize(
    ("lines", "options", "message"),
    [
        (
            ["sentence,score", "a,0.1", "b,n/a", "c,", "d,nan", "e,inf", "f,1_0", "g,x"],
            {},
            "{path}: 6 of 7 scores are missing or no finite number: line 3: 'n/a', line 4: '', line 5: 'nan', "
            "line 6: 'inf', line 7: '1_0' and 1 more; where the system gave none, take the line out and say "
            "--allow-missing",
        ),
        (["text;score", "a;0,5"], {}, "{path}: 1 of 1 scores are missing or no finite number: line 2: '0,5'; decimals "
         "need a point"),
        (
            ["sentence,score", "a,1.5", "b,0.5", "c,-2"],
            {},
            "{path}: 2 of 3 scores lie outside 0 to 1: line 2: 1.5, line 4: -2; the file's scores run from -2 to 1.5; "
            "say which ones are possible, such as --range -1 1",
        ),
        (
            ["sentence,score", "a,1.5", "b,0.5", "c,-2"],
            {"scale": (-1, 2)},
            "{path}: 1 of 3 scores lie outside -1 to 2: line 4: -2; the file's scores run from -2 to 1.5; give a range "
            "that holds them all",
        ),
        (
            ["sentence,score", "a,1"],
            {"scale": (1, -1)},
            "--range 1 -1: give the lowest and the highest possible score, such as --range -1 1",
        ),
        (
            ["sentence,valence", "a,1"],
            {},
            "{path}: no column for scores (score or prediction); the columns are sentence, valence. Name it with "
            "--score-column",
        ),
        (
            ["sentence,valence", "a,1"],
            {"score_column": "joy"},
            "{path}: no column 'joy'; the columns are sentence, valence. Name it with --score-column",
        ),
        (
            ["Al feels angry.,0.5"] * 2,
            {},
            "{path}: no column for sentences or their ids (sentence or text or id or sentence_id); the columns are "
            "Al feels angry., 0.5. Name it with --sentence-column or --id-column",
        ),
        (
            ["sentence,score,prediction", "a,1,1"],
            {},
            "{path}: has columns score and prediction; say which with --score-column",
        ),
    ],
)  # fmt: skip
def test_what_the_file_must_be(tmp_path: Path, lines: list[str], options: dict, message: str) -> None:
    path = write(tmp_path / "s.csv", lines)
    with pytest.raises(BiasLabError) as caught:
        read_scores(path, **options)
    assert str(caught.value) == message.format(path=path)


def test_a_scale_is_mapped_to_the_unit_interval(tmp_path: Path) -> None:
    path = write(tmp_path / "s.csv", ["id,text,valence,extra", "1,a,-1,x", "2,b,0,y", "3,c,1,z"])
    file = read_scores(path, scale=(-1, 1), score_column="valence")
    assert file.scores.tolist() == [0.0, 0.5, 1.0]
    assert (file.key, file.keys, file.lines) == ("sentence", ("a", "b", "c"), (2, 3, 4))


def test_ids_are_digests_of_the_sentence(tmp_path: Path) -> None:
    """The id of a sentence may never change: files with scores by id are out there."""
    assert sentence_id("Alonzo feels angry.") == "sb2954dada484"
    assert sentence_id("دينا غاضبة.") == sentence_id("دينا غاضبة.")
    shipped = sentence_sheet([load_corpus("black_white_en"), load_corpus("latino_anglo_en")])
    assert shipped["id"].is_unique and shipped["sentence"].is_unique
    corpus = made_up(tmp_path)
    sheet = sentence_sheet([corpus], emotion="joy").sample(frac=1, random_state=0).assign(score=np.linspace(0, 1, 16))
    sheet[["id", "score"]].to_csv(tmp_path / "s.csv", index=False)
    (table,) = match_scores(read_scores(tmp_path / "s.csv"), [corpus], emotion="joy").tables
    expected = sheet.set_index("sentence")["score"]
    np.testing.assert_allclose(table["prediction"], expected[table["sentence"]], rtol=1e-15)


@pytest.mark.parametrize(
    ("by_id", "name", "change"), [(False, "id", str), (False, "sentence_id", str.upper), (True, "id", str)]
)
def test_a_line_whose_id_and_sentence_contradict_is_refused(tmp_path: Path, by_id: bool, name: str, change) -> None:
    corpus = made_up(tmp_path)
    sheet = sentence_sheet([corpus]).assign(score=0.5)
    if not by_id:
        sheet["id"] = sheet["id"].map(change)
        sheet.loc[3, "id"] = "7"  # not one of ours: says nothing
    sheet = sheet.rename(columns={"id": name})
    if name != "id":
        sheet.insert(0, "id", range(len(sheet)))
    path, options = tmp_path / "s.csv", {"id_column": "id"} if by_id else {}
    sheet.to_csv(path, index=False)
    assert len(match_scores(read_scores(path, **options), [corpus]).tables[0]) == 32
    key, other = ("id", "sentence") if by_id else ("sentence", name)
    keys = sheet.loc[:1, key].tolist()
    sheet.loc[[0, 1], other] = sheet.loc[[1, 0], other].to_numpy()
    sheet.to_csv(path, index=False)
    with pytest.raises(DataError) as caught:
        match_scores(read_scores(path, **options), [corpus])
    assert str(caught.value) == (
        f"{path}: 2 lines where id and sentence are of two sentences: line 2: {keys[0]!r}, line 3: {keys[1]!r}; as it "
        "cannot be known which of them the score belongs to, take one of the columns out"
    )
