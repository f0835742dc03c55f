"""What the cells of a sweep have to say, against hand computations on their files."""

import json
import re
import shutil
from dataclasses import fields

import numpy as np
import pandas as pd
import pytest
from scipy.stats import false_discovery_control

import bias_lab
from bias_lab.errors import ConfigError, DataError
from bias_lab.stats import BetaRegression
from bias_lab.summary import collect
from bias_lab.summary.collect import SAMPLE_NOTE
from stats_tables import FACTORS
from summary_cells import STATS, predictions, write_cell, write_failed

TERMS = ["Intercept", "race[African-American]", "gender[female]", "race[African-American]:gender[female]"]


def set_manifest(folder, **entries):
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | entries), encoding="utf-8")


def change_coefficients(folder, value):
    """Make the file's coefficients recognisable."""
    path = folder / "coefficients.csv"
    pd.read_csv(path).assign(coefficient=value).to_csv(path, index=False)


def error_of(call):
    with pytest.raises((DataError, ConfigError)) as caught:
        call()
    return str(caught.value)


@pytest.fixture
def sweep(tmp_path):
    """Two seeds of anger, one of joy, one failed."""
    folder = tmp_path / "sweep"
    write_cell(folder / "0", seed=1, pearson=0.6)
    write_cell(folder / "1", seed=0)
    write_cell(folder / "2", emotion="joy", pearson=None, table=predictions(seed=5, shift=0.1))
    write_failed(folder / "3", overrides=["model=svm", "task.lang=en", "task.emotion=fear", "seed=0"])
    return folder


def test_every_cell_is_listed_and_the_scores_are_those_of_the_files(sweep):
    summary = collect([sweep])
    told = summary.cells.drop(columns=["folder", "overrides"]).fillna({"error": "-"})
    assert told.to_numpy().tolist() == [
        ["svm-en-anger-s0", "svm", "en", "anger", 0, "finished", "-"],
        ["svm-en-anger-s1", "svm", "en", "anger", 1, "finished", "-"],
        ["svm-en-fear-s0", "svm", "en", "fear", 0, "failed", "DataError: no file"],
        ["svm-en-joy-s0", "svm", "en", "joy", 0, "finished", "-"],
    ]
    assert summary.cells["folder"].tolist() == [str(sweep / name) for name in "1032"]
    assert summary.cells["overrides"][2] == "model=svm task.lang=en task.emotion=fear seed=0"
    test = summary.metrics[summary.metrics["split"] == "test"]
    assert test[["emotion", "seed"]].to_numpy().tolist() == [["anger", 0], ["anger", 1], ["joy", 0]]
    np.testing.assert_array_equal(test["pearson"], [0.5, 0.6, np.nan])
    assert summary.corpora[["name", "rows", "factors"]].to_numpy().tolist() == [
        ["made_up", 160, "race: European (reference), African-American; gender: male (reference), female"]
    ]
    assert summary.notes == ()


def test_seeds_are_averaged_per_sentence_before_one_analysis(sweep):
    table = collect([sweep]).coefficients
    anger = table[table["emotion"] == "anger"].reset_index(drop=True)
    one, two = predictions(seed=0), predictions(seed=1)
    mean = one.assign(prediction=(one["prediction"] + two["prediction"]) / 2)
    expected = BetaRegression(**STATS)(mean, FACTORS)
    assert len(anger) == len(expected) == 12
    for name in expected.columns:
        if expected[name].dtype == "float64":  # the order of a sum of two does not show
            np.testing.assert_allclose(anger[name], expected[name], rtol=1e-12, err_msg=name)
        else:
            assert anger[name].tolist() == expected[name].tolist(), name
    singles = [BetaRegression(**STATS)(part, FACTORS) for part in (one, two)]
    spread = np.abs(singles[0]["coefficient"] - singles[1]["coefficient"]) / np.sqrt(2)
    np.testing.assert_allclose(anger["seed_sd_coefficient"], spread, rtol=1e-9)
    assert anger["n_seeds"].tolist() == [2] * 12
    assert table.loc[table["emotion"] == "joy", "n_seeds"].tolist() == [1] * 12


