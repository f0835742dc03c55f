"""CSV corpora: the published files as they are, a user's file, and what can be wrong with one."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from bias_lab.corpora import Corpus, Factor, load_corpus
from bias_lab.corpora.csv_file import COLUMNS, SAME_PERSON
from bias_lab.corpora.csv_table import read_table
from bias_lab.errors import BiasLabError, ConfigError, DataError
from bias_lab.paths import conf_dir

SMALL = """\
sentence,person,gender,race,emotion,emotion word
Ann feels sad,Ann,female,Anglo,sadness,sad
Bob feels sad,Bob,male,Latino,sadness,sad
my sister feels sad,my sister,female,,sadness,sad
my dad has two children,my dad,male,,,
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "small.csv"
    file.write_text(SMALL, encoding="utf-8")
    return file


def _load(path: Path, **options: Any) -> Corpus:
    return load_corpus({"kind": "csv", "path": str(path), "language": "en", **options})


@pytest.mark.parametrize(
    ("name", "rows", "items", "levels"),
    [
        ("en", 8640, 144, ("European", "African-American")),
        ("en_es", 8640, 144, ("Anglo", "Latino")),
        ("es", 8460, 236, ("Anglo", "Latino")),
        ("ar", 8038, 264, ("Anglo", "Arab")),
    ],
)
def test_published_files_are_read_as_they_are(
    shared: Path, name: str, rows: int, items: int, levels: tuple[str, ...]
) -> None:
    path = shared / "data" / "eec_published" / f"{name}.csv"
    corpus = _load(path, language=name[:2])
    table = corpus.table
    assert corpus.factors == (Factor("race", levels, levels[0]), Factor("gender", ("male", "female"), "male"))
    assert len(table) == rows
    assert table["person"].nunique() == 60
    assert table["item"].nunique() == items
    assert not table.duplicated(["person", "item"]).any()
    assert table.drop_duplicates("person")["person_kind"].value_counts().to_dict() == {
        "name": 40,
        "noun_phrase": 20,
    }
    assert table["race"].isna().equals(table["person_kind"] == "noun_phrase")
    assert table["gender"].notna().all()
    assert table["emotion"].isna().sum() == 4 * 60
    lines = path.read_text(encoding="utf-8").splitlines()
    assert all(sentence in line for sentence, line in zip(table["sentence"], lines[1:], strict=True))


def test_published_sentences_are_kept_verbatim(shared: Path) -> None:
    table = _load(shared / "data" / "eec_published" / "ar.csv", language="ar").table
    assert table["sentence"].str.contains("  ", regex=False).sum() == 3358
    assert table["sentence"].duplicated().sum() == 299
    assert sorted(table["person"].value_counts())[:3] == [133, 133, 134]


def test_a_small_file(path: Path) -> None:
    corpus = _load(path)
    assert corpus.name == "small"
    assert corpus.files == (path,)
    assert [factor.reference for factor in corpus.factors] == ["Anglo", "male"]
    table = corpus.table
    assert list(table.columns) == [
        *(
            "eec",
            "sentence",
            "template",
            "item",
            "person",
            "person_kind",
            "race",
            "gender",
            "emotion",
            "emotion_word",
        )
    ]
    assert table["person_kind"].tolist() == ["name", "name", "noun_phrase", "noun_phrase"]
    assert table["item"].tolist() == ["<person> feels sad"] * 3 + ["<person> has two children"]
    assert table["race"].isna().tolist() == [False, False, True, True]
    assert table["emotion"].isna().tolist() == [False, False, False, True]


