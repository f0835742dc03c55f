"""Whole sweeps in this process, of a model that takes no time: what runs, what is skipped, what is told."""

import json
import shutil
import sys

import pandas as pd
import pytest

from bias_lab import cli
from sweep_here import manifest, started


def test_the_same_command_runs_nothing_twice_and_more_cells_join_the_folder(sweep, tmp_path):
    assert sweep("seed=0,1")[0] == 0
    first = started(tmp_path / "sweep")
    code, out, err = sweep("seed=0,1")
    assert code == 0
    assert "2 of 2 cells are finished already; nothing is left to run (sweep)" in err
    assert "2 cells: 2 finished (sweep)\n" in out
    assert started(tmp_path / "sweep") == first
    code, _, err = sweep("seed=2,1,0")
    assert "2 of 3 cells are finished already; to run: 1 missing (sweep)" in err
    again = started(tmp_path / "sweep")
    assert {name: again[name] for name in first} == first
    assert manifest(tmp_path / "sweep" / "2")["seed"] == 2
    assert "1/1 fault-en-anger-s2 finished in" in err


def test_a_failed_cell_runs_again_alone_and_the_sweeps_own_command_is_known(sweep, tmp_path):
    there = tmp_path / "there"
    line = f"model.kind=none,'unless:{there}'"
    code, out, err = sweep(line)
    assert code == 1
    reason = manifest(tmp_path / "sweep" / "1")["error"]
    assert "the file is not there yet" in reason
    failed = f"failed: task=sample model=fault eec=none tracking=off model.kind='unless:{there}'"
    assert f"{failed} (log: sweep/1/bias_lab.log)\n  {reason}" in out
    assert f"2/2 fault-en-anger-s0 failed\n  {failed.removeprefix('failed: ')}\n  {reason}" in err
    assert "Traceback" not in err
    assert "Traceback" in (tmp_path / "sweep" / "1" / "bias_lab.log").read_text(encoding="utf-8")
    first = started(tmp_path / "sweep")
    there.touch()
    code, out, err = sweep("resume=sweep", alone=True)
    assert code == 0
    assert "1 of 2 cells are finished already; to run: 1 failed before (sweep)" in err
    assert "2 cells: 2 finished (sweep)\n" in out
    assert started(tmp_path / "sweep")["0"] == first["0"]
    assert "Traceback" not in (tmp_path / "sweep" / "1" / "bias_lab.log").read_text(encoding="utf-8")


def test_a_cell_whose_process_died_runs_again_and_after_the_others(sweep, tmp_path):
    assert sweep("seed=0,1")[0] == 0
    content = manifest(tmp_path / "sweep" / "0")
    (tmp_path / "sweep" / "0" / "manifest.json").write_text(json.dumps(content | {"status": "running"}))
    (tmp_path / "sweep" / "0" / "half.tmp").touch()
    code, _, err = sweep("seed=0,1,2")
    assert code == 0
    assert "1 of 3 cells are finished already; to run: 1 did not end, 1 missing" in err
    assert err.index("1/2 fault-en-anger-s2") < err.index("2/2 fault-en-anger-s0")
    assert not (tmp_path / "sweep" / "0" / "half.tmp").exists()


def test_a_changed_setting_runs_again_and_keeps_the_old_results_aside(sweep, tmp_path):
    assert sweep("seed=0,1")[0] == 0
    old = (tmp_path / "sweep" / "1" / "metrics.json").read_text(encoding="utf-8")
    code, out, err = sweep("seed=0,1", "model.slope=5")
    assert code == 0
    assert "0 of 2 cells are finished already; to run: 2 with another configuration (sweep)" in err
    assert "finished results of 2 changed cells are kept in sweep/replaced" in err
    assert "2 cells: 2 finished (sweep)\n" in out
    assert "slope: 5" in (tmp_path / "sweep" / "1" / "config.yaml").read_text(encoding="utf-8")
    (aside,) = (tmp_path / "sweep" / "replaced").glob("1-*")
    assert (aside / "metrics.json").read_text(encoding="utf-8") == old
    assert (aside / "manifest.replaced.json").is_file()
    # Where results are kept and who watches changes nothing.
    assert "2 of 2 cells are finished already" in sweep("seed=0,1", "model.slope=5", "cache_dir=elsewhere")[2]


