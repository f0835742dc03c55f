"""Whole cells through the command line's entry point, with a real (tiny) encoder and the shipped sample."""

import json
import sys

import numpy as np
import pandas as pd
import pytest
from hydra.core.global_hydra import GlobalHydra

from bias_lab import cli
from bias_lab.encoders.frozen import FrozenEncoder
from wandb_reader import offline_runs, read_run


@pytest.fixture
def command(tmp_path, monkeypatch, tiny_checkpoint):
    """Call the command line in a folder of its own; returns (exit code, folder)."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BIAS_LAB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("WANDB_MODE", "offline")

    def call(*arguments, model=("model=encoder", f"model.name_or_path={tiny_checkpoint}")):
        common = ["task=sample", *model, "trainer=cpu", "trainer.max_epochs=2"]
        monkeypatch.setattr(sys, "argv", ["bias_lab", *common, *arguments])
        monkeypatch.setenv("HYDRA_FULL_ERROR", "0")  # the entry point sets it for its own process
        GlobalHydra.instance().clear()
        try:
            cli.main()
        except SystemExit as stop:
            return stop.code
        return 0

    return call


def manifest(folder):
    return json.loads((folder / "manifest.json").read_text(encoding="utf-8"))


def test_a_cell_leaves_a_complete_run_folder(command, tmp_path, capsys):
    out = tmp_path / "out"
    assert command("eec=black_white_en", "tracking=off", f"hydra.run.dir={out}") == 0
    told = manifest(out)
    assert told["status"] == "finished"
    assert told["label"].startswith("tiny-bert")
    assert told["data"][0]["rows"] == 150
    assert len(told["data"][0]["sha256"]) == 64
    assert told["corpora"][0]["scored_rows"] == 60 * 35
    assert 0 < told["coverage"]["test"]["unknown"] < told["coverage"]["test"]["tokens"]
    names = pd.read_csv(out / "name_coverage.csv")
    assert list(names.columns) == ["eec", "person", "race", "gender", "tokens", "unknown"]
    assert (len(names), names["tokens"].sum(), names["unknown"].sum()) == (40, 40, 40)
    assert told["model"]["encoder"]["cache"]["encoded"] > 0

    scored = pd.read_parquet(out / "predictions" / "black_white_en.parquet")
    assert set(scored["emotion"]) == {"anger"}
    assert scored["prediction"].between(0, 1, inclusive="neither").all()
    coefficients = pd.read_csv(out / "coefficients.csv").query("coding == 'treatment'")
    # The tiny encoder's vocabulary has no name, so that it cannot see whom a sentence is about.
    assert set(coefficients.query("subset == 'names'")["status"]) == {"invariant"}
    assert coefficients.query("subset == 'names'")["p_name"].isna().all()
    assert list(coefficients["term"]) == [
        "Intercept",
        "race[African-American]",
        "gender[female]",
        "race[African-American]:gender[female]",
        "Intercept",
        "gender[female]",
    ]
    metrics = json.loads((out / "metrics.json").read_text(encoding="utf-8"))
    task = pd.read_parquet(out / "task_predictions.parquet").query("split == 'test'")
    expected = np.corrcoef(task["gold"], task["prediction"])[0, 1]
    assert metrics["test"]["pearson"] == pytest.approx(expected, abs=1e-12)
    assert set(task.columns) == {"split", "id", "gold", "prediction"}
    for name in ("config.yaml", "head.ckpt", "history.csv", "figures/coefficients.png", "figures/coefficients.svg"):
        assert (out / name).stat().st_size > 0, name
    shown = capsys.readouterr().out
    assert "race[African-American]:gender[female]" in shown
    assert f"run folder: {out}" in shown


def test_the_second_run_encodes_nothing_and_gives_the_same_bits(command, tmp_path):
    for name in ("one", "two"):
        assert command("eec=black_white_en", "tracking=off", f"hydra.run.dir={tmp_path / name}") == 0
    one, two = (pd.read_parquet(tmp_path / name / "predictions" / "black_white_en.parquet") for name in ("one", "two"))
    pd.testing.assert_frame_equal(one, two, check_exact=True)
    assert manifest(tmp_path / "two")["model"]["encoder"]["cache"]["encoded"] == 0
    assert manifest(tmp_path / "one")["identity"] == manifest(tmp_path / "two")["identity"]


def test_one_failing_cell_leaves_the_others_and_the_exit_code_tells(command, tmp_path, capsys):
    arguments = ("eec=none", "tracking=off", f"hydra.sweep.dir={tmp_path / 'sweep'}", "-m", "task.lang=en,xx,es")
    assert command(*arguments) == 1
    cells = [manifest(tmp_path / "sweep" / str(number)) for number in range(3)]
    assert [cell["status"] for cell in cells] == ["finished", "failed", "finished"]
    assert cells[1]["error"] == "ConfigError: task.lang='xx' is not allowed: give one of en, es, ar"
    assert "Traceback" in (tmp_path / "sweep" / "1" / "bias_lab.log").read_text(encoding="utf-8")
    shown = capsys.readouterr().out
    assert "3 cells: 2 finished, 1 failed (" in shown
    assert "task.lang=xx" in shown


def test_an_error_in_the_analysis_fails_the_job(command, tmp_path, capsys, monkeypatch):
    def broken(*_arguments, **_options):
        raise RuntimeError("no statistics today")

    monkeypatch.setattr("bias_lab.analysis.fit_corpora", broken)
    out = tmp_path / "out"
    with pytest.raises(RuntimeError, match="no statistics today"):
        command("eec=black_white_en", "tracking=off", f"hydra.run.dir={out}")
    assert manifest(out)["status"] == "failed"
    assert manifest(out)["error"] == "RuntimeError: no statistics today"


def test_two_corpora_of_one_name_are_refused(command, tmp_path, capsys):
    from bias_lab.corpora import load_corpus

    load_corpus("black_white_en").table.to_csv(tmp_path / "black_white_en.csv", index=False)
    mine = ["eec.corpora.csv.path=black_white_en.csv", "eec.corpora.csv.language=en"]
    assert command("eec=[csv,black_white_en]", *mine, "tracking=off") == 1
    assert (
        "eec: two corpora are named black_white_en; give yours another name, such as eec.corpora.csv.name=mine"
        in capsys.readouterr().err
    )


def test_traps_in_the_users_corpus_are_warned_about(command, tmp_path, capsys):
    from bias_lab.corpora import load_corpus

    table = load_corpus("black_white_en").table.query("emotion == 'anger' and person_kind == 'name'")
    table = table[table["person"].isin(["Alonzo", "Jamel", "Adam", "Harry", "Ebony", "Amanda", "Katie"])]
    pd.concat([table, table.head(3)]).to_csv(tmp_path / "mine.csv", index=False)
    mine = ["eec=csv", "eec.corpora.csv.path=mine.csv", "eec.corpora.csv.language=en"]
    assert command(*mine, "tracking=off", model=("model=svm_tfidf",)) == 0
    log = capsys.readouterr().err
    assert "mine: African-American female is one person only, so that group and name cannot be told apart" in log
    assert "mine: 3 rows repeat a sentence of the same person and emotion and count again" in log


def test_a_scikit_learn_pipeline_is_a_model_by_configuration_alone(command, tmp_path, capsys):
    (tmp_path / "mine" / "model").mkdir(parents=True)
    (tmp_path / "mine" / "model" / "ridge.yaml").write_text(
        "_target_: bias_lab.models.baseline.BaselineRegressor\n"
        "estimator:\n"
        "  _target_: sklearn.pipeline.make_pipeline\n"
        "  _args_:\n"
        "    - {_target_: sklearn.feature_extraction.text.TfidfVectorizer, sublinear_tf: true}\n"
        "    - {_target_: sklearn.linear_model.Ridge}\n",
        encoding="utf-8",
    )
    out = tmp_path / "out"
    arguments = ["eec=black_white_en", "tracking=off", f"hydra.run.dir={out}", "--config-dir", "mine"]
    assert command(*arguments, model=("model=ridge",)) == 0
    assert manifest(out)["label"] == "ridge-en-anger-s0"
    assert (out / "baseline.skops").is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("task.lnag=en",), "task.lnag is not a setting; did you mean lang? (choices: kind, lang, emotion)"),
        (
            ("eec=black_white_en", "task.lang=es"),
            "eec: black_white_en is in en, but task.lang=es; choose a corpus of that language",
        ),
        (
            ("task=semeval2018", "task.emotion=valence", "eec=black_white_en"),
            "eec.rows=own: black_white_en has no sentence of task.emotion=valence, only of anger, fear, joy, sadness; "
            "set eec.rows=all, or eec=none",
        ),
        (("model=encoder", "model.name_or_path=./nowhere"), "there is no folder"),
        (("task=semeval2018", "task.data_dir=./nowhere"), "python -m bias_lab.data fetch"),
        (("eec=[black_white_en,nope]",), "Could not load 'eec/nope' (choices: arab_anglo_ar, arab_anglo_en, auto"),
        (("modle=xlmr",), "modle is not a setting; did you mean model?"),
        (("tracking.mode=foo",), "tracking.mode=foo: choose one of auto, online, offline (or tracking=off)"),
        (("model.optimizer.lr=nan",), "a setting is NaN or infinite, which no setting may be"),
        (("trainer=gpu", "eec=none"), "trainer cannot be built: No supported gpu backend found!"),
        (("model.pooling=max",), "model.pooling=max: choose one of cls, mean, last"),
    ],
)
def test_a_users_mistake_is_one_message_and_exit_code_1(command, capsys, arguments, message):
    tracking = [] if "tracking" in arguments[0] else ["tracking=off"]
    assert command(*tracking, *arguments) == 1
    shown = capsys.readouterr()
    assert message in shown.err
    assert "Traceback" not in shown.err


def test_no_tracker_is_opened_for_a_job_whose_configuration_is_wrong(command, tmp_path):
    out = tmp_path / "out"
    assert command("eec=black_white_en", "task.lang=es", f"hydra.run.dir={out}") == 1
    assert manifest(out)["status"] == "failed"
    assert not (out / "wandb").exists()


def test_nothing_is_read_for_a_tracker_that_is_off(command, monkeypatch):
    def read(*_arguments):
        raise AssertionError("read for nobody")

    monkeypatch.setattr("bias_lab.sweep.resume.read_inputs", read)
    assert command("eec=none", "tracking=off", model=("model=svm_tfidf",)) == 0


@pytest.mark.slow
def test_each_job_of_a_sweep_is_one_wandb_run_that_ended_as_the_job_did(command, tmp_path):
    sweep = tmp_path / "sweep"
    cells = ("-m", "task.emotion=anger,joy", "model.layer=-1,9")
    assert command("eec=black_white_en", f"hydra.sweep.dir={sweep}", *cells) == 1
    runs = [read_run(path) for number in range(4) for path in offline_runs(sweep / str(number))]
    (summary,) = (read_run(path) for path in offline_runs(sweep / "wandb"))
    assert (summary["job_type"], summary["exit_code"]) == ("summary", 0)
    assert {run["group"] for run in [*runs, summary]} == {summary["group"]}
    assert [run["exit_code"] for run in runs] == [0, 1, 0, 1]
    assert len({run["id"] for run in runs}) == 4
    first = runs[0]
    assert first["config"]["task"] == {"kind": "sample", "lang": "en", "emotion": "anger"}
    assert first["summary"]["test/pearson"] == pytest.approx(
        json.loads((sweep / "0" / "metrics.json").read_text(encoding="utf-8"))["test"]["pearson"]
    )
    assert first["summary"]["bias/black_white_en/race_African_American/status"] == "invariant"
    sample = (cli.conf_dir().parent / "src/bias_lab/data/sample/en.tsv").read_text(encoding="utf-8")
    texts = [line.split("\t")[1] for line in sample.splitlines()[1:]]
    stored = b"".join(path.read_bytes() for path in sweep.glob("*/wandb/**/*") if path.is_file())
    assert not [text for text in texts if text.encode() in stored]


def test_all_texts_of_a_cell_are_encoded_at_once(command, tmp_path, monkeypatch):
    calls = []
    encode = FrozenEncoder.encode
    monkeypatch.setattr(FrozenEncoder, "encode", lambda self, texts: calls.append(len(texts)) or encode(self, texts))
    assert command("eec=black_white_en", "tracking=off", "hydra.run.dir=out") == 0
    told = manifest(tmp_path / "out")["model"]["encoder"]["cache"]
    assert calls == [told["encoded"]]
