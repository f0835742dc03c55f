"""The shuffled-names study: each p is the analysis' own on the shuffled table, and the rates are counted right."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from bias_lab.calibration import METHODS, Rejections, pooled_rates, shuffled_names, table_rates
from bias_lab.calibration.__main__ import main
from bias_lab.calibration.experiment import _number
from bias_lab.calibration.rates import clopper_pearson
from bias_lab.calibration.refits import place
from bias_lab.calibration.study import Settings, finished_runs, study
from bias_lab.run_folder import open_run
from bias_lab.stats import BetaRegression, analyse
from bias_lab.stats.subset import fitted_subsets
from run_folders import write_run
from stats_tables import FACTORS, GENDER, Factor, corpus, with_noun_phrases

ETHNICITY = Factor("ethnicity", ("Arab", "Anglo", "Latino"), "Anglo")


def labels_of(table: pd.DataFrame, factors: tuple, one: Rejections, shuffles: int, seed: int) -> tuple:
    """The labels that the study dealt: persons, and (shuffles, persons) levels of the factor."""
    subset = next(s for s in fitted_subsets(table, factors) if s.name == one.subset)
    index = subset.design.factors.index(one.shuffled)
    placement = place(subset, index)
    assert placement is not None
    codes = placement.shuffled(shuffles, np.random.default_rng([seed, _number("", one.eec, one.subset, one.shuffled)]))
    return subset.persons, np.asarray(subset.design.levels[index], dtype=object)[codes]


@pytest.mark.parametrize(
    ("factors", "options"),
    [(FACTORS, {}), ((ETHNICITY, GENDER), {}), (FACTORS, {"precision": "by_group"}), (FACTORS, {"interactions": 1})],
)
def test_every_p_is_that_of_the_table_with_shuffled_labels(factors: tuple, options: dict) -> None:
    table = corpus(factors).sample(frac=0.8, random_state=2).reset_index(drop=True)  # unequal rows a person
    regression, seed = BetaRegression(**options), 5
    found = list(shuffled_names(table, factors, shuffles=3, seed=seed, permutations=40, regression=regression))
    assert [one.shuffled for one in found] == [factor.name for factor in factors]
    for one in found:
        persons, labels = labels_of(table, factors, one, 3, seed)
        for b in range(3):
            relabelled = table.assign(**{one.shuffled: table["person"].map(dict(zip(persons, labels[b], strict=True)))})
            expected = analyse(relabelled, factors, permutations=40, seed=seed + b, **options)
            expected = expected.set_index(["coding", "term"]).loc[[row[:2] for row in one.rows]]
            for method in METHODS[:3]:
                # Both fits stop within 1e-7 standard errors of the maximum.
                np.testing.assert_allclose(one.p[method][b], expected[method], rtol=1e-6)
            np.testing.assert_array_equal(one.p["p_perm"][b], expected["p_perm"])


def test_the_terms_are_those_that_the_shuffle_makes_null() -> None:
    found = list(shuffled_names(with_noun_phrases(), FACTORS, shuffles=2, permutations=0))
    assert [(one.subset, one.shuffled) for one in found] == [
        ("names", "race"),
        ("names", "gender"),
        ("noun_phrases", "gender"),
    ]
    assert [row[2] for row in found[0].rows] == ["race", "race:gender"] * 2
    assert [row[2] for row in found[2].rows] == ["gender"] * 2
    assert all(np.isnan(one.p["p_perm"]).all() for one in found)


def test_labels_move_only_between_persons_alike_in_the_other_factors() -> None:
    table = corpus((ETHNICITY, GENDER))
    (one, _) = shuffled_names(table, (ETHNICITY, GENDER), shuffles=1, permutations=0)
    persons, labels = labels_of(table, (ETHNICITY, GENDER), one, 200, 0)
    gender = table.groupby("person")["gender"].first()[persons].to_numpy()
    for level in GENDER.levels:
        own = labels[:, gender == level]
        for ethnicity in ETHNICITY.levels:
            assert ((own == ethnicity).sum(axis=1) == 4).all()
            # Every person gets each label a third of the time: 4.5 standard errors of 200 deals.
            assert np.abs((own == ethnicity).mean(axis=0) - 1 / 3).max() < 4.5 * np.sqrt(2 / 9 / 200)


def test_seeded_and_different_for_every_stream() -> None:
    def p(**options: object) -> np.ndarray:
        return next(shuffled_names(corpus(), FACTORS, shuffles=4, permutations=9, **options)).p["p_name"]

    np.testing.assert_array_equal(p(), p())
    assert not np.array_equal(p(), p(seed=1))
    assert not np.array_equal(p(), p(stream="another run"))


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = next(shuffled_names(corpus(), FACTORS, shuffles=7, permutations=9))
    monkeypatch.setattr("bias_lab.calibration.experiment._CHUNK", 3 * 16 * (4 + 25))
    blocks = next(shuffled_names(corpus(), FACTORS, shuffles=7, permutations=9))
    for method in METHODS:
        np.testing.assert_allclose(blocks.p[method], whole.p[method], rtol=1e-9)


def test_where_nothing_can_be_shuffled_the_outcome_has_a_name() -> None:
    blind = corpus().assign(prediction=lambda t: t.groupby("item")["prediction"].transform("mean"))
    assert {one.status for one in shuffled_names(blind, FACTORS, shuffles=2)} == {"invariant"}
    alone = corpus(persons=1)
    assert {one.status for one in shuffled_names(alone, FACTORS, shuffles=2)} == {"too_few_persons"}
    both = corpus((GENDER,))
    both.loc[both.index % 2 == 0, "gender"] = "male"
    both.loc[both.index % 2 == 1, "gender"] = "female"
    (one,) = shuffled_names(both, (GENDER,), shuffles=2)
    assert (one.status, one.message, one.p) == ("not_shuffled", "no persons may swap their gender", {})


def made_up(p: list[list[float]], *, shuffled: str = "race") -> Rejections:
    """Two terms of one factor, the same p by all methods."""
    rows = (("treatment", "race[A]", "race"), ("treatment", "race[B]", "race"), ("deviation", "race[A]", "race"))
    return Rejections("eec", "names", shuffled, rows, dict.fromkeys(METHODS, np.array(p)), "ok", "")


def test_rates_of_a_table_by_hand() -> None:
    nan = float("nan")
    one = made_up([[0.01, 0.5, 0.5], [0.05, 0.04, 0.5], [nan, 0.5, 0.5]])
    rates = table_rates([("run", one)]).query("method == 'p_name'").reset_index(drop=True)
    assert rates["tests"].tolist() == [2, 3, 3]
    assert rates["rejected"].tolist() == [1, 1, 0]  # .05 is not below .05
    assert rates["failed"].tolist() == [1, 0, 0]
    assert rates["rate"].tolist() == [0.5, 1 / 3, 0.0]
    exact = stats.binomtest(1, 3).proportion_ci(method="exact")
    np.testing.assert_allclose(rates.loc[1, ["low", "high"]].astype(float), exact, rtol=1e-10)


@pytest.mark.parametrize(("rejected", "tests"), [(0, 7), (3, 7), (7, 7), (50, 1000)])
def test_clopper_pearson_is_scipys(rejected: int, tests: int) -> None:
    exact = stats.binomtest(rejected, tests).proportion_ci(method="exact")
    np.testing.assert_allclose(clopper_pearson(rejected, tests), exact, rtol=1e-9)
    assert np.isnan(clopper_pearson(0, 0)).all()


def test_tests_of_one_shuffle_are_not_counted_as_independent() -> None:
    rng = np.random.default_rng(0)
    p = rng.uniform(size=(400, 1))
    p[:40], p[40:] = 0.01, 0.5  # a rate of .1
    same = pooled_rates([("run", made_up(np.repeat(p, 3, axis=1).tolist()))]).query("method == 'p_iid'").iloc[0]
    assert (same["tests"], same["tables"], same["rate"]) == (800, 1, 0.1)
    # Two equal tests are one: the interval is that of 400, but for the sample's n / (n - 1).
    np.testing.assert_allclose(same[["low", "high"]].astype(float), clopper_pearson(40, 400), rtol=1e-9)
    other = p.copy()
    other[:40], other[40:80] = 0.5, 0.01
    apart = np.column_stack([p, other, p])
    found = pooled_rates([("run", made_up(apart.tolist()))]).query("method == 'p_iid'").iloc[0]
    assert found["high"] - found["low"] < 0.75 * (same["high"] - same["low"])


def test_pooling_is_by_factor_and_term_then_over_all() -> None:
    race = made_up([[0.01, 0.5, 0.5]] * 10)
    gender = replace(race, shuffled="gender", rows=(("treatment", "gender[f]", "gender"),), p=dict.fromkeys(
        METHODS, np.full((10, 1), 0.5)))  # fmt: skip
    pooled = pooled_rates([("one", race), ("two", race), ("one", gender)]).query("method == 'p_cr1'")
    assert pooled[["shuffled", "factors", "tables", "tests", "rate"]].to_numpy().tolist() == [
        ["race", "race", 2, 40, 0.5],
        ["gender", "gender", 1, 10, 0.0],
        ["all terms", "all terms", 3, 50, 0.4],
    ]
    # The lower end of no rejection in ten shuffles, by the exact formula 1 - (alpha / 2)**(1 / n).
    assert pooled.iloc[1]["high"] == pytest.approx(1 - 0.025 ** (1 / 10), rel=1e-9)


@pytest.mark.slow  # starts processes
def test_the_study_does_not_depend_on_processes_or_the_order_of_runs(tmp_path: Path) -> None:
    runs = [
        open_run(write_run(tmp_path / f"{i}", corpus(seed=i), label=f"run{i}", stats={"interactions": 1}))
        for i in (0, 1)
    ]
    settings = Settings(shuffles=3, permutations=9)
    one = [pair for table in study(runs, settings) for pair in table]
    two = [pair for table in study(runs[::-1], settings, jobs=2) for pair in table]
    assert [row[2] for row in one[0][1].rows] == ["race"] * 2  # the run's own settings: main effects only
    rates = [table_rates(found).sort_values(["label", "shuffled", "coding", "term", "method"]) for found in (one, two)]
    pd.testing.assert_frame_equal(*(part.reset_index(drop=True) for part in rates), check_exact=True)


def test_the_command_writes_and_prints_the_rates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(tmp_path / "sweep" / "0", corpus(), label="one")
    write_run(tmp_path / "sweep" / "1", corpus().assign(prediction=0.5), label="flat")
    failed = write_run(tmp_path / "sweep" / "2", corpus(), status="failed", error="DataError: gone")
    out = tmp_path / "out"
    arguments = ["--shuffles", "20", "--permutations", "9", "--jobs", "1", "--out", str(out)]
    assert main([str(tmp_path / "sweep"), *arguments]) == 0
    shown = capsys.readouterr()
    assert shown.err.startswith(f"left out: {failed}: its status is failed, not finished (DataError: gone)")
    assert "20 shuffles of each table and factor; 2 runs" in shown.out
    assert "not shuffled: flat, made_up, names, race: degenerate" in shown.out
    told = json.loads((out / "calibration.json").read_text(encoding="utf-8"))
    assert (told["shuffles"], told["permutations"], told["alpha"]) == (20, 9, 0.05)
    assert [run["label"] for run in told["runs"]] == ["one", "flat"]
    assert len(told["left_out"]) == 1 and len(told["not_shuffled"]) == 2
    assert len(told["rates"]) == len(pd.read_csv(out / "rates.csv")) == 2 * 4 * 4
    pooled = pd.read_csv(out / "pooled.csv")
    assert pooled["factors"].drop_duplicates().tolist() == ["race", "race:gender", "gender", "all terms"]
    rate = pooled.loc[pooled["method"] == "p_iid", "rate"].iloc[-1]
    assert f"{rate:.3f}".removeprefix("0") in shown.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--shuffles", "0"], "--shuffles 0: give a whole number from 1"),
        (["--seed", "-1"], "--seed -1: give a whole number from 0"),
        (["--permutations", "-1"], "--permutations -1: give a whole number from 0"),
        (["--alpha", "5"], "--alpha 5: give a number between 0 and 1, such as 0.05"),
    ],
)
def test_options_that_are_not_allowed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert main([str(tmp_path), *arguments]) == 1
    assert capsys.readouterr().err == f"error: {message}\n"


def test_no_finished_run_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = write_run(tmp_path / "0", corpus(), status="running")
    assert main([str(run)]) == 1
    assert capsys.readouterr().err.startswith(
        f"error: no finished run has scored a corpus: {run}: its status is running"
    )
    bare = write_run(tmp_path / "1", corpus(), corpora=[])
    assert main([str(bare)]) == 1
    assert capsys.readouterr().err == f"error: no finished run has scored a corpus: {bare}: it scored no corpus\n"
    assert finished_runs([write_run(tmp_path / "2", corpus())])[1] == []
    with pytest.raises(SystemExit) as stop:
        main([])
    assert stop.value.code == 2


@pytest.mark.slow
def test_names_with_a_sentiment_of_their_own_fool_the_published_test_only() -> None:
    """Ten names a group with a sentiment each: sound tests reject 3 to 7 %, the published one in a third of cases."""
    table = corpus(persons=10, items=35)
    found = [("run", one) for one in shuffled_names(table, FACTORS, shuffles=1000)]
    rate = pooled_rates(found).query("factors == 'all terms'").set_index("method")["rate"]
    assert rate["p_iid"] > 1 / 3
    for method in ("p_cr1", "p_name", "p_perm"):
        assert 0.03 <= rate[method] <= 0.07, method
