"""The page on adding a corpus: its files load, and what it says of them is so."""

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from bias_lab.corpora import Corpus, load_corpus
from bias_lab.errors import ConfigError

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "adding-a-corpus.md").read_text(encoding="utf-8")
EXAMPLES = ROOT / "docs" / "examples" / "eec"
# items, names, noun phrases: counted by hand from the files
COUNTS = {
    "generations_en": (4 * 20 + 3 * 20 + 5, 6 * 4, 20 + 7),
    "german_turkish_de": (8 + 2 * 8 + 2, 4 * 4, 4),
}


@pytest.fixture(params=COUNTS)
def corpus(request: pytest.FixtureRequest) -> Corpus:
    return load_corpus(EXAMPLES / f"{request.param}.yaml")


def test_all_examples_are_on_the_page() -> None:
    assert {file.stem for file in EXAMPLES.glob("*.yaml")} == set(COUNTS)


def test_the_page_shows_the_file_as_it_is(corpus: Corpus) -> None:
    text = (EXAMPLES / f"{corpus.name}.yaml").read_text(encoding="utf-8")
    assert text.startswith(f"# @package eec.corpora.{corpus.name}\n")
    assert f"```yaml\n{text.rstrip()}\n```" in PAGE


def test_the_example_has_the_counts_of_the_page(corpus: Corpus) -> None:
    items, names, phrases = COUNTS[corpus.name]
    kinds = corpus.table.drop_duplicates("person")["person_kind"].value_counts()
    assert (kinds["name"], kinds["noun_phrase"]) == (names, phrases)
    assert corpus.table["item"].nunique() == items
    assert len(corpus.table) == corpus.table["sentence"].nunique() == items * (names + phrases)
    assert not corpus.table.duplicated(["person", "item"]).any()
    assert f"{names + phrases} persons" in PAGE
    assert f"stand in {items} items" in PAGE
    assert re.search(rf"\b{items * (names + phrases):,}\s+sentences", PAGE)


def test_the_code_on_the_page_prints_what_the_page_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    blocks = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) == 1
    for code, expected in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, {})
        assert printed.getvalue() == expected


def test_the_german_sentences_on_the_page_are_in_the_corpus() -> None:
    shown = re.search(r"sentences, such as\n\n```text\n(.*?)```", PAGE, re.DOTALL)
    assert shown
    sentences = shown[1].splitlines()
    assert len(sentences) == 6
    assert set(sentences) <= set(load_corpus(EXAMPLES / "german_turkish_de.yaml").table["sentence"])


def test_the_error_on_the_page_is_the_one_there_is() -> None:
    raw: dict[str, Any] = yaml.safe_load((EXAMPLES / "generations_en.yaml").read_text(encoding="utf-8"))
    del raw["agreeing"]["reflexive"]
    with pytest.raises(ConfigError) as caught:
        load_corpus(raw)
    told = str(caught.value)[str(caught.value).index("conf/eec") :]
    assert told in " ".join(PAGE.split())


@pytest.mark.parametrize(
    ("item", "person", "expected"),
    [
        ("5:grim", "they", "They found themself in a grim situation."),
        ("7:serious", "they", "The conversation with them was serious."),
        ("10", "they", "They go to the school in our neighborhood."),
        ("10", "my parent", "My parent goes to the school in our neighborhood."),
        ("5:amazing", "Riley", "Riley found themself in an amazing situation."),
        ("12", "they", "They lost their keys."),
        ("12", "Barbara", "Barbara lost her keys."),
        ("12", "my uncle", "My uncle lost his keys."),
    ],
)
def test_singular_they_and_a_new_template(item: str, person: str, expected: str) -> None:
    table = load_corpus(EXAMPLES / "generations_en.yaml").table
    assert table[(table["item"] == item) & (table["person"] == person)]["sentence"].tolist() == [expected]


def test_every_link_of_the_page_leads_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", PAGE):
        assert (ROOT / "docs" / target).exists(), target
