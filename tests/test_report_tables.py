from typing import Any

import pandas as pd
import pytest

from bias_lab.report import provenance, tables
from bias_lab.report.effects import effects
from bias_lab.report.numbers import count, fixed, interval, listed, percent, probability, signed
from bias_lab.report.table import Row, Table
from bias_lab.summary import Summary
from report_summary import EVIL, shared_summary

CORPORA = {"en": ["made_up_en"], "ar": ["made_up_ar"]}


@pytest.fixture(scope="module")
def summary(tmp_path_factory: pytest.TempPathFactory) -> Summary:
    return shared_summary(tmp_path_factory)


def texts(table: Table) -> list[list[str]]:
    return [[cell.text for cell in row.cells] for row in table.rows]


def first(table: Table, **where: str) -> Row:
    return next(row for row in table.rows if where.items() <= row.where.items())


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (fixed(0.1234), ".123"),
        (fixed(-0.0204), "-.020"),
        (fixed(-0.0001), ".000"),
        (fixed(1.0), "1.000"),
        (fixed(None), "–"),
        (signed(0.0), ".000"),
        (signed(0.0004), "+.000"),
        (signed(-0.0004), "-.000"),
        (signed(-0.004, 2), "-.00"),
        (signed(-0.5), "-.500"),
        (signed(float("nan")), "–"),
        (interval(-0.01, 0.0321), "[-.010, .032]"),
        (interval(-0.01, None), "–"),
        (probability(0.0004), "<.001"),
        (probability(0.04), ".040"),
        (probability(pd.NA), "–"),
        (count(8640), "8,640"),
        (percent(0.5), "50 %"),
        (listed(["a", "b", "c"]), "a, b and c"),
        (listed(["a"]), "a"),
        (listed([]), ""),
    ],
)
def test_numbers(shown: str, expected: str) -> None:
    assert shown == expected


def test_effects_table_has_every_effect_with_its_filters(summary: Summary) -> None:
    table = tables.effects_table(effects(summary.coefficients))
    assert len(table.rows) == 64
    assert [column.title for column in table.columns[:7]] == [
        "Contrast", "Corpus", "Emotion", "Model", "Claim", "Effect", "95 % interval",
    ]  # fmt: skip
    row = first(table, model="alpha", emotion="anger", corpus="made_up_en", term="gender", persons="names")
    assert row.where == {
        "model": "alpha", "language": "en", "emotion": "anger", "corpus": "made_up_en", "term": "gender",
        "coding": "treatment", "persons": "names",
    }  # fmt: skip
    assert [cell.text for cell in row.cells[:6]] == [
        "female vs male (race: Anglo)", "made_up_en", "anger", "alpha", "holds: higher", "+.120 ***§",
    ]  # fmt: skip
    hints = {column.title: column.hint for column in table.columns}
    assert hints["q"].startswith("p (names), adjusted for all models, emotions and terms of the corpus, names and noun")
    assert "*** p < .01, ** p < .05, * p < .10 with names as the unit, not adjusted" in hints["Effect"]
    blind = first(table, model="blind", term="gender", persons="names")
    assert blind.cells[4].text == (
        "no test: the model gives all persons of a group the same scores, it does not see them"
    )
    assert {cell.text for cell in blind.cells[5:-1]} == {"–"}


def test_pearson_is_the_mean_over_seeds_with_their_deviation(summary: Summary) -> None:
    table = tables.pearson_table(summary.metrics, CORPORA)
    # .50 and .52, and for blind .60 and .62: standard deviation .02 / sqrt(2). One seed of alpha, ar, joy failed.
    assert texts(table) == [
        ["alpha", "en", ".510 ± .014", ".510 ± .014", ".510"],
        ["alpha", "ar", ".510 ± .014", ".500 (n=1)", ".505 (n=1)"],
        ["blind", "en", ".610 ± .014", ".610 ± .014", ".610"],
        ["blind", "ar", ".610 ± .014", ".610 ± .014", ".610"],
    ]
    assert table.caption.endswith("mean ± standard deviation over 2 seeds; (n=…): over fewer")
    assert table.columns[2].where == {"emotion": "anger"}
    assert table.rows[0].where == {"model": "alpha", "language": "en", "corpus": "made_up_en"}


def test_an_undefined_pearson_is_not_averaged_away(summary: Summary) -> None:
    metrics = summary.metrics.copy()
    metrics.loc[metrics["emotion"].eq("joy") & metrics["seed"].eq(0), "pearson"] = float("nan")
    table = tables.pearson_table(metrics, {})
    assert texts(table)[0] == ["alpha", "en", ".510 ± .014", "undefined", "–"]
    assert "corpus" not in table.rows[0].where


