import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from bias_lab.errors import ConfigError
from bias_lab.report import page, write_report
from bias_lab.report.effects import effects
from bias_lab.report.page import render
from bias_lab.summary import Summary, collect
from report_summary import EVIL, long_table, make_summary, shared_summary

TITLE = f"A title {EVIL} & more"
VOID = {"meta", "link", "input", "br", "hr", "img"}


class Page(HTMLParser):
    """What the tests need to know of a page: its elements in order, the text of some, and its scripts."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.open: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"{tag} is not what is open"

    def handle_data(self, data: str) -> None:
        self.texts.append((self.open[-1] if self.open else "", data))

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]

    def text_of(self, tag: str) -> list[str]:
        return [text for name, text in self.texts if name == tag]


@pytest.fixture(scope="module")
def summary(tmp_path_factory: pytest.TempPathFactory) -> Summary:
    return shared_summary(tmp_path_factory)


@pytest.fixture(scope="module")
def html(summary: Summary) -> str:
    return render(summary, title=TITLE)


@pytest.fixture(scope="module")
def parsed(html: str) -> Page:
    return Page(html)


def data_of(parsed: Page) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(parsed.text_of("script")[0])
    return found


def test_it_is_written_into_a_folder_or_to_a_file(summary: Summary, html: str, tmp_path: Path) -> None:
    assert write_report(summary, tmp_path / "summary", title=TITLE) == tmp_path / "summary" / "report.html"
    assert write_report(summary, tmp_path / "a.html", title=TITLE) == tmp_path / "a.html"
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == html
    assert (tmp_path / "summary" / "report.html").read_text(encoding="utf-8") == html


def test_all_elements_are_closed(parsed: Page) -> None:
    assert parsed.open == []


def test_nothing_is_loaded_from_anywhere(parsed: Page) -> None:
    for tag, attributes in parsed.elements:
        assert "src" not in attributes, (tag, attributes)
        if tag == "link":
            assert attributes["href"] == "data:,"
        # A link that a reader may follow is the only address on the page.
        assert tag == "a" or not (attributes.get("href") or "").startswith("http"), (tag, attributes)
    style = parsed.text_of("style")[0]
    assert "url(" not in style
    assert "@import" not in style


def test_the_policy_allows_the_two_scripts_of_the_page_and_no_other(parsed: Page) -> None:
    policy = next(m["content"] for m in parsed.of("meta") if m.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    hashes = re.findall(r"'sha256-([^']+)'", policy)
    data, *scripts = parsed.text_of("script")
    assert [base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in scripts] == hashes
    assert "default-src 'none'" in policy
    assert "unsafe-eval" not in policy
    assert json.loads(data)


def test_what_users_wrote_is_text_not_html(html: str, parsed: Page) -> None:
    assert EVIL not in html
    assert TITLE in parsed.text_of("h1")
    assert any(text == f"ModelError: {EVIL}" for text in parsed.text_of("td"))
    assert not any(name.startswith("on") for _, attributes in parsed.elements for name in attributes)
    assert len(parsed.of("script")) == 3


def test_landmarks_headings_and_labels(parsed: Page) -> None:
    assert [len(parsed.of(tag)) for tag in ("main", "header", "nav", "aside", "h1")] == [1] * 5
    assert parsed.of("html")[0]["lang"] == "en"
    identifiers = [attributes["id"] for _, attributes in parsed.elements if "id" in attributes]
    assert len(identifiers) == len(set(identifiers))
    for _, attributes in parsed.elements:
        for name in ("aria-labelledby", "for"):
            assert name not in attributes or attributes[name] in identifiers
    for link in parsed.of("a"):
        href = link["href"] or ""
        assert not href.startswith("#") or href[1:] in identifiers
    assert len(parsed.of("table")) == len(parsed.of("caption"))
    assert all(cell.get("scope") in ("row", "col") for cell in parsed.of("th"))


def test_rows_belong_to_filters_and_other_views_start_hidden(parsed: Page) -> None:
    rows = [attributes for tag, attributes in parsed.elements if tag == "tr" and "data-coding" in attributes]
    assert len(rows) == 64
    shown = [row for row in rows if "hidden" not in row]
    assert {(row["data-coding"], row["data-persons"]) for row in shown} == {("treatment", "names")}
    assert len(shown) == 8 * 3
    boxes = {(box["name"], box["value"]) for box in parsed.of("input") if box["type"] == "checkbox" and "value" in box}
    assert {name for name, _ in boxes} == {"model", "language", "emotion", "corpus", "term"}
    assert ("term", "race:gender") in boxes


def test_the_data_are_all_there(parsed: Page, summary: Summary) -> None:
    data = data_of(parsed)
    assert len(data["effects"]["effect"]) == 64
    assert len(data["names"]["mean"]) == len(summary.names)
    assert set(data["names"]["group"]["values"]) >= {"Arab, female", "female"}
    assert len(data["scores"]["runs"]) == 8
    assert data["corpora"] == ["made_up_en", "made_up_ar"]
    assert set(data["charts"]) == {"forest", "heat", "names"}


def test_headline_counts(parsed: Page) -> None:
    places = [attributes for tag, attributes in parsed.elements if "data-count" in attributes]
    numbers = [text for text in parsed.text_of("dd") if text.isdigit()]
    told = dict(zip([place["data-count"] for place in places], map(int, numbers), strict=False))
    assert told == {
        "tests": 12, "claims": 2, "by_names": 2, "finding": 2, "bounded": 10, "inconclusive": 0, "no_test": 12,
    }  # fmt: skip


def test_without_scripts_every_sentence_is_there(html: str, parsed: Page, summary: Summary) -> None:
    assert "–" not in re.findall(r"<b data-detectable>([^<]*)</b>", html)
    found = effects(summary.coefficients)
    shown = found[(found["coding"] == "treatment") & (found["subset"] == "names")]
    assert f"<b data-detectable>{shown['mde_response'].median():.3f}<".replace("0.", ".") in html
    words = re.findall(r"<p data-summary>([^<]*)</p>", html)
    cards = [attributes for tag, attributes in parsed.elements if tag == "article"]
    assert len(words) == len(cards) == 16
    assert all(text.startswith(("Holds in ", "Holds in none of ")) for text in words)
    assert "Holds in 1 of 4: 1 higher. No larger than the smallest effect of interest: 1. No test: 2." in words
    told = " ".join(text for text in parsed.text_of("p"))
    assert "Scripts are off: charts, filters and the scores by name need them." in told
    assert told.count("These charts need scripts") == 2
    assert "Chart and table need scripts" in told


def test_it_says_what_an_unknown_name_means_to_which_model(parsed: Page) -> None:
    told = " ".join(parsed.text_of("p"))
    assert "whole words or pieces of words from a fixed list" in told
    assert "also reads characters (TF-IDF of character n-grams" in told
    assert "A model whose vocabulary lacks the names cannot differ" not in told


def test_the_marks_are_explained_by_the_p_that_they_go_by(parsed: Page) -> None:
    told = " ".join(parsed.text_of("p"))
    assert "*** p < .01, ** p < .05, * p < .10 with names as the unit, not adjusted" in told
    assert "q < .10" not in told


def test_the_order_of_the_runs_does_not_show(summary: Summary, html: str) -> None:
    folders = [Path(folder) for folder in summary.cells["folder"]]
    from bias_lab.stats import BetaRegression

    again = collect(folders[::-1], regression=BetaRegression(permutations=0, smallest_effect=0.05))
    assert render(again, title=TITLE) == html


def test_without_any_result_the_page_says_so(summary: Summary, tmp_path: Path) -> None:
    nothing = Summary(
        cells=summary.cells.assign(status="failed", error="why"),
        metrics=summary.metrics.iloc[:0],
        coefficients=pd.DataFrame(),
        names=summary.names.iloc[:0],
        missing=summary.missing,
        corpora=summary.corpora.iloc[:0],
        notes=("a note <b>",),
    )
    found = Page(write_report(nothing, tmp_path, title="x").read_text(encoding="utf-8"))
    assert any("No corpus was scored" in text for text in found.text_of("p"))
    assert "Table of effects" not in found.text_of("h2")
    assert any("A note <b>." in text for text in found.text_of("p"))
    assert found.text_of("td").count("why") == 16


def test_runs_on_the_sample_are_no_basis_for_findings(tmp_path: Path) -> None:
    found = Page(render(make_summary(tmp_path, kind="sample", smallest_effect=None), title="x"))
    assert "No basis for findings." in found.text_of("b")
    assert not any("no larger than .05" in text for text in found.text_of("dt"))


def test_noun_phrases_alone_are_shown(summary: Summary) -> None:
    phrases = summary.coefficients[summary.coefficients["subset"] == "noun_phrases"]
    found = Page(render(Summary(**{**vars(summary), "coefficients": phrases}), title="x"))
    rows = [attributes for tag, attributes in found.elements if tag == "tr" and "data-coding" in attributes]
    assert sum("hidden" not in row for row in rows) == 8
    assert data_of(found)["persons"] == "noun_phrases"
    assert not any(box["name"] == "persons" for box in found.of("input"))


def test_too_many_sentences_are_left_out_and_told(summary: Summary) -> None:
    found = Page(render(summary, title="x", most_scores=len(long_table("made_up_en", "joy", model="a", seed=0))))
    assert len(data_of(found)["scores"]["runs"]) == 1
    assert any("too many sentences" in text for text in found.text_of("p"))


def test_without_the_plotting_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "vl_convert", None)
    page.plotting_library.cache_clear()
    with pytest.raises(ConfigError) as caught:
        page.plotting_library()
    page.plotting_library.cache_clear()
    assert str(caught.value) == (
        "the report page needs vl_convert, which is not installed: pip install altair vl-convert-python"
    )
