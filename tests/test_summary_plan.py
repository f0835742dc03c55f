"""Cells that a sweep was asked for and that left no folder."""

import pytest

from bias_lab.summary import collect
from bias_lab.summary.plan import missing_lines, planned_lines
from summary_cells import write_cell, write_failed, write_plan


def test_hydras_grammar_is_multiplied_out(tmp_path):
    write_plan(tmp_path, "model=svm", "task.emotion=anger,joy", "seed=range(0,2)")
    assert planned_lines(tmp_path) == [
        ("model=svm", "task.emotion=anger", "seed=0"),
        ("model=svm", "task.emotion=anger", "seed=1"),
        ("model=svm", "task.emotion=joy", "seed=0"),
        ("model=svm", "task.emotion=joy", "seed=1"),
    ]


def test_the_sweepers_own_parameters_count_and_the_line_wins(tmp_path):
    write_plan(tmp_path, "+experiment=paper", "seed=3", params={"seed": "0,1,2", "task.lang": "en,es"})
    assert planned_lines(tmp_path) == [
        ("task.lang=en", "+experiment=paper", "seed=3"),
        ("task.lang=es", "+experiment=paper", "seed=3"),
    ]


@pytest.mark.parametrize("text", ["", "hydra: {}", "hydra: [", "hydra:\n  overrides:\n    task: ['model=glob(*)']"])
def test_a_plan_that_cannot_be_told_says_nothing_is_missing(tmp_path, text):
    (tmp_path / "multirun.yaml").write_text(text, encoding="utf-8")
    assert planned_lines(tmp_path) == []


def test_only_what_varies_is_compared(tmp_path):
    planned = [("model=svm", "seed=0"), ("model=svm", "seed=1")]
    assert missing_lines(planned, [("model=svm", "seed=0", "tracking=off")]) == [("model=svm", "seed=1")]
    assert missing_lines([("model=svm",)], [("seed=0",)]) == []
    assert missing_lines([], [("seed=0",)]) == []


def test_a_failed_cell_is_not_missing_and_an_unborn_one_is(tmp_path):
    write_plan(tmp_path, "model=svm", "task.lang=en", "task.emotion=anger", "seed=0,1,2")
    write_cell(tmp_path / "0", seed=0)
    write_failed(tmp_path / "1", overrides=["model=svm", "task.lang=en", "task.emotion=anger", "seed=1"])
    missing = collect([tmp_path]).missing
    line = "model=svm task.lang=en task.emotion=anger seed=2"
    assert missing.to_numpy().tolist() == [[str(tmp_path), line]]