def test_changed_data_and_corpora_run_again_even_under_the_same_names(sweep, tmp_path):
    sample = cli.conf_dir().parent / "src" / "bias_lab" / "data" / "sample" / "en.tsv"
    table = pd.read_csv(sample, sep="\t").rename(columns={"anger": "score"})
    for split in ("train", "dev", "test"):
        table[table["split"] == split].to_csv(tmp_path / f"{split}.csv", index=False)
    corpus = pd.DataFrame({"person": ["Ann", "Bob"] * 4, "gender": ["female", "male"] * 4, "race": "White"})
    corpus["sentence"] = [f"{person} is angry, {n // 2}." for n, person in enumerate(corpus["person"])]
    corpus.to_csv(tmp_path / "mine.csv", index=False)
    mine = ["eec=csv", "eec.corpora.csv.path=mine.csv", "eec.corpora.csv.language=en", "eec.rows=all"]
    mine.append("eec.corpora.csv.factors={gender: {reference: male}}")
    line = ["task=table", "task.train=train.csv", "task.dev=dev.csv", "task.test=test.csv", *mine, "seed=0"]
    assert sweep(*line)[0] == 0
    assert "1 of 1 cells are finished already" in sweep(*line)[2]
    table[table["split"] == "train"].iloc[1:].to_csv(tmp_path / "train.csv", index=False)
    assert "to run: 1 with other data" in sweep(*line)[2]
    corpus.iloc[2:].to_csv(tmp_path / "mine.csv", index=False)
    assert "to run: 1 with other corpora" in sweep(*line)[2]
    assert manifest(tmp_path / "sweep" / "0")["corpora"][0]["rows"] == 6
    # Without its data the cell could not run: its results are all there is.
    (tmp_path / "train.csv").unlink()
    assert "1 of 1 cells are finished already" in sweep(*line)[2]


def test_a_cell_that_cannot_be_composed_fails_alone(sweep, tmp_path):
    code, out, err = sweep("model=fault,nonesuch")
    assert code == 1
    assert "2 cells: sweep" not in err
    assert "0 of 2 cells are finished already; to run: 1 missing, 1 cannot be composed (sweep)" in err
    assert manifest(tmp_path / "sweep" / "0")["status"] == "finished"
    assert manifest(tmp_path / "sweep" / "1")["error"].startswith(
        "MissingConfigException: In 'config': Could not find 'model/nonesuch' Available options in 'model': bert_plus"
    )
    assert "Config search path" not in out
    assert "MissingConfigException" in (tmp_path / "sweep" / "1" / "bias_lab.log").read_text(encoding="utf-8")


def test_what_no_cell_can_be_composed_with_is_one_error_before_anything_is_written(sweep, tmp_path):
    code, _, err = sweep("model=nonesuch,nothing")
    assert code == 1
    assert "Could not find 'model/nonesuch'" in err
    assert not (tmp_path / "sweep").exists()


def test_exit_and_a_failing_callback_fail_their_cell_and_no_other(sweep, tmp_path):
    callback = "+hydra.callbacks.mine._target_=sweep_faults.FaultyCallback"
    code, out, _ = sweep("model.kind=none,exit", "seed=0,1", callback)
    assert code == 1
    cells = [manifest(tmp_path / "sweep" / str(number)) for number in range(4)]
    assert [cell["status"] for cell in cells] == ["finished", "failed", "failed", "failed"]
    assert cells[2]["error"] == "RuntimeError: the job called exit(4)"
    assert "Callback FaultyCallback" in (tmp_path / "sweep" / "1" / "bias_lab.log").read_text(encoding="utf-8")
    told = "RuntimeError: Callback FaultyCallback.on_job_end raised OSError: the callback's server is away"
    assert [cells[1]["error"], cells[3]["error"]] == [told, cells[2]["error"]]
    assert "4 cells: 1 finished, 3 failed (sweep)\n" in out


def test_ctrl_c_keeps_what_is_done_marks_the_cell_in_flight_and_says_how_to_go_on(sweep, tmp_path):
    code, out, err = sweep("model.kind=none,interrupt,late_none", "seed=0,1")
    assert code == 130
    assert err.endswith("interrupted\n")
    cells = started(tmp_path / "sweep")
    assert sorted(cells) == ["0", "1", "2"]
    assert manifest(tmp_path / "sweep" / "1")["status"] == "finished"
    assert manifest(tmp_path / "sweep" / "2")["status"] == "failed"
    assert manifest(tmp_path / "sweep" / "2")["error"] == "interrupted"
    assert "6 cells: 2 finished, 1 failed, 3 missing (sweep)\n" in out
    assert out.endswith("interrupted; to go on: python -m bias_lab resume=sweep\n")
    assert sys.stdout is not None
    assert "bias_lab.sweep" not in type(sys.stdout).__module__


