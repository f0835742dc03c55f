"""Corpus files: how they are found, laid over their bases, listed, and composed by Hydra."""

from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

from bias_lab.corpora import list_corpora, load_corpus
from bias_lab.corpora.source import resolve
from bias_lab.errors import ConfigError
from bias_lab.paths import conf_dir

CHILD = """
name: mine
extends: language/en
version: "1"
licence: MIT
verified_by_native_speaker: false
factors:
  gender: {levels: [male, female], reference: male}
persons:
  - {gender: female, names: [Ann]}
  - {gender: male, names: [Bob]}
"""


@pytest.fixture
def eec(tmp_path: Path) -> Path:
    """A user's eec folder with one corpus that extends the shipped English base."""
    (tmp_path / "mine.yaml").write_text(CHILD, encoding="utf-8")
    return tmp_path


def test_a_users_corpus_is_one_short_file(eec: Path) -> None:
    corpus = load_corpus("mine", search=[eec])
    assert len(corpus.table) == 144 * 22
    assert corpus.source.startswith("Templates, noun phrases and emotion words of the Equity Evaluation Corpus")
    assert corpus.files == (eec / "mine.yaml", conf_dir() / "eec" / "language" / "en.yaml")


def test_a_path_needs_no_search_folder(eec: Path) -> None:
    by_name = load_corpus("mine", search=[eec])
    assert load_corpus(eec / "mine.yaml").digest == by_name.digest
    assert load_corpus(str(eec / "mine.yaml")).digest == by_name.digest


def test_hydra_composes_what_the_loader_reads() -> None:
    with initialize_config_dir(str(conf_dir()), version_base="1.3"):
        composed = compose(overrides=["+eec=black_white_en", "eec.corpora.black_white_en.version='9'"])
    data = OmegaConf.to_container(composed.eec.corpora.black_white_en, resolve=True)
    assert isinstance(data, dict)
    changed = load_corpus({str(key): value for key, value in data.items()})
    shipped = load_corpus("black_white_en")
    assert changed.version == "9"
    assert changed.table.equals(shipped.table)
    assert changed.digest != shipped.digest


def test_bases_may_extend_bases_and_null_takes_a_key_out() -> None:
    merged = resolve(
        {"extends": "black_white_en", "persons": None, "templates": {"1": None, "12": "{person} waits."}},
        origin="child",
        file=None,
        search=(),
    )
    data = merged.node.value
    assert isinstance(data, dict)
    assert "extends" not in data and "persons" not in data
    assert list(data["templates"]) == [*(str(number) for number in range(2, 12)), "12"]
    assert [path.stem for path in merged.files] == ["black_white_en", "en"]