def test_q_is_within_the_subset_and_coding_of_a_corpus_over_all_models_and_emotions(sweep):
    write_cell(sweep / "4", model="other", table=predictions(seed=9, shift=0.4))
    table = collect([sweep]).coefficients
    family = table[(table["subset"] == "names") & (table["coding"] == "treatment") & (table["term"] != "Intercept")]
    assert len(family) == 9  # 3 terms x (2 emotions of svm + 1 of other)
    np.testing.assert_allclose(family["q"], false_discovery_control(family["p_name"], method="bh"), rtol=1e-12)
    assert set(family["family"]) == {"made_up, names, treatment"}
    intercepts = table["term"] == "Intercept"
    assert table.loc[intercepts, "q"].isna().all()
    expected = (table["p_iid"] < 0.05) & (table["p_name"] >= 0.05) & ~intercepts
    assert table["paper_only"].tolist() == expected.tolist()
    assert 0 < expected.sum() < len(table)
    told = family[family["q"] < 0.05]
    assert not told.empty
    assert told["verdict"].str.contains("q = |q < ").all()


def test_the_scores_of_a_name_are_told_with_what_the_vocabulary_knows_of_it(sweep):
    names = collect([sweep]).names
    one, two = predictions(seed=0), predictions(seed=1)
    mine = (one["person"] == "name 0.0").to_numpy()
    scores = (one["prediction"][mine] + two["prediction"][mine]) / 2
    row = names[(names["person"] == "name 0.0") & (names["emotion"] == "anger")].iloc[0]
    assert (row["race"], row["gender"], row["n"], row["tokens"], row["unknown"]) == ("European", "male", 6, 2, 0)
    assert row["mean"] == pytest.approx(scores.mean(), rel=1e-12)
    assert row["sd"] == pytest.approx(scores.std(ddof=1), rel=1e-12)
    phrase = names[names["person_kind"] == "noun_phrase"].iloc[0]
    assert pd.isna(phrase["race"])
    assert pd.isna(phrase["tokens"])


def test_one_seed_is_told_by_its_own_coefficients_only_if_the_same_analysis_wrote_them(sweep):
    joy = sweep / "2"

    def told(**options):
        table = collect([sweep], **options).coefficients
        return table[table["emotion"] == "joy"].reset_index(drop=True)

    before = told()
    change_coefficients(joy, 7.0)
    assert set(told()["coefficient"]) == {7.0}
    assert set(told(regression=BetaRegression(**STATS))["coefficient"]) == {7.0}
    assert 7.0 not in set(told(regression=BetaRegression(permutations=20, level=0.9))["coefficient"])
    set_manifest(joy, versions={"bias_lab": "0.0.1"})
    pd.testing.assert_frame_equal(told(), before, check_exact=True)
    set_manifest(joy, versions={"bias_lab": bias_lab.__version__})
    (joy / "coefficients.csv").unlink()
    pd.testing.assert_frame_equal(told(), before, check_exact=True)


def test_a_file_of_coefficients_without_a_needed_column_is_not_used(sweep):
    before = collect([sweep]).coefficients
    path = sweep / "2" / "coefficients.csv"
    pd.read_csv(path).drop(columns="mde_response").to_csv(path, index=False)
    pd.testing.assert_frame_equal(collect([sweep]).coefficients, before, check_exact=True)


def test_neither_the_order_of_the_runs_nor_that_of_their_rows_changes_a_table(sweep, tmp_path):
    other = tmp_path / "other"
    for old, new in zip("0123", "3120", strict=True):
        shutil.copytree(sweep / old, other / "deep=a" / new)
    path = other / "deep=a" / "3" / "predictions" / "made_up.parquet"
    pd.read_parquet(path).sample(frac=1, random_state=0).to_parquet(path, index=False)
    one, two = collect([sweep]), collect([other / "deep=a" / "3", other])
    for field in fields(one):
        if field.name not in ("cells", "notes"):
            pd.testing.assert_frame_equal(getattr(one, field.name), getattr(two, field.name), check_exact=True)
    pd.testing.assert_frame_equal(one.cells.drop(columns="folder"), two.cells.drop(columns="folder"))


