"""The summary folder, the screen, and the command."""

import hashlib
import json
import shutil
import subprocess
import sys

import pandas as pd
import pytest
from rich.console import Console

from bias_lab import summarize
from bias_lab.errors import DataError
from bias_lab.summary import collect
from bias_lab.summary.collect import SAMPLE_NOTE
from bias_lab.summary.screen import screen
from bias_lab.summary.write import write_summary
from summary_cells import predictions, write_cell, write_failed, write_plan

SCREEN = 40  # lines


@pytest.fixture
def sweep(tmp_path):
    folder = tmp_path / "sweep"
    write_cell(folder / "0", seed=0)
    write_cell(folder / "1", seed=1, pearson=0.6)
    write_cell(folder / "2", model="other_1", table=predictions(seed=3, shift=0.4))
    write_failed(folder / "3", overrides=["model=svm", "seed=2"], error="DataError: a | b\nsecond line")
    write_plan(folder, "model=svm,other_1", "seed=0,1,2")
    return folder


def digests(folder):
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_the_command_writes_tables_in_three_forms_and_prints_a_screen(sweep, capsys):
    assert summarize.main([str(sweep)]) == 0
    out = sweep / "summary"
    files = json.loads((out / "summary.json").read_text(encoding="utf-8"))["files"]
    assert sorted([*files, "summary.json"]) == sorted(digests(out))
    kinds = ["coefficients_made_up", "effects_made_up", "findings", "pearson"]
    tables = [f"tables/{name}.{kind}" for name in kinds for kind in ("md", "tex")]
    data = ("cells", "coefficients", "corpora", "failed", "metrics", "names", "scores")
    assert files == sorted([*(f"{name}.csv" for name in data), *tables, "report.html", "summary.md", "tables.tex"])
    failed = pd.read_csv(out / "failed.csv", keep_default_na=False)
    assert failed.to_numpy().tolist() == [
        ["failed", "svm-?-?-s2", "model=svm seed=2", "DataError: a | b\nsecond line", "3"],
        ["missing", "", "model=other_1 seed=1", "the sweep ended before its turn", "."],
        ["missing", "", "model=other_1 seed=2", "the sweep ended before its turn", "."],
    ]
    page = (out / "summary.md").read_text(encoding="utf-8")
    assert "4 cells: 3 finished, 1 failed; 2 missing." in page
    assert "| failed | model=svm seed=2 | DataError: a \\| b |" in page
    assert "| svm | en | 0.550 ± 0.071 | 0.550 ± 0.071 |" in page
    shown = capsys.readouterr().out
    assert "4 cells: 3 finished, 1 failed; 2 missing" in shown
    assert "failed: model=svm seed=2\n  DataError: a | b\n" in shown
    assert "0.550 ± 0.071" in shown
    assert shown.endswith("summary\n")


def test_the_csv_of_coefficients_keeps_every_digit(sweep):
    summary = collect([sweep])
    out = write_summary(summary, sweep / "summary")
    read = pd.read_csv(out / "coefficients.csv", keep_default_na=False, na_values=[""])
    for name, values in summary.coefficients.items():
        if values.dtype == "float64":
            pd.testing.assert_series_equal(read[name].astype("float64"), values, check_exact=True)


def test_rebuilding_gives_the_same_bytes_wherever_it_is_called_from(sweep, tmp_path, monkeypatch):
    assert summarize.main([str(sweep), "--jobs", "1"]) == 0
    first = digests(sweep / "summary")
    monkeypatch.chdir(sweep)
    assert summarize.main(["."]) == 0
    assert digests(sweep / "summary") == first
    moved = tmp_path / "elsewhere"
    shutil.move(sweep, moved)
    monkeypatch.chdir(tmp_path)
    shutil.rmtree(moved / "summary")
    assert summarize.main(["elsewhere"]) == 0
    assert digests(moved / "summary") == first


def test_what_is_outdated_goes_and_what_somebody_put_there_stays(sweep):
    summary = collect([sweep])
    out = write_summary(summary, sweep / "summary", pages=[lambda _s, folder: (folder / "report.html").write_text("r")])
    assert (out / "report.html").read_text() == "r"
    (out / "own").mkdir()
    (out / "own" / "notes.txt").write_text("mine")
    write_summary(summary, out)
    assert not (out / "report.html").exists()
    assert (out / "own" / "notes.txt").read_text() == "mine"
    files = json.loads((out / "summary.json").read_text(encoding="utf-8"))["files"]
    assert "own/notes.txt" not in files
    write_summary(summary, out)
    assert (out / "own" / "notes.txt").exists()


def test_a_failure_leaves_the_old_summary_and_nothing_else(sweep):
    summary = collect([sweep])
    out = write_summary(summary, sweep / "summary")
    before, beside = digests(out), sorted(sweep.iterdir())

    def full(_summary, _folder):
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        write_summary(summary, out, pages=[full])
    assert digests(out) == before
    assert sorted(sweep.iterdir()) == beside
    with pytest.raises(DataError) as caught:
        summarize.summarise([sweep], jobs=1, pages=[full])
    assert str(caught.value) == f"{out}: the summary cannot be written: [Errno 28] No space left on device"