def test_errors_name_the_file_that_set_the_key(eec: Path) -> None:
    (eec / "language").mkdir()
    (eec / "language" / "xx.yaml").write_text('templates: {"1": "{persn} waits."}\n', encoding="utf-8")
    mine = eec / "mine.yaml"
    mine.write_text(CHILD.replace("language/en", "language/xx") + "language: xx\nsource: me\n", encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_corpus("mine", search=[eec])
    assert str(caught.value) == (
        f"{eec / 'language' / 'xx.yaml'}: templates.1: unknown slot 'persn'; did you mean 'person'? Choices: person"
    )
    mine.write_text(mine.read_text(encoding="utf-8").replace("reference: male", "reference: mael"), encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_corpus("mine", search=[eec])
    assert str(caught.value) == (
        f"{mine}: factors.gender.reference: unknown level 'mael'; did you mean 'male'? Choices: male, female"
    )


def test_a_circle_of_bases_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("extends: b\n", encoding="utf-8")
    (tmp_path / "b.yaml").write_text("extends: a\n", encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_corpus(tmp_path / "a.yaml")
    a, b = tmp_path / "a.yaml", tmp_path / "b.yaml"
    assert str(caught.value) == f"{b}: extends: the files extend each other in a circle: {a} -> {b} -> {a}"


def test_an_unknown_base_lists_those_there_are(eec: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        load_corpus({"name": "x", "extends": "language/eng"}, search=[eec])
    message = str(caught.value)
    assert message.startswith("eec.corpora.x: extends: unknown base 'language/eng'; did you mean 'language/en'?")
    assert "mine" in message


def test_an_unknown_corpus_lists_those_there_are(eec: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        load_corpus("black_white", search=[eec])
    message = str(caught.value)
    assert message.startswith("unknown corpus 'black_white'; did you mean 'black_white_en'? Choices: ")
    assert all(name in message for name in ("mine", "latino_anglo_en", "csv"))


def test_the_name_is_the_files_own(eec: Path) -> None:
    (eec / "other.yaml").write_text(CHILD, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_corpus("other", search=[eec])
    assert str(caught.value) == f"{eec / 'other.yaml'}: name: must be the file's own name 'other', got 'mine'"


def test_a_csv_path_says_how_to_read_it() -> None:
    with pytest.raises(ConfigError) as caught:
        load_corpus(Path("a.csv"))
    assert str(caught.value) == (
        "a.csv: is no corpus file (.yaml); a CSV is read with eec=csv eec.corpora.csv.path=a.csv, "
        "in Python with load_corpus({'kind': 'csv', 'path': ..., 'language': ...})"
    )


def test_listing_reads_languages_through_bases_and_leaves_out_what_is_no_corpus(eec: Path) -> None:
    (eec / "german.yaml").write_text("language: de\npersons: []\n", encoding="utf-8")
    (eec / "several.yaml").write_text("defaults: [mine, german]\n", encoding="utf-8")
    (eec / "rows.yaml").write_text("kind: csv\npath: a.csv\nlanguage: de\n", encoding="utf-8")
    (eec / "black_white_en.yaml").write_text(CHILD, encoding="utf-8")
    listed = list_corpora(search=[eec])
    assert {"german", "mine", "rows", "black_white_en", "latino_anglo_en"} <= set(listed)
    assert not {"several", "csv", "en"} & set(listed)
    assert listed["black_white_en"] == eec / "black_white_en.yaml"
    assert set(list_corpora(language="de", search=[eec])) == {"german", "rows"}
    assert "mine" in list_corpora(language="en", search=[eec])
    assert list(listed) == sorted(listed)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"name: [a\n", ":2: is not valid YAML: did not find expected ',' or ']'"),
        (b"name: a\nname: b\n", ":2: is not valid YAML: the key 'name' is given twice"),
        (b"name: \xff\n", ": is not UTF-8 (byte 6); save it as UTF-8"),
        (b"- a\n", ": must be a mapping of keys to values, got list"),
        (b"", ": must be a mapping of keys to values, got NoneType"),
    ],
)
def test_a_broken_file_is_told_with_its_line(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "broken.yaml"
    path.write_bytes(content)
    with pytest.raises(ConfigError) as caught:
        load_corpus(path)
    assert str(caught.value) == f"{path}{message}"


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        load_corpus(tmp_path / "none.yaml")
    assert str(caught.value) == f"{tmp_path / 'none.yaml'}: cannot read this corpus file (No such file or directory)"


def test_the_digest_follows_rows_and_metadata_but_not_the_place(
    eec: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    digest = load_corpus("mine", search=[eec]).digest
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "mine.yaml"
    elsewhere.write_text(CHILD, encoding="utf-8")
    assert load_corpus(elsewhere).digest == digest
    for old, new in (
        ("Ann", "Anna"),
        ("reference: male", "reference: female"),
        ("MIT", "CC0-1.0"),
        ('"1"', '"2"'),
    ):
        assert old in CHILD
        elsewhere.write_text(CHILD.replace(old, new), encoding="utf-8")
        assert load_corpus(elsewhere).digest != digest
