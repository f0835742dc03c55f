"""Diagnostic tables, against scipy, refits and hand counts."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.special import expit

from bias_lab.stats import (
    analyse,
    boundary_counts,
    fit_beta,
    leave_one_name_out,
    name_spread,
    precision_by_group,
    quantile_residuals,
)
from stats_tables import FACTORS, GENDER, corpus, treatment, with_noun_phrases


def test_quantile_residuals_are_normal_where_the_model_holds() -> None:
    rng, long = np.random.default_rng(0), corpus(persons=20, items=25)
    mu = np.where(long["race"] == "European", 0.3, 0.4)
    table = quantile_residuals(long.assign(prediction=rng.beta(5 * mu, 5 * (1 - mu))), FACTORS)
    assert len(table) == len(long)
    assert stats.kstest(table["residual"], "norm").pvalue > 0.01
    assert table["residual"].std() == pytest.approx(1, abs=0.05)


def test_quantile_residuals_are_scipys() -> None:
    long = with_noun_phrases()
    table = quantile_residuals(long, FACTORS)
    fitted = analyse(long, FACTORS, permutations=0)
    b, phi = treatment(fitted)["coefficient"][:4].to_numpy(), fitted["phi"].iloc[0]
    mu = expit(b[0] + b[1])
    rows = table[(table["subset"] == "names") & (table["group"] == "African-American, male")]
    expected = stats.norm.ppf(stats.beta.cdf(rows["prediction"], mu * phi, (1 - mu) * phi))
    np.testing.assert_allclose(rows["residual"], expected, rtol=1e-8)
    assert rows["fitted"].unique() == pytest.approx([mu])
    assert rows.columns.tolist()[:5] == ["eec", "subset", "group", "person", "item"]
    assert table.groupby("subset").size().to_dict() == {"names": 96, "noun_phrases": 36}


def test_quantile_residuals_stay_finite_in_either_tail() -> None:
    long = corpus(items=200)
    long["prediction"] = 0.5 + 0.001 * np.random.default_rng(0).normal(size=len(long))
    long.loc[[0, 1], "prediction"] = [0.0001, 0.9999]
    residual = quantile_residuals(long, FACTORS)["residual"]
    assert np.isfinite(residual).all()
    assert residual[0] < -5
    assert residual[1] == pytest.approx(-residual[0], rel=0.2)


def test_precision_by_group_is_that_of_separate_fits() -> None:
    long = corpus(persons=6)
    table = precision_by_group(long, FACTORS).set_index("group")
    log_phi = {}
    for (race, gender), rows in long.groupby(["race", "gender"]):
        fit = fit_beta(rows["prediction"], np.ones((36, 1)))
        log_phi[f"{race}, {gender}"] = fit.log_phi
        row = table.loc[f"{race}, {gender}"]
        assert row["phi"] == pytest.approx(fit.phi, rel=1e-7)
        assert row[["n_rows", "n_persons"]].tolist() == [36, 6]
        assert row["mean_score"] == pytest.approx(rows["prediction"].mean())
        assert row["sd_score"] == pytest.approx(rows["prediction"].std())
    own = log_phi.pop("European, male")
    assert np.log(table.loc["European, male", "ratio"]) == pytest.approx(own - np.mean(list(log_phi.values())))
    assert ((table["phi_low"] < table["phi"]) & (table["phi"] < table["phi_high"])).all()
    assert table["p_name"].between(0, 1).all()


def test_unequal_precision_is_seen() -> None:
    rng, long = np.random.default_rng(0), corpus(persons=10, items=30)
    phi = np.where(long["race"] == "European", 40, 10)
    table = precision_by_group(long.assign(prediction=rng.beta(0.4 * phi, 0.6 * phi)), FACTORS).set_index("group")
    assert table.loc["European, male", "ratio"] > 1.5
    assert table.loc["African-American, male", "ratio"] < 1 / 1.5
    assert (table["p_name"] < 0.01).all()


def test_precision_jackknife_is_that_of_refits() -> None:
    long = corpus((GENDER,), persons=5)
    row = precision_by_group(long, (GENDER,)).set_index("group").loc["male"]
    y = long.loc[long["gender"] == "male", ["person", "prediction"]]
    full = fit_beta(y["prediction"], np.ones((30, 1))).log_phi
    without = [
        fit_beta(y.loc[y["person"] != name, "prediction"], np.ones((24, 1))).log_phi for name in y["person"].unique()
    ]
    # Leaving out one of the other group's persons changes nothing here.
    error = np.sqrt(9 / 10 * np.sum((np.array(without) - full) ** 2))
    half = stats.t.ppf(0.975, 9) * error
    assert np.log(row["phi_high"]) == pytest.approx(full + half, rel=1e-6)


def test_one_group_has_nothing_to_compare() -> None:
    table = precision_by_group(corpus(()), ())
    assert table[["ratio", "p_name"]].isna().all(axis=None)
    assert table["phi"].notna().all()


def test_boundary_counts_are_counts() -> None:
    long = corpus()
    long.loc[[0, 1, 2, 30, 95], "prediction"] = [-0.5, 0.0, 0.0, 1.0, 2.0]
    table = boundary_counts(long, FACTORS).set_index("group")
    counts = table[["below_0", "at_0", "at_1", "above_1"]]
    assert counts.loc["European, male"].tolist() == [1, 2, 0, 0]
    assert counts.loc["European, female"].tolist() == [0, 0, 1, 0]
    assert counts.loc["African-American, female"].tolist() == [0, 0, 0, 1]
    assert table["n_rows"].tolist() == [24] * 4


def test_name_spread() -> None:
    long = corpus()
    table = name_spread(long, FACTORS)
    assert len(table) == 16
    means = long.groupby("person")["prediction"].mean()
    np.testing.assert_allclose(table["mean_score"], means[table["person"]], rtol=1e-12)
    group = table[table["group"] == "European, male"]
    np.testing.assert_allclose(group["group_mean"], group["mean_score"].mean(), rtol=1e-12)
    np.testing.assert_allclose(group["standardised"].std(), 1, rtol=1e-12)
    np.testing.assert_allclose(group["deviation"], group["mean_score"] - group["group_mean"], rtol=1e-9, atol=1e-15)


def test_leave_one_name_out_is_the_analysis_without_the_name() -> None:
    long = with_noun_phrases()
    table = leave_one_name_out(long, FACTORS)
    for name in ("name 1.2", "noun_phrase 0.1"):
        rest = analyse(long[long["person"] != name], FACTORS, permutations=0)
        whole = analyse(long, FACTORS, permutations=0)
        subset = "names" if name.startswith("name") else "noun_phrases"
        key = ["coding", "term"]
        rest, whole = (t[t["subset"] == subset].set_index(key) for t in (rest, whole))
        mine = table[table["person"] == name].set_index(key).loc[rest.index]
        np.testing.assert_allclose(mine["coefficient_without"], rest["coefficient"], rtol=1e-7)
        np.testing.assert_allclose(mine["effect_without"], rest["effect_response"], rtol=1e-7)
        np.testing.assert_allclose(mine["p_name_without"], rest["p_name"], rtol=1e-6)
        np.testing.assert_allclose(mine["p_name"], whole["p_name"], rtol=1e-9)
        shift = (rest["coefficient"] - whole["coefficient"]) / whole["std_error_name"]
        np.testing.assert_allclose(mine["shift"], shift, rtol=1e-6)
        changes = ((rest["p_name"] < 0.05) != (whole["p_name"] < 0.05)) & (rest["factors"] != "")
        np.testing.assert_array_equal(mine["decides"], changes)


def test_the_name_that_drives_an_effect_comes_first() -> None:
    long = corpus()
    driver = long["person"] == "name 3.1"
    long.loc[driver, "prediction"] = 0.98
    table = leave_one_name_out(long, FACTORS)
    mine = table[(table["coding"] == "treatment") & (table["term"].str.contains(":"))]
    assert mine["person"].iloc[0] == "name 3.1"
    assert mine["group"].iloc[0] == "African-American, female"
    assert mine["shift"].abs().is_monotonic_decreasing


@pytest.mark.parametrize("function", [quantile_residuals, precision_by_group, leave_one_name_out])
def test_without_a_fit_there_are_no_numbers_but_a_status(function) -> None:  # type: ignore[no-untyped-def]
    table = function(corpus().assign(prediction=0.4), FACTORS)
    assert table["status"].unique().tolist() == ["degenerate"]
    column = {"quantile_residuals": "residual", "precision_by_group": "phi", "leave_one_name_out": "shift"}
    assert table[column[function.__name__]].isna().all()
    assert isinstance(table, pd.DataFrame)


def test_a_single_person_has_no_influence() -> None:
    table = leave_one_name_out(corpus(persons=1), FACTORS)
    assert table["status"].unique().tolist() == ["too_few_persons"]
    assert table[["shift", "p_name_without"]].isna().all(axis=None)
    assert not table["decides"].any()
