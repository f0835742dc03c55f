"""ICC, minimum detectable effect and equivalence test, against hand computations, scipy and simulation."""

import numpy as np
import pytest
from scipy import stats

from bias_lab.stats import analyse
from bias_lab.stats.power import equivalence_p, minimum_detectable, name_icc
from stats_tables import FACTORS, corpus, treatment


def test_icc_is_that_of_the_analysis_of_variance() -> None:
    """Mean squares by statsmodels: persons within a group, from one analysis of variance for each group."""
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    long = corpus()
    between = within = 0.0
    for _, group in long.groupby(["race", "gender"]):
        anova = anova_lm(ols("prediction ~ C(person)", group).fit())
        between += anova.loc["C(person)", "mean_sq"] / 4
        within += anova.loc["Residual", "mean_sq"] / 4
    expected = (between - within) / (between + 5 * within)
    cell, person = long.groupby(["race", "gender"]).ngroup(), long.groupby("person").ngroup()
    assert name_icc(long["prediction"].to_numpy(), cell.to_numpy(), person.to_numpy()) == pytest.approx(expected)
    assert analyse(long, FACTORS, permutations=0)["icc_name"].unique() == pytest.approx([expected])


def test_icc_recovers_the_truth_with_unequal_rows() -> None:
    rng = np.random.default_rng(0)
    person = np.repeat(np.arange(4000), rng.integers(2, 9, 4000))
    y = rng.normal(0, 1, 4000)[person] + rng.normal(0, 2, len(person))
    # Variances 1 and 4: ICC .2, standard error about .01.
    assert name_icc(y, person % 2, person) == pytest.approx(0.2, abs=0.03)


def test_icc_of_equal_means_is_negative_and_of_equal_scores_one() -> None:
    cell, person = np.zeros(12, dtype=int), np.repeat(np.arange(3), 4)
    assert name_icc(np.tile([0.1, 0.2, 0.3, 0.4], 3), cell, person) == pytest.approx(-1 / 3)
    assert name_icc(np.repeat([0.1, 0.2, 0.4], 4), cell, person) == pytest.approx(1.0)
    assert np.isnan(name_icc(np.arange(3.0), np.zeros(3, dtype=int), np.arange(3)))
    assert np.isnan(name_icc(np.arange(3.0), np.arange(3), np.arange(3)))


@pytest.mark.parametrize("df", [7, 39, 400])
def test_minimum_detectable_effect_has_its_power(df: int) -> None:
    error = np.array([0.02])
    for power in (0.8, 0.9):
        effect = minimum_detectable(error, df, 0.05, power)[0]
        # The exact power is that of the noncentral t; the textbook sum of quantiles comes within a percent of it.
        found = stats.nct.sf(stats.t.isf(0.025, df), df, effect / error[0])
        assert found == pytest.approx(power, abs=0.015)
    # With many names it is the 2.8 standard errors of the normal theory.
    assert minimum_detectable(error, 10**7, 0.05, 0.8)[0] == pytest.approx(2.8016 * 0.02, rel=1e-4)


def test_equivalence_is_two_one_sided_tests() -> None:
    from statsmodels.stats.weightstats import DescrStatsW

    x = np.random.default_rng(0).normal(0.002, 0.02, 30)
    for bound in (0.005, 0.01, 0.02):
        theirs = DescrStatsW(x).ttost_mean(-bound, bound)[0]
        ours = equivalence_p(np.array([x.mean()]), np.array([x.std(ddof=1) / np.sqrt(30)]), 29, bound)
        assert ours[0] == pytest.approx(theirs, rel=1e-9)
    assert np.isnan(equivalence_p(np.zeros(2), np.ones(2), 9, None)).all()


def test_equivalence_at_five_percent_is_the_ninety_percent_interval() -> None:
    table = treatment(analyse(corpus(), FACTORS, level=0.9, smallest_effect=0.15, permutations=0)).iloc[1:]
    inside = (table["effect_ci_name_low"] > -0.15) & (table["effect_ci_name_high"] < 0.15)
    np.testing.assert_array_equal(table["p_equivalence"] < 0.05, inside)
    assert 0 < inside.sum() < 3


def test_columns_of_the_table() -> None:
    table = treatment(analyse(corpus(), FACTORS, smallest_effect=0.05, power=0.9, permutations=0))
    error = table["std_error_effect_name"]
    half = stats.t.isf(0.025, 15) * error
    np.testing.assert_allclose(table["effect_ci_name_high"] - table["effect_response"], half, rtol=1e-12)
    expected = minimum_detectable(error.to_numpy(), 15, 0.05, 0.9)
    np.testing.assert_allclose(table["mde_response"][1:], expected[1:], rtol=1e-12)
    two_sided = 2 * stats.t.sf((table["effect_response"] / error).abs(), 15)
    np.testing.assert_allclose(table["p_effect_name"][1:], two_sided[1:], rtol=1e-12)
    assert table["smallest_effect"].unique().tolist() == [0.05]
    assert table.loc[0, ["mde_response", "p_effect_name", "p_equivalence"]].isna().all()
    assert analyse(corpus(), FACTORS, permutations=0)[["p_equivalence", "smallest_effect"]].isna().all(axis=None)


@pytest.mark.slow
def test_the_detectable_effect_is_detected_as_often_as_said() -> None:
    """A difference of the size that one sample names is found in about 80 % of new samples of names."""
    rng, found = np.random.default_rng(0), []
    gender = np.repeat([0, 1], 20)

    def table(effect: float) -> dict:
        mean = 0.5 + effect * gender + rng.normal(0, 0.03, 40)
        long = corpus(FACTORS[1:], persons=20, items=5)
        shape = np.repeat(mean, 5)
        long["prediction"] = rng.beta(200 * shape, 200 * (1 - shape))
        return analyse(long, FACTORS[1:], permutations=0).iloc[1].to_dict()

    detectable = np.median([table(0.0)["mde_response"] for _ in range(60)])
    found = [table(detectable)["p_name"] < 0.05 for _ in range(600)]
    # Three standard errors of a share of 600, and the standard error is itself estimated from 40 names.
    assert np.mean(found) == pytest.approx(0.8, abs=0.06)
