import re
from pathlib import Path

import pytest

from bias_lab.errors import ConfigError, DataError
from bias_lab.figures import names_figure, paper_figures, save_vega
from bias_lab.report import charts
from bias_lab.report.effects import effects
from bias_lab.report.rows import forest_rows, heat_rows
from bias_lab.summary import Summary
from report_summary import NAMES, shared_summary

MAGIC = {"png": b"\x89PNG\r\n", "pdf": b"%PDF-", "svg": b"<svg"}


@pytest.fixture(scope="module")
def summary(tmp_path_factory: pytest.TempPathFactory) -> Summary:
    return shared_summary(tmp_path_factory)


def texts(svg: Path) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]+)</text>", svg.read_text(encoding="utf-8"))


@pytest.mark.slow
def test_a_figure_a_corpus_and_a_kind_of_term(summary: Summary, tmp_path: Path) -> None:
    files = paper_figures(summary, tmp_path, formats=["svg"])
    assert [file.name for file in files] == [
        "effects-made_up_ar.svg", "effects-made_up_en.svg",
        "heat-map-gender.svg", "heat-map-race.svg", "heat-map-race-by-gender.svg",
    ]  # fmt: skip
    told = texts(tmp_path / "effects-made_up_ar.svg")
    assert {"Arab vs Anglo (gender: male)", "female vs male (race: Anglo)", "Arab × female"} <= set(told)
    assert told.count("names not seen") == 3 * 2
    # Every model under every emotion, in each of three panels.
    assert [word for word in told if word in ("alpha", "blind")] == ["alpha", "blind"] * 2 * 3
    assert "holds after adjustment (q)" in told
    assert "inconclusive, only the published test claims it" not in told  # there is none in these rows
    heat = texts(tmp_path / "heat-map-gender.svg")
    assert "+.12***§" in heat
    drawn = (tmp_path / "heat-map-gender.svg").read_text(encoding="utf-8")
    assert "*** p &lt; .01, ** p &lt; .05, * p &lt; .10 with names as the unit, not adjusted" in drawn


@pytest.mark.slow
@pytest.mark.parametrize("name", list(MAGIC))
def test_names_in_all_formats(summary: Summary, tmp_path: Path, name: str) -> None:
    (file,) = names_figure(
        summary, tmp_path, model="alpha", emotion="anger", eec="made_up_ar", formats=[name]
    )  # fmt: skip
    assert file == tmp_path / f"names-made_up_ar-anger-alpha.{name}"
    assert file.read_bytes().startswith(MAGIC[name])
    if name == "svg":
        # Arabic stands in reading order: what draws the letters shapes and turns them.
        assert set(NAMES["made_up_ar"]) <= set(texts(file))
    if name == "pdf":
        assert b"DejaVuSans" in file.read_bytes()  # embedded, so that it is there on any machine


def test_rows_under_headings_keep_what_has_no_estimate(summary: Summary) -> None:
    found = effects(summary.coefficients)
    rows = found[(found["eec"] == "made_up_en") & (found["coding"] == "treatment") & (found["term"] == "race[Latino]")]
    made = forest_rows(rows, by="model")
    assert [row["key"].split(charts.SEPARATOR) for row in made] == [
        ["alpha", ""], ["alpha", "anger"], ["alpha", "joy"], ["blind", ""], ["blind", "anger"], ["blind", "joy"],
    ]  # fmt: skip
    assert [row["heading"] for row in made] == ["alpha", "", "", "blind", "", ""]
    assert [row["note"] for row in made] == ["", "", "", "", "names not seen", "names not seen"]
    assert made[1]["low"] < made[1]["effect"] < made[1]["high"]
    assert made[5]["effect"] is None


def test_a_value_that_rounds_to_zero_has_the_sign_of_its_colour(summary: Summary) -> None:
    found = effects(summary.coefficients)
    race = found[(found["factors"] == "race") & (found["coding"] == "treatment") & found["effect"].notna()].head(3)
    rows = [row for row in heat_rows(race.assign(effect=[-0.004, 0.004, 0.0], marks="")) if not row["heading"]]
    told = {row["effect"]: row["shown"] for row in rows}
    assert told == {-0.004: "-.00", 0.004: "+.00", 0.0: ".00"}


def test_a_corpus_with_several_contrasts_has_a_heading_for_each(summary: Summary) -> None:
    found = effects(summary.coefficients)
    race = found[(found["factors"] == "race") & (found["coding"] == "treatment")]
    assert {row["heading"] for row in heat_rows(race)} == {"made_up_en", "made_up_ar", ""}
    more = race.assign(term=race["term"].where(race["model"] != "blind", "race[Other]"))
    assert "made_up_en: Latino vs Anglo" in {row["heading"] for row in heat_rows(more)}


def test_what_is_not_there_is_told(summary: Summary, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"^paper_figures: by='seed'; allowed: emotion, model$"):
        paper_figures(summary, tmp_path, by="seed")
    with pytest.raises(ConfigError, match=r"^figures: format 'eps'; allowed: png, svg, pdf$"):
        save_vega({}, tmp_path / "x", formats=["eps"])
    with pytest.raises(DataError) as caught:
        names_figure(summary, tmp_path, model="beta", emotion="joy", eec="made_up_en")
    assert str(caught.value) == (
        "names_figure: there is no run beta, joy, made_up_en; there are: alpha, anger, made_up_en; "
        "alpha, joy, made_up_en; alpha, anger, made_up_ar; alpha, joy, made_up_ar; blind, anger, made_up_en; "
        "blind, joy, made_up_en; blind, anger, made_up_ar; blind, joy, made_up_ar"
    )