def test_columns_factors_delimiter_and_kinds_can_be_said(tmp_path: Path) -> None:
    path = tmp_path / "mine.tsv"
    path.write_text(
        "\ufefftext\twho\tsex\tage\tkind\tfelt\tgloss\tgloss\n"
        "1\u00a0Ann,\u00a0no\tAnn\tw\told\tname\tanger\tx\ty\n\n"
        '"Bob ""B"""\tBob\tm\tyoung\tname\t\tx\ty\n'
        "they\tthey\t\t\tnoun_phrase\t\tx\ty\n",
        encoding="utf-8",
    )
    corpus = _load(
        path,
        name="mine2",
        delimiter="\t",
        columns={"sentence": "text", "person": "who", "person_kind": "kind", "emotion": "felt"},
        factors={
            "gender": {"column": "sex", "levels": ["w", "m"], "reference": "m"},
            "age": {"reference": "young"},
        },
        version="3",
        verified_by_native_speaker=True,
    )
    assert corpus.factors == (Factor("gender", ("w", "m"), "m"), Factor("age", ("young", "old"), "young"))
    assert corpus.table["sentence"].tolist() == ["1\u00a0Ann,\u00a0no", 'Bob "B"', "they"]
    assert corpus.table["gender"].tolist()[:2] == ["w", "m"]
    assert (corpus.name, corpus.version, corpus.verified_by_native_speaker) == ("mine2", "3", True)


def test_an_exported_long_table_can_be_read_again(tmp_path: Path) -> None:
    corpus = load_corpus("arab_anglo_en")
    path = tmp_path / "arab_anglo_en.csv"
    corpus.table.to_csv(path, index=False)
    again = _load(path).table
    assert again.equals(corpus.table)