@pytest.mark.slow
def test_more_processes_give_the_same_tables(tmp_path):
    for number in range(10):
        write_cell(tmp_path / str(number), model=f"m{number // 2}", seed=number % 2)
    for number in range(10, 14):
        write_cell(tmp_path / str(number), emotion=f"e{number}")
    one, two = collect([tmp_path]), collect([tmp_path], jobs=2)
    pd.testing.assert_frame_equal(one.coefficients, two.coefficients, check_exact=True)
    pd.testing.assert_frame_equal(one.names, two.names, check_exact=True)


def test_a_killed_cell_and_files_that_cannot_be_read_are_told_and_left_out(sweep):
    write_cell(sweep / "4", emotion="fear", status="running", error=None)
    (sweep / "5").mkdir()
    (sweep / "5" / "manifest.json").write_text('{"status": "fini', encoding="utf-8")
    (sweep / "1" / "predictions" / "made_up.parquet").write_bytes(b"PAR1 and nothing")
    (sweep / "2" / "metrics.json").unlink()
    summary = collect([sweep])
    told = {row.folder[-1]: (row.status, row.error) for row in summary.cells.itertuples()}
    assert told["4"] == ("running", "did not end: killed, or still running")
    assert told["5"][0] == told["1"][0] == told["2"][0] == "unreadable"
    assert told["5"][1].startswith("JSONDecodeError: Unterminated string")
    assert told["1"][1].startswith("predictions of made_up cannot be read: ")
    assert told["2"][1].startswith("FileNotFoundError: ")
    assert set(summary.metrics["seed"]) == {1}
    assert summary.coefficients["n_seeds"].tolist() == [1] * 12
    assert set(summary.coefficients["emotion"]) == {"anger"}


def test_a_sweep_without_a_result_still_tells_its_failures(tmp_path):
    write_failed(tmp_path / "0", overrides=["model=encoder", "model.name_or_path=/models/tiny", "seed=1"])
    summary = collect([tmp_path])
    assert summary.cells[["label", "model", "seed"]].to_numpy().tolist() == [["tiny-?-?-s1", "tiny", 1]]
    assert [len(getattr(summary, name)) for name in ("metrics", "coefficients", "names", "corpora")] == [0] * 4


def test_of_two_runs_of_one_cell_the_last_to_finish_counts(sweep, tmp_path):
    again = write_cell(tmp_path / "again" / "0", emotion="joy", pearson=0.9, ended="2031-01-01T00:00:00+00:00")
    write_cell(tmp_path / "again" / "1", emotion="fear", pearson=0.8)
    summary = collect([sweep, tmp_path / "again", sweep])
    told = {row.folder: (row.status, row.error) for row in summary.cells.itertuples()}
    assert len(told) == 6
    assert told[str(sweep / "2")] == ("superseded", f"the same cell finished in {again}")
    assert told[str(sweep / "3")] == ("superseded", f"the same cell finished in {tmp_path / 'again' / '1'}")
    test = summary.metrics[summary.metrics["split"] == "test"]
    assert test[["emotion", "pearson"]].to_numpy().tolist() == [
        ["anger", 0.5],
        ["anger", 0.6],
        ["fear", 0.8],
        ["joy", 0.9],
    ]


def test_cells_of_one_label_that_differ_in_more_than_the_seed_are_not_averaged(tmp_path):
    for number, (seed, c) in enumerate([(0, 1.0), (1, 1.0), (0, 2.0)]):
        write_cell(tmp_path / str(number), seed=seed, settings={"model": {"C": c}, "tracking": {"mode": str(number)}})
    summary = collect([tmp_path])
    counts = summary.coefficients.groupby("model")["n_seeds"].max().to_dict()
    assert counts == {"svm [model.C=1.0]": 2, "svm [model.C=2.0]": 1}
    assert set(summary.cells["model"]) == set(counts)


def test_other_texts_for_another_model_are_noted(sweep):
    write_cell(sweep / "4", model="other", data=[{"path": "x", "sha256": "feed" * 16}])
    write_cell(sweep / "5", model="other", emotion="joy", versions={"bias_lab": "0.0.1"})
    first, second = collect([sweep]).notes
    assert first == "not all models saw the same texts, so their scores cannot be compared: en anger"
    assert second.startswith("the cells were run by different versions of bias_lab: 0.0.1, ")