def test_a_folder_of_other_things_is_not_replaced(sweep, tmp_path, capsys):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("years of work")
    assert summarize.main([str(sweep), "--out", str(tmp_path / "mine")]) == 1
    assert capsys.readouterr().err == (
        f"error: {tmp_path / 'mine'}: this is there already and is no summary of ours (no readable summary.json); "
        "give another folder with --out, or move it away\n"
    )
    assert (tmp_path / "mine" / "thesis.tex").read_text() == "years of work"


def test_several_sweeps_are_one_summary_and_wrong_calls_are_told(sweep, tmp_path, capsys):
    write_cell(tmp_path / "second" / "0", language="es", table=predictions(eec="made_up_es"))
    assert summarize.main([str(sweep), str(tmp_path / "second"), "--out", str(tmp_path / "both")]) == 0
    scores = pd.read_csv(tmp_path / "both" / "scores.csv")
    assert scores["language"].drop_duplicates().tolist() == ["en", "es"]
    assert not (sweep / "summary").exists()
    capsys.readouterr()
    assert summarize.main([str(tmp_path / "nowhere")]) == 1
    assert capsys.readouterr().err.startswith(f"error: {tmp_path / 'nowhere'}: there is no such folder; ")
    with pytest.raises(SystemExit):
        summarize.main([str(sweep), "--jobs", "0"])
    assert "'0' is not a whole number from 1" in capsys.readouterr().err


def test_a_sweep_of_failures_has_a_summary_without_numbers(tmp_path, capsys):
    write_failed(tmp_path / "0", overrides=["model=svm"])
    assert summarize.main([str(tmp_path)]) == 0
    assert (
        "1 cell: 1 failed\nfailed: model=svm\n  DataError: no file\nno corpus was scored\n" in capsys.readouterr().out
    )
    assert len(pd.read_csv(tmp_path / "summary" / "coefficients.csv")) == 0


def test_the_sample_is_warned_of_on_the_screen_and_on_the_page(tmp_path, capsys):
    write_cell(tmp_path / "0", settings={"task": {"kind": "sample", "lang": "en", "emotion": "anger"}})
    assert summarize.main([str(tmp_path)]) == 0
    assert "note: no basis for findings: models here were trained on the small sample" in capsys.readouterr().out
    page = (tmp_path / "summary" / "summary.md").read_text(encoding="utf-8")
    assert "\n- no basis for findings: models here were trained on the small sample of texts" in page
    html = (tmp_path / "summary" / "report.html").read_text(encoding="utf-8")
    assert html.lower().count("no basis for findings") == 1


def test_an_analysis_of_ones_own_leaves_scores_names_and_cells(tmp_path, capsys):
    for seed in (0, 1):
        write_cell(tmp_path / str(seed), seed=seed, pearson=0.4 + 0.2 * seed, settings={"stats": {"_target_": "mine"}})
    assert summarize.main([str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert "2 cells: 2 finished\nnote: no comparable coefficients of svm en (anger): their analysis is mine, " in shown
    assert "0.500 ± 0.141" in shown
    assert "\nthere are no coefficients that can be compared\n" in shown
    out = tmp_path / "summary"
    assert len(pd.read_csv(out / "coefficients.csv")) == 0
    assert len(pd.read_csv(out / "names.csv")) == 16 + 6
    assert (out / "tables" / "pearson.md").is_file()
    html = (out / "report.html").read_text(encoding="utf-8")
    assert "There are no coefficients that can be compared, so there is no effect to report." in html
    assert "Scores by name</h2>" in html
    assert "Table of effects</h2>" not in html


def test_fewer_seeds_are_told_on_the_screen(sweep, capsys):
    write_cell(sweep / "4", seed=1, language="es", table=predictions(eec="made_up_es"))
    assert summarize.main([str(sweep)]) == 0
    row = next(line for line in capsys.readouterr().out.splitlines() if line.startswith(" svm "))
    assert row.split() == ["svm", "0.550", "±", "0.071", "0.500", "(n=1)"]


def test_many_models_corpora_failures_and_findings_fit_a_screen(sweep):
    summary = collect([sweep])
    many = [summary.coefficients.assign(model=f"m{i}", eec=f"corpus_{i}", q=0.001) for i in range(30)]
    cells = pd.concat([summary.cells] * 30, ignore_index=True)
    scores = pd.concat([summary.metrics.assign(model=f"m{i}") for i in range(30)], ignore_index=True)
    scores = scores.drop_duplicates(["model", "language", "emotion", "seed", "split"])
    fields = {**vars(summary), "coefficients": pd.concat(many), "cells": cells, "metrics": scores}
    fields["notes"] = (SAMPLE_NOTE, "a note of two lines " * 8)
    console = Console(width=110, record=True, file=open("/dev/null", "w"))  # noqa: SIM115, PTH123
    for part in screen(type(summary)(**fields)):
        console.print(part)
    console.file.close()
    text = console.export_text()
    assert len(text.splitlines()) <= SCREEN
    assert text.count("and 25 more") == 2
    assert "more in failed.csv" in text
    assert "more in coefficients.csv" in text


@pytest.mark.slow
def test_the_module_runs_as_a_command(sweep):
    command = [sys.executable, "-m", "bias_lab.summarize", str(sweep)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "tables: " in done.stdout