def test_items_use_the_concept_and_keep_a_word_under_two_emotions_apart(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(
        "sentence,template,person,gender,emotion,emotion word,concept\n"
        "Ana está mal,1,Ana,female,fear,mala,bad\n"
        "Ana está mal,1,Ana,female,sadness,mala,bad\n"
        "Juan está mal,1,Juan,male,anger,malo,off\n",
        encoding="utf-8",
    )
    assert _load(path).table["item"].tolist() == ["1:bad (fear)", "1:bad (sadness)", "1:off"]


def test_the_shipped_csv_config_says_what_the_code_takes_by_default(path: Path) -> None:
    raw = yaml.safe_load((conf_dir() / "eec" / "csv.yaml").read_text(encoding="utf-8"))
    said = {role: (names,) if isinstance(names, str) else tuple(names) for role, names in raw["columns"].items()}
    assert said == COLUMNS
    assert raw["same_person"] == SAME_PERSON
    corpus = load_corpus({**raw, "path": str(path), "language": "en"})
    assert corpus.table.equals(_load(path).table)


def test_pronouns_are_one_person_in_every_case(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("sentence,person,gender\nI saw him.,him,male\nHe waits.,he,male\n", encoding="utf-8")
    assert _load(path).table["person"].tolist() == ["he", "he"]
    assert _load(path, same_person={}).table["person"].tolist() == ["him", "he"]


HEAD = "sentence,person,gender,race,emotion,emotion word\n"
ROW = "Ann waits.,Ann,female,Anglo,,\n"
BROKEN: list[tuple[str, str]] = [
    ("", ": has no rows; expected a header line and one line a sentence"),
    (HEAD, ": has no rows; expected a header line and one line a sentence"),
    (
        HEAD + ROW + "Bob, he waits.,Bob,male,Anglo,,\n",
        ":3: 7 columns, but the header has 6; a cell that contains ',' needs double quotes around it",
    ),
    (
        HEAD + ROW + "Bob wai",
        ":3: 1 columns, but the header has 6; a cell that contains ',' needs double quotes around it",
    ),
    (
        HEAD + ROW + '"Bob waits.,Bob,male,Anglo,,\n',
        ":3: is not valid CSV from here on (unexpected end of data); is a quote left open?",
    ),
    (HEAD + "\n" + ROW + " ,Bob,male,Anglo,,\n", ":4: the sentence is empty"),
    (HEAD + ROW + "Bob waits.,,male,Anglo,,\n", ":3: the person is empty"),
    (
        HEAD + ROW + "Ann waits.,Ann,male,Anglo,,\n",
        ":3: the person 'Ann' has gender 'male' here, but 'female' in line 2; a person belongs to one group. "
        "Two people of one name need two ids",
    ),
    (
        HEAD + "Bob waits.,Bob,male,Anglo,,\nBob waits.,Bob,male,,,\n",
        ":3: the person 'Bob' has race '(empty)' here, but 'Anglo' in line 2; a person belongs to one group. "
        "Two people of one name need two ids",
    ),
    (
        HEAD + ROW + "my dad waits.,my dad,male,,,\nBob waits.,Bob,,Anglo,,\n",
        ":4: 'Bob' lacks gender, but the noun phrase in line 3 lacks race; "
        "noun phrases must all lack the same factors, names none",
    ),
    (HEAD + ROW + "Bob is sad.,Bob,male,Anglo,,sad\n", ":3: the emotion word 'sad' has no emotion"),
    (
        "sentense,person,gender\na,b,c\n",
        ":1: no column 'sentence' for sentence (columns.sentence); the columns are sentense, person, gender",
    ),
    (
        "sentence;person\na;b\n",
        ":1: no column 'sentence' for sentence (columns.sentence); the columns are sentence;person",
    ),
    ("sentence,person,person,gender\na,b,c,d\n", ":1: the column 'person' stands twice"),
    (
        "sentence,person,gender\nAnn waits.,Ann,woman\n",
        ": the factor gender has no level male to compare the others with; its levels are woman. Choose one, "
        "and name every factor of the corpus, as in factors: {gender: {reference: woman}}",
    ),
]


@pytest.mark.parametrize(("content", "message"), BROKEN)
def test_a_mistake_is_told_with_file_and_line(path: Path, content: str, message: str) -> None:
    path.write_text(content, encoding="utf-8")
    with pytest.raises(BiasLabError) as caught:
        _load(path)
    assert str(caught.value) == f"{path}{message}"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (SMALL.encode("utf-16"), ": looks like UTF-16; save it as UTF-8"),
        (SMALL.replace("Bob", "José").encode("latin-1"), ":3: is not UTF-8 (byte 0xe9); save it as UTF-8"),
    ],
)
def test_other_encodings_are_told(path: Path, content: bytes, message: str) -> None:
    path.write_bytes(content)
    with pytest.raises(DataError) as caught:
        _load(path)
    assert str(caught.value) == f"{path}{message}"


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        _load(tmp_path / "none.csv")
    assert str(caught.value) == f"{tmp_path / 'none.csv'}: cannot read this corpus (No such file or directory)"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"columns": {"sentenc": "text"}},
            "columns.sentenc: unknown key 'sentenc'; did you mean 'sentence'? Choices: ",
        ),
        ({"delimiter": "tab"}, 'delimiter: must be one character, such as "," or ";" or "\\t", got \'tab\''),
        ({"factors": {"gender": {}}}, "factors.gender: missing reference"),
        (
            {"factors": {}},
            "factors: has no factors; a corpus compares at least one, such as gender: {reference: male}",
        ),
        ({"factors": {"item": {"reference": "a"}}}, "factors.item: 'item' cannot be a factor's name: "),
        ({"path": None}, "path is not set; say path: FILE (eec.corpora.csv.path=FILE)"),
        ({"language": None}, "language is not set; say language: en (eec.corpora.csv.language=en)"),
        ({"path": "???"}, "path is not set; say path: FILE (eec.corpora.csv.path=FILE)"),
        ({"persons": []}, "persons: unknown key 'persons'; did you mean "),
    ],
)
def test_a_wrong_setting_is_told(path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_corpus({"kind": "csv", "path": str(path), "language": "en", **options})
    assert str(caught.value).startswith(f"eec.corpora: {message}")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"columns": {"emotion": "felt"}},
            ":1: no column 'felt' for emotion (columns.emotion); the columns are ",
        ),
        (
            {"factors": {"age": {"reference": "old"}}},
            ":1: no column 'age' for the factor age; the columns are ",
        ),
        (
            {"factors": {"gender": {"reference": "male", "levels": ["male", "femal"]}}},
            ":2: gender: unknown level 'female'; did you mean 'femal'? Choices: male, femal",
        ),
        (
            {"factors": {"gender": {"reference": "male", "levels": ["male", "female", "other"]}}},
            ": gender: no row has the level 'other'",
        ),
        (
            {"columns": {"person_kind": "race"}},
            ":2: person_kind must be name or noun_phrase, got 'Anglo'",
        ),
    ],
)
def test_settings_that_do_not_fit_the_file_are_told(path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError) as caught:
        _load(path, **options)
    assert str(caught.value).startswith(f"{path}{message}")