def test_what_cannot_be_summarised_is_one_message(sweep, tmp_path):
    advice = "give a sweep's folder (multirun/<date>/<time>) or a run's"
    assert error_of(lambda: collect([])) == (
        "nothing to summarise: give a sweep's folder (multirun/<date>/<time>) or run folders"
    )
    nowhere, empty = tmp_path / "nowhere", tmp_path / "empty"
    empty.mkdir()
    assert error_of(lambda: collect([sweep, nowhere])) == (
        f"{nowhere}: there is no such folder; give a sweep's (multirun/<date>/<time>) or a run's"
    )
    assert error_of(lambda: collect([empty])) == (
        f"{empty}: there is no run in it (no manifest.json in it or in its subfolders); {advice}"
    )
    write_cell(sweep / "4", model="other", digest="d2")
    assert error_of(lambda: collect([sweep])) == (
        f"corpus made_up: {sweep / '0'} scored another version of it (d1) than {sweep / '4'} (d2); "
        "summarise these apart, or run the older cells again"
    )


def test_seeds_that_scored_different_sentences_are_refused_with_their_folders(sweep):
    write_cell(sweep / "4", seed=2, table=predictions(seed=2).iloc[1:])
    message = error_of(lambda: collect([sweep]))
    assert message.startswith("svm-en-anger-s0 on made_up: average over seeds: table 3 has ")
    assert message.endswith(f"(tables in this order: {sweep / '1'}, {sweep / '0'}, {sweep / '4'})")


def test_another_analysis_than_ours_is_not_called_and_what_needs_none_is_told(tmp_path):
    theirs = {"stats": {"_target_": "os.system", "command": "no"}}
    for seed in (0, 1):
        write_cell(tmp_path / str(seed), seed=seed, settings=theirs)
    write_cell(tmp_path / "2", language="es", table=predictions(eec="other"), settings=theirs)
    (tmp_path / "2" / "coefficients.csv").write_text("eec,term,odds\nother,x,2.0\n", encoding="utf-8")
    write_cell(tmp_path / "3", model="ours")
    before = {path: path.read_bytes() for path in tmp_path.glob("*/coefficients.csv")}
    summary = collect([tmp_path])
    assert summary.notes == (
        "no comparable coefficients of svm en (anger); svm es (anger): their analysis is os.system, which is not "
        "called from a configuration file; their own coefficients.csv are untouched, and "
        "bias_lab.summary.collect(folders, regression=...) from Python takes any analysis",
    )
    assert set(summary.coefficients["model"]) == {"ours"}
    told = ["svm", "svm", "ours", "svm"]
    assert sorted(summary.metrics.loc[summary.metrics["split"] == "test", "model"]) == sorted(told)
    assert set(zip(summary.names["model"], summary.names["eec"], strict=True)) == {
        ("svm", "made_up"), ("svm", "other"), ("ours", "made_up"),
    }  # fmt: skip
    assert {path: path.read_bytes() for path in tmp_path.glob("*/coefficients.csv")} == before
    summary = collect([tmp_path], regression=BetaRegression(**STATS))
    assert summary.notes == ()
    assert re.fullmatch(r".*\[female\]", summary.coefficients["term"].iloc[3])
    assert set(summary.coefficients["model"]) == {"svm", "ours"}


@pytest.mark.parametrize("column", ["p_name", "status"])
def test_a_table_of_another_analysis_that_means_something_else_is_left_out(tmp_path, column):
    """Its words or numbers would break, or mislead, what is made of them."""
    theirs = {"stats": {"_target_": "my.analysis"}}
    path = write_cell(tmp_path / "0", settings=theirs) / "coefficients.csv"
    assert len(collect([tmp_path]).coefficients) == 12
    pd.read_csv(path).assign(**{column: "significant"}).to_csv(path, index=False)
    summary = collect([tmp_path])
    assert summary.coefficients.empty
    assert summary.notes[0].startswith("no comparable coefficients of svm en (anger): their analysis is my.analysis, ")


def test_models_of_the_sample_are_noted(sweep):
    write_cell(sweep / "4", model="toy", settings={"task": {"kind": "sample", "lang": "en", "emotion": "anger"}})
    assert collect([sweep]).notes == (SAMPLE_NOTE,)
    assert SAMPLE_NOTE.startswith("no basis for findings: ")
