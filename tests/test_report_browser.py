import re
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from bias_lab.report import write_report
from bias_lab.report.effects import effects
from bias_lab.report.rows import heat_rows
from bias_lab.summary import Summary
from report_browser import Browser, chromium
from report_summary import EVIL, shared_summary

pytestmark = pytest.mark.slow

ROWS = "#effects-table tbody tr"
FIRST = "#forest-charts [data-corpus=made_up_en] figure:first-child .chart"
# The contrast of every shown text with the background behind it, as WCAG 2 defines it; the lowest of each kind.
CONTRASTS = """
const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
const luminance = ([r, g, b]) => [r, g, b].map((c) => c / 255)
  .map((c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
  .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
const behind = (element) => {
  for (let e = element; e; e = e.parentElement) {
    const colour = channels(getComputedStyle(e).backgroundColor);
    if (colour.length === 3 || colour[3] > 0) return colour;
  }
  return [255, 255, 255];
};
const found = {};
for (const element of document.querySelectorAll("body *")) {
  const own = Array.from(element.childNodes).some((node) => node.nodeType === 3 && node.textContent.trim());
  if (!own || element.closest("[hidden], script, style, .unseen, .skip") || element.disabled) continue;
  const svg = element instanceof SVGElement;
  // The text in a heat map's cell stands on the cell.
  if (svg && element.closest(".role-mark") && element.closest("#heat-charts")) continue;
  const style = getComputedStyle(element);
  const [a, b] = [luminance(channels(svg ? style.fill : style.color)), luminance(behind(element))];
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  const kind = `${element.tagName}.${svg ? "" : element.className}`;
  found[kind] = Math.min(found[kind] ?? 99, ratio);
}
return found;
"""
HEAT_CONTRASTS = """
const view = document.querySelector("#heat-charts .chart");
const rectangles = view.querySelectorAll(".mark-rect path");
const cells = Array.from(rectangles, (e) => [e.getBoundingClientRect(), e.getAttribute("fill")]);
return Array.from(view.querySelectorAll(".mark-text text")).flatMap((text) => {
  const box = text.getBoundingClientRect();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const cell = cells.find(([c]) => c.left < x && x < c.right && c.top < y && y < c.bottom);
  return cell ? [[text.getAttribute("fill"), cell[1]]] : [];
});
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(shared_summary(tmp_path_factory), tmp_path_factory.mktemp("page"), title=f"Test {EVIL}")


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with chromium(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture
def page(browser: Browser, path: Path) -> Iterator[Browser]:
    """The page on a desktop. No test may leave anything on the console, or make the page ask for anything."""
    browser.requests()
    browser.console()
    browser.open(path)
    yield browser
    assert browser.console() == []
    assert {url.partition("#")[0] for url in browser.requests()} == {path.as_uri()}


def test_it_opens_with_all_its_charts(page: Browser) -> None:
    # Two corpora with three terms each; three kinds of terms; one run's names.
    assert page.count("#forest-charts svg") == 6
    assert page.count("#heat-charts svg") == 3
    assert page.count("#names-chart svg") == 1
    assert page.texts("[data-status]") == ["24 of 24 effects shown"]
    assert page.texts("h1") == [f"Test {EVIL}"]
    charts = "Array.from(document.querySelectorAll('.chart'), (e) => [e.role, e.getAttribute('aria-label')])"
    for role, label in page.run(f"return {charts}"):
        assert role == "img"
        assert "table" in label


def test_forest_plots_draw_every_estimate_and_tell_why_there_is_none(page: Browser) -> None:
    # Two emotions of the model that sees names; the blind one's are words.
    assert page.count(f"{FIRST} .mark-symbol path") == 2
    assert page.texts(f"{FIRST} .mark-text text").count("names not seen") == 2
    labels = page.texts(f"{FIRST} .role-axis-label text")
    assert [label for label in labels if label in ("alpha", "blind")] == ["alpha", "blind"] * 2


def test_a_filter_acts_on_everything(page: Browser) -> None:
    page.click("input[name=model][value=alpha]")
    assert page.texts("[data-status]") == ["12 of 24 effects shown"]
    assert page.count(ROWS) == 12
    assert page.count("#pearson-table tbody tr") == 2
    assert page.count("#seeds-table tbody tr") == 4
    assert page.count("#coverage-table tbody tr") == 8
    assert page.count("#failed-table tbody tr") == 1
    assert page.texts("#effects-table [data-shown]") == ["12 rows"]
    assert page.texts("[data-count=no_test]") == ["0"]
    assert page.texts("[data-filter=model] [data-set]") == ["1 of 2"]
    assert page.count("#run option") == 4
    assert "names not seen" not in page.texts(f"{FIRST} .mark-text text")
    page.click("input[name=emotion][value=joy]")
    assert page.count(ROWS) == 6
    assert page.texts("#pearson-table thead th")[2:3] == ["joy"]
    assert page.texts("#pearson-table tbody td.number")[:2] == [".510 ± .014", ".510"]
    page.click("button.clear")
    page.until(lambda: page.count(ROWS) == 24, "the filters were not cleared")
    assert page.texts("[data-status]") == ["24 of 24 effects shown"]


def test_corpus_language_and_term(page: Browser) -> None:
    page.click("input[name=corpus][value=made_up_ar]")
    assert page.count(ROWS) == 12
    assert page.texts("#pearson-table tbody td:nth-child(2)") == ["ar", "ar"]
    assert page.texts("#corpora-table tbody th") == ["made_up_ar"]
    page.click("input[name=term][value='race:gender']")
    assert page.count(ROWS) == 4
    assert page.count("[data-question]") == 1
    assert page.count("#heat-charts figure") == 1
    page.click("input[name=language][value=en]")
    assert page.count(ROWS) == 0
    assert page.count("[data-empty=effects-table]") == 1
    assert page.count("#effects-table") == 0
    assert page.count("figure") == 0


def test_both_ways_to_compare_and_both_kinds_of_persons(page: Browser) -> None:
    page.click("input[name=coding][value=deviation]")
    assert page.count(ROWS) == 24
    assert "female vs male (averaged over race)" in page.texts(f"{ROWS} th")
    page.click("input[name=persons][value=noun_phrases]")
    assert page.texts("[data-status]") == ["8 of 8 effects shown"]
    assert page.count("#heat-charts figure") == 1
    assert set(page.texts("#names-table tbody th")) == {"my sister", "my sister B", "my brother", "my brother B"}


def test_the_address_keeps_what_is_chosen(page: Browser, path: Path) -> None:
    page.click("input[name=emotion][value=joy]")
    page.click("input[name=coding][value=deviation]")
    address = page.run("return location.hash")
    assert address == "#?emotion=joy&coding=deviation"
    page.open(path, address=address)
    assert page.texts("[data-status]") == ["12 of 24 effects shown"]
    assert page.find("input[name=coding][value=deviation]").is_selected()


def test_sorting(page: Browser) -> None:
    heading = "#effects-table thead th:nth-child(6)"
    effects = (
        f"return Array.from(document.querySelectorAll('{ROWS}:not([hidden]) td:nth-child(6)'), (e) => e.dataset.sort)"
    )
    for expected, descends in (("ascending", False), ("descending", True)):
        page.click(f"{heading} button")
        assert page.find(heading).get_attribute("aria-sort") == expected
        found = page.run(effects)
        values = [float(value) for value in found if value is not None]
        assert values == sorted(values, reverse=descends)
        assert found[: len(values)].count(None) == 0  # what is missing goes last
        assert len(values) == 12
    page.click("#effects-table thead th:nth-child(3) button")
    assert page.find(heading).get_attribute("aria-sort") is None
    assert page.texts(f"{ROWS} td:nth-child(3)") == ["anger"] * 12 + ["joy"] * 12


def test_quick_changes_leave_one_chart_each(page: Browser) -> None:
    toggle = (
        "const done = arguments[0]; let left = 7; const box = document.querySelector('input[name=model][value=alpha]');"
        "const tick = () => { box.click(); left -= 1; left ? setTimeout(tick, 5) : done(); }; tick();"
    )
    page.driver.execute_async_script(toggle)
    page.drawn()
    assert page.texts("[data-status]") == ["12 of 24 effects shown"]
    charts = "Array.from(document.querySelectorAll('.chart'), (e) => e.querySelectorAll('svg').length)"
    assert set(page.run(f"return {charts}")) == {1}
    assert "blind" not in page.texts(f"{FIRST} .role-axis-label text")


def test_the_papers_interval_and_the_grouping_are_options(page: Browser) -> None:
    opacity = f"return document.querySelector('{FIRST} .layer_3_marks line').getAttribute('opacity')"
    assert page.run(opacity) == "0"
    page.click("input[name=paper]")
    assert page.run(opacity) == "1"
    assert page.texts(f"{FIRST} .layer_0_marks text")[0] == "anger"
    page.click("input[name=group][value=model]")
    assert page.texts(f"{FIRST} .layer_0_marks text")[0] == "alpha"


def test_scores_by_name(page: Browser) -> None:
    assert page.texts("#names-caption") == ["made_up_en, anger, alpha"]
    assert page.count("#names-table tbody tr") == 8
    # Eight names with three sentences each.
    assert page.count("#names-chart .layer_2_marks path") == 24
    assert page.count("#names-chart .layer_3_marks path") == 8
    assert page.texts("#names-table tbody tr:last-child td:last-child bdi")[0].endswith(" feels irritated.")
    page.click("#run-after")
    assert page.texts("#names-caption") == ["made_up_en, anger, blind"]
    page.run("for (const details of document.querySelectorAll('[data-question] details')) details.open = true")
    page.click("[data-show-names]")
    assert page.texts("#names-caption") == ["made_up_ar, anger, alpha"]


def test_arabic_reads_from_the_right(page: Browser) -> None:
    page.click("input[name=language][value=ar]")
    direction = "return getComputedStyle(document.querySelector(arguments[0])).direction"
    assert page.run(direction, "#names-table tbody th") == "rtl"
    assert page.run(direction, "#names-table tbody bdi") == "rtl"
    assert page.run(direction, "#effects-table tbody th") == "ltr"
    assert "محمد" in page.texts("#names-chart .role-axis-label text")


def test_the_pointer_shows_sentences_as_text(page: Browser) -> None:
    from selenium.webdriver import ActionChains

    evil = next(row for row in page.texts("#names-table tbody th") if "<b>" in row)
    assert evil == "O'Neil & <b>"
    chart = page.find("#names-chart")
    page.run("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", chart)
    tips = set()
    for mark in chart.find_elements("css selector", ".layer_2_marks path"):
        ActionChains(page.driver).move_to_element(mark).perform()
        tips |= set(page.texts("#vg-tooltip-element.visible"))
    assert any(tip.startswith("O'Neil & <b> feels ") and ", score ." in tip for tip in tips)
    assert page.count("#vg-tooltip-element b") == 0


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [390, 1280])
def test_no_sideways_scrolling_and_enough_contrast(page: Browser, path: Path, width: int, dark: bool) -> None:
    page.open(path, width=width, dark=dark)
    assert page.run("return document.documentElement.scrollWidth") <= width
    assert page.run("return document.getElementById('filters').open") is (width > 900)
    page.run("for (const details of document.querySelectorAll('details')) details.open = true")
    found = page.run(CONTRASTS)
    assert len(found) > 20
    assert {kind: ratio for kind, ratio in found.items() if ratio < 4.5} == {}
    pairs = page.run(HEAT_CONTRASTS)
    assert len(pairs) == 4
    for ink, cell in pairs:
        assert contrast(ink, cell) >= 4.5, (ink, cell)


def contrast(first: str, second: str) -> float:
    """WCAG 2 contrast of two colours, written #rrggbb or rgb(r, g, b)."""

    def luminance(colour: str) -> float:
        if colour.startswith("#"):
            channels = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
        else:
            channels = [int(part) for part in colour.removeprefix("rgb(").removesuffix(")").split(",")]
        linear = [c / 255 / 12.92 if c / 255 <= 0.03928 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted([luminance(first), luminance(second)], reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_the_script_says_what_stands_there_without_it(page: Browser, path: Path) -> None:
    html = path.read_text(encoding="utf-8")
    static = re.findall(r"<article [^>]*?( hidden)?>.*?<p data-summary>([^<]*)</p>", html, flags=re.S)
    assert page.texts("[data-summary]") == [words for hidden, words in static if not hidden]
    assert page.texts("[data-detectable]") == re.findall(r"<b data-detectable>([^<]*)</b>", html)
    assert page.texts("[data-count]") == re.findall(r"data-count=\"\w+\">(\d+)<", html)


def test_heat_maps_say_the_same_on_the_page_and_on_paper(
    page: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    found = effects(shared_summary(tmp_path_factory).coefficients)
    names = found[(found["coding"] == "treatment") & (found["subset"] == "names")]
    expected = [row["shown"] for _, rows in names.groupby("factors") for row in heat_rows(rows) if row["shown"]]
    told = [text for text in page.texts("#heat-charts .role-mark text") if text and text[0] in "+-.–"]
    assert sorted(told) == sorted(expected)
    assert {"-.00", "+.00"} <= set(told)


def test_without_scripts_the_page_reads_on(browser: Browser, path: Path) -> None:
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.driver.get("about:blank")
        browser.driver.get(path.as_uri())
        seen = browser.find("body").text
        assert browser.find("main").size["width"] > 900
    finally:
        browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
        browser.driver.get("about:blank")
    assert "Scripts are off: charts, filters and the scores by name need them." in seen
    assert "larger than –" not in seen
    assert "Holds in 1 of 4: 1 higher." in seen
    assert "Clear all filters" not in seen


def test_tests_on_identical_sentences_count_once_whatever_the_filters_leave(
    browser: Browser, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    summary = shared_summary(tmp_path_factory)
    phrases = summary.coefficients[summary.coefficients["subset"] == "noun_phrases"]
    twin = phrases[phrases["eec"] == "made_up_en"].assign(eec="twin_en", same_as="made_up_en")
    corpora = pd.concat([summary.corpora, summary.corpora.iloc[:1].assign(name="twin_en")])
    changed = {"coefficients": pd.concat([phrases, twin], ignore_index=True), "corpora": corpora}
    write_report(Summary(**{**vars(summary), **changed}), path := tmp_path / "twin.html", title="x")
    browser.open(path)
    assert browser.texts("[data-status]") == ["12 of 12 effects shown"]
    assert browser.texts("[data-count=tests]") == ["4"]  # two models, one blind: two emotions in two corpora
    assert browser.texts("[data-count=no_test]") == ["4"]
    browser.click("input[name=corpus][value=twin_en]")
    assert browser.texts("[data-count=tests]") == ["2"]
    browser.click("input[name=corpus][value=made_up_en]")
    assert browser.texts("[data-count=tests]") == ["2"]
    assert browser.count(ROWS) == 8


def test_the_scheme_can_change_while_the_page_is_open(page: Browser) -> None:
    label = "return document.querySelector('#forest-charts .role-axis-label text').getAttribute('fill')"
    light = page.run(label)
    scheme = {"name": "prefers-color-scheme", "value": "dark"}
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
    page.until(lambda: page.run(label) != light, "the charts kept the light colours")
    page.drawn()


def test_everything_can_be_reached_by_keyboard(page: Browser) -> None:
    from selenium.webdriver import ActionChains, Keys

    seen = []
    for _ in range(40):
        ActionChains(page.driver).send_keys(Keys.TAB).perform()
        seen.append(
            page.run(
                "const e = document.activeElement, s = getComputedStyle(e);"
                "const outlined = s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2;"
                "return [e.className || e.name || e.tagName, outlined];"
            )
        )
    assert seen[0][0] == "skip"
    assert all(outlined for _, outlined in seen), seen
    assert {"model", "coding", "SUMMARY", "clear"} <= {name for name, _ in seen}
    page.find("input[name=model][value=alpha]").send_keys(Keys.SPACE)
    assert page.texts("[data-status]") == ["12 of 24 effects shown"]
    page.find("#effects-table thead button").send_keys(Keys.ENTER)
    assert page.find("#effects-table thead th").get_attribute("aria-sort") == "ascending"
    page.drawn()