def test_a_name_must_have_every_factor(path: Path) -> None:
    path.write_text("sentence,person,person_kind,race,gender\nAnn waits.,Ann,name,,female\n", encoding="utf-8")
    with pytest.raises(DataError) as caught:
        _load(path, factors={"race": {"reference": "Anglo"}, "gender": {"reference": "female"}})
    assert str(caught.value) == f"{path}:1: the column 'race' is empty in every row; it cannot be a factor"
    with path.open("a", encoding="utf-8") as file:
        file.write("Bob waits.,Bob,name,Anglo,male\n")
    with pytest.raises(DataError) as caught:
        _load(path)
    assert str(caught.value) == f"{path}:2: the name 'Ann' lacks race"


def test_a_big_file_is_read_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bias_lab.corpora.csv_table._CHUNK_ROWS", 3)
    monkeypatch.setattr("bias_lab.corpora.csv_table._CHUNK_BYTES", 5)
    rows = [f'"Ana{i},\nqué día.",Ana{i},{("male", "female")[i % 2]}\n' for i in range(20)]
    path = tmp_path / "big.csv"
    path.write_text("\ufeffsentence,person,gender\n\n" + "\n".join(rows), encoding="utf-8")
    table = read_table(path, delimiter=",")
    assert len(table) == 20
    assert table.cells[0] == [f"Ana{i},\nqué día." for i in range(20)]
    assert table.lines.tolist() == [3 + 3 * i for i in range(20)]
    assert len({id(cell) for cell in table.cells[2]}) == 2  # equal cells are one object
    for line, wrong in ((33, "Ana,Ana,male,x\n"), (33, "Ana,,male\n")):
        content = "sentence,person,gender\n\n" + "\n".join([*rows[:10], wrong, *rows[10:]])
        path.write_text(content, encoding="utf-8")
        with pytest.raises(DataError, match=rf"^{path}:{line}: (4 columns|the person is empty)"):
            _load(path)
    data = path.read_bytes()
    at = data.index("é".encode(), 300)
    path.write_bytes(data[: at + 1] + data[at + 2 :])
    line = data[:at].count(b"\n") + 1
    with pytest.raises(DataError, match=rf"^{path}:{line}: is not UTF-8 \(byte 0xc3\)"):
        _load(path)
    path.write_bytes(data[:-3] + b"\xc3")
    with pytest.raises(DataError, match=rf"^{path}:{data[:-3].count(10) + 1}: is not UTF-8 \(byte 0xc3\)"):
        _load(path)


def test_the_digest_is_that_of_the_canonical_json(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bias_lab.corpora.corpus._PART", 3)
    corpus = _load(path, licence='"CC"', source="añ", version="2")
    content = {
        "name": "small",
        "language": "en",
        "version": "2",
        "licence": '"CC"',
        "source": "añ",
        "verified_by_native_speaker": False,
        "factors": [["race", ["Anglo", "Latino"], "Anglo"], ["gender", ["male", "female"], "male"]],
        "columns": list(corpus.table.columns),
        "rows": [[None if pd.isna(cell) else cell for cell in corpus.table[name]] for name in corpus.table.columns],
    }
    canonical = json.dumps(content, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    assert corpus.digest == hashlib.sha256(canonical.encode()).hexdigest()