def test_a_single_run_that_is_interrupted_says_so_too(sweep, tmp_path):
    line = ["task=sample", "model=fault", "eec=none", "tracking=off", "model.kind=interrupt"]
    code, _, err = sweep(*line, "hydra.run.dir=one", alone=True)
    assert (code, err.splitlines()[-1]) == (130, "interrupted")
    assert (manifest(tmp_path / "one")["status"], manifest(tmp_path / "one")["error"]) == ("failed", "interrupted")


def test_a_single_run_into_a_folder_that_cannot_be_written_to_is_one_line(sweep, tmp_path):
    (tmp_path / "file").touch()
    code, out, err = sweep("task=sample", "model=fault", "eec=none", "hydra.run.dir=file/one", alone=True)
    assert (code, out) == (1, "")
    assert err == "error: file/one cannot be written to: [Errno 20] Not a directory: 'file/one'\n"
    code, _, err = sweep("seed=0", "hydra.sweep.dir=file/one")
    assert (code, err) == (
        1,
        "error: file/one cannot be written to: [Errno 20] Not a directory: 'file/one/.locks'\n",
    )


def test_what_jobs_print_goes_to_their_own_file(sweep, tmp_path):
    _, out, err = sweep("seed=0,1")
    assert "agreement with the gold scores" not in out + err
    for name in ("0", "1"):
        printed = (tmp_path / "sweep" / name / "output.log").read_text(encoding="utf-8")
        assert f"fault-en-anger-s{name}: agreement with the gold scores" in printed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("trainer.devices=2",), "error: trainer.devices=2 is not allowed in a sweep: Lightning would start the whole"),
        (("+trainer.strategy=ddp",), "error: trainer.strategy=ddp is not allowed in a sweep"),
        (("trainer.devices=auto",), "hydra/launcher=joblib gives each process a GPU of its own"),
        (
            ("seed=0,1", "hydra.sweep.subdir=same"),
            "error: hydra.sweep.subdir=same gives two cells the same folder; one",
        ),
        (("seed=0,1", "hydra.sweep.subdir=../up"), "error: hydra.sweep.subdir=../up: give each cell a folder of its"),
        (
            ("seed=0,1", "hydra.sweep.subdir='summary/${hydra.job.num}'"),
            "error: hydra.sweep.subdir=summary/0: summary in the sweep's folder is not for cells (taken are summary, "
            "wandb, replaced, .locks, .submitit, multirun.yaml); choose another name",
        ),
        (("seed=0,1", "hydra.sweep.subdir=./replaced/${seed}"), "replaced in the sweep's folder is not for cells"),
        (("resume=nowhere",), "error: resume=nowhere: there is no sweep in "),
        (("resume=faults",), "give the folder that the sweep printed, such as multirun/<date>/<time>"),
    ],
)
def test_mistakes_are_told_before_anything_is_written(sweep, tmp_path, arguments, message):
    code, _, err = sweep(*arguments)
    assert code == 1
    assert message in err
    assert "Traceback" not in err
    assert not list(tmp_path.rglob("manifest.json"))


def test_a_folder_that_is_not_a_runs_is_not_emptied(sweep, tmp_path):
    mine = tmp_path / "sweep" / "0" / "thesis.tex"
    mine.parent.mkdir(parents=True)
    mine.touch()
    code, _, err = sweep("seed=0")
    assert code == 1
    assert "error: sweep/0 holds files that are not a run's: choose another hydra.sweep.dir" in err
    assert mine.exists()


def test_folders_named_by_the_user_are_found_again(sweep, tmp_path):
    line = ("seed=0,1", "hydra.sweep.subdir=${task.lang}/seed-${seed}")
    assert sweep(*line)[0] == 0
    assert manifest(tmp_path / "sweep" / "en" / "seed-1")["seed"] == 1
    assert "2 of 2 cells are finished already" in sweep(*line)[2]
    shutil.rmtree(tmp_path / "sweep" / "en" / "seed-0")
    assert "to run: 1 missing" in sweep(*line)[2]


def test_the_papers_grid_is_one_word_and_every_list_can_be_replaced(sweep, tmp_path):
    given = ("task=sample", "eec=none", "tracking=off", "+experiment=paper", "hydra.sweep.dir=sweep")
    line = ("model=fault", "task.emotion=anger,joy", "task.lang=en,ar", "seed=0", *given)
    assert sweep(*line, alone=True)[0] == 0  # also without -m
    labels = [manifest(tmp_path / "sweep" / str(number))["label"] for number in range(4)]
    assert labels == [f"fault-{lang}-{emotion}-s0" for lang in ("en", "ar") for emotion in ("anger", "joy")]