def test_metrics_table_has_both_splits(summary: Summary) -> None:
    table = tables.metrics_table(summary.metrics, CORPORA)
    assert len(table.rows) == 16
    assert texts(table)[0] == [
        "alpha", "en", "anger", "dev", "100", "2", ".510 ± .014", ".300 ± .000", ".510 ± .014", ".020 ± .000",
    ]  # fmt: skip


def test_seeds_table_tells_which_seeds_finished(summary: Summary) -> None:
    table = tables.seeds_table(summary.cells, summary.metrics, effects(summary.coefficients))
    told = {tuple(row[:3]): row[3:] for row in texts(table)}
    assert told["alpha", "ar", "joy"] == ["0", ".500", "4", "–", "–", told["alpha", "ar", "joy"][5]]
    assert told["alpha", "en", "anger"][0] == "0 and 1"
    assert told["blind", "en", "anger"][2:] == ["0", "–", "–", "–"]  # no effect has an estimate


def test_coverage_is_told_by_group(summary: Summary) -> None:
    table = tables.coverage_table(summary.names, ["race", "gender"])
    assert len(table.rows) == 2 * 2 * 4
    told = {tuple(row[:3]): row[3:] for row in texts(table)}
    assert told["alpha", "made_up_en", "Anglo, male"] == ["2", "100 %", "2.0"]
    assert told["blind", "made_up_ar", "Arab, female"] == ["2", "0 %", "2.0"]
    assert not tables.coverage_table(summary.names.assign(tokens=float("nan")), ["race"]).rows


def test_corpora_are_counted(summary: Summary) -> None:
    table = provenance.corpora_table(summary.corpora, summary.names)
    assert [row[:8] for row in texts(table)] == [
        ["made_up_en", "en", "1.0", "MIT", "36", "36", "8", "4"],
        ["made_up_ar", "ar", "1.0", "MIT", "36", "36", "8", "4"],
    ]
    assert texts(table)[0][9:] == ["no", "c" * 12, "Made up."]


def test_failed_and_missing_cells_tell_line_and_reason(summary: Summary) -> None:
    missing = pd.DataFrame({"sweep": ["s"], "line": ["model=alpha seed=7"]})
    table = provenance.failed_table(summary.cells, missing)
    assert texts(table) == [
        ["alpha-ar-joy-s1", "failed", f"ModelError: {EVIL}", "model=alpha task.lang=ar task.emotion=joy seed=1"],
        ["–", "missing", "asked for, but there is no run of it", "model=alpha seed=7"],
    ]
    assert table.rows[0].where == {"model": "alpha", "language": "ar", "emotion": "joy"}


def test_superseded_runs_are_not_failures(summary: Summary) -> None:
    cells = summary.cells.assign(status="superseded")
    assert not provenance.failed_table(cells, summary.missing).rows
    assert len(provenance.cells_table(cells).rows) == 16


def test_data_files_show_no_folder_and_stand_once(summary: Summary) -> None:
    table = provenance.data_table(provenance.read_manifests(summary.cells))
    assert texts(table) == [
        [f"{language}-{emotion}.txt", "100", "d" * 64] for language in ("ar", "en") for emotion in ("anger", "joy")
    ]
    assert table.rows[0].where == {"language": "ar", "emotion": "anger"}


def test_models_table_leaves_out_what_differs_between_runs(summary: Summary) -> None:
    table = provenance.models_table(provenance.read_manifests(summary.cells), summary.cells)
    assert texts(table)[0] == ["alpha", "en", "encoder.checkpoint: hub:m@1"]
    assert len(table.rows) == 4


def test_software_that_differs_is_counted() -> None:
    common: dict[str, Any] = {"config": {"stats": {"level": 0.95}}, "command": ["x", "-m"], "timings": {"fit": 30}}
    manifests = [common | {"versions": {"numpy": v}, "started": s} for v, s in (("2", "b"), ("2", "a"), ("3", "c"))]
    told = dict(texts(provenance.software_table(manifests)))
    assert told == {
        "numpy": "2 (2 cells) and 3 (1 cell)",
        "stats.level": "0.95",
        "command": "bias_lab -m",
        "first cell started": "a",
        "computing time, all cells": "1.5 min",
    }


def test_the_sample_task_is_known(summary: Summary) -> None:
    manifests = provenance.read_manifests(summary.cells)
    assert not provenance.is_sample(manifests)
    assert provenance.is_sample([*manifests, {"config": {"task": {"kind": "sample"}}}])
