"""Deviation coding, against direct contrasts of cell means and a sum-coded refit."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import logit

from bias_lab.stats import analyse, fit_beta
from bias_lab.stats.coding import deviation_coding, treatment_coding
from bias_lab.stats.design import factorial_design
from stats_tables import FACTORS, GENDER, RACE, Factor, corpus, deviation, treatment

ETHNICITY = Factor("ethnicity", ("Arab", "Anglo", "Latino"), "Anglo")


def test_main_effects_are_averaged_over_the_other_factor() -> None:
    long = corpus().sample(frac=0.8, random_state=0)  # groups of unequal size count the same
    table = deviation(analyse(long, FACTORS))
    m = long.groupby(["race", "gender"])["prediction"].mean()
    black, white = (m[race, "female"] + m[race, "male"] for race in ("African-American", "European"))
    female, male = (m["African-American", g] + m["European", g] for g in ("female", "male"))
    double = (m["African-American", "female"] - m["African-American", "male"]) - (
        m["European", "female"] - m["European", "male"]
    )
    expected = [m.mean(), (black - white) / 2, (female - male) / 2, double]
    np.testing.assert_allclose(table["raw_difference"], expected, rtol=1e-12)
    shown = table[["term", "references", "condition"]].to_numpy().tolist()
    assert shown == [
        ["Intercept", "", "averaged over race and gender"],
        ["race[African-American]", "European", "averaged over gender"],
        ["gender[female]", "male", "averaged over race"],
        ["race[African-American]:gender[female]", "European:male", ""],
    ]


def test_coefficients_are_contrasts_of_the_fitted_logits() -> None:
    both = analyse(corpus(), FACTORS, permutations=0)
    b = treatment(both)["coefficient"].to_numpy()
    mean = b[0] + b[1] / 2 + b[2] / 2 + b[3] / 4
    expected = [mean, b[1] + b[3] / 2, b[2] + b[3] / 2, b[3]]
    np.testing.assert_allclose(deviation(both)["coefficient"], expected, rtol=1e-12)


def test_three_levels_are_each_compared_with_the_others() -> None:
    long = corpus((ETHNICITY, GENDER))
    table = deviation(analyse(long, (ETHNICITY, GENDER), permutations=0)).set_index("term")
    m = long.groupby(["ethnicity", "gender"])["prediction"].mean().unstack()
    by_level = m.mean(axis=1)
    for level in ETHNICITY.levels:
        others = by_level.drop(level).mean()
        assert table.loc[f"ethnicity[{level}]", "raw_difference"] == pytest.approx(by_level[level] - others)
        assert table.loc[f"ethnicity[{level}]", "references"] == "mean of the others"
        gap = m["female"] - m["male"]
        expected = gap[level] - gap.drop(level).mean()
        found = table.loc[f"ethnicity[{level}]:gender[female]", "raw_difference"]
        assert found == pytest.approx(expected)


def test_the_test_is_that_of_textbook_sum_coding() -> None:
    """A refit with columns 1, 0, -1 (contr.sum) has the same t, and a deviation from the mean of all levels."""
    from formulaic import model_matrix

    long = corpus((ETHNICITY, GENDER))
    table = deviation(analyse(long, (ETHNICITY, GENDER), permutations=0)).set_index("term")
    coded = model_matrix("C(ethnicity, contr.sum) * C(gender, contr.sum)", long)
    fit = fit_beta(long["prediction"].to_numpy(), coded.to_numpy())
    names = list(coded.columns)
    for level in ("Anglo", "Arab"):  # the first two in the alphabet have a column
        (own,) = (i for i, name in enumerate(names) if level in name and ":" not in name)
        row = table.loc[f"ethnicity[{level}]"]
        assert row["coefficient"] == pytest.approx(fit.params[own] * 3 / 2, rel=1e-9)
        assert row["statistic_iid"] == pytest.approx(fit.params[own] / fit.std_errors[own], rel=1e-9)
    assert table.loc["Intercept", "coefficient"] == pytest.approx(fit.params[0], rel=1e-9)


def test_name_level_and_response_scale_use_the_same_contrasts() -> None:
    """Exchanging which level is the reference leaves deviation coding alone, but for its sign."""
    long = corpus()
    swapped = (Factor("race", RACE.levels, "African-American"), Factor("gender", GENDER.levels, "female"))
    one, two = (deviation(analyse(long, f, permutations=99)) for f in (FACTORS, swapped))
    sign = [1, -1, -1, 1]
    for column in ("coefficient", "effect_response", "raw_difference", "statistic_name"):
        np.testing.assert_allclose(one[column] * sign, two[column], rtol=1e-7)
    for column in ("p_name", "p_cr1", "p_iid", "mde_response"):
        np.testing.assert_allclose(one[column], two[column], rtol=1e-7)


def test_the_interaction_of_two_by_two_is_the_same_in_both() -> None:
    both = analyse(corpus(), FACTORS, smallest_effect=0.1)
    one, two = treatment(both).iloc[3], deviation(both).iloc[3]
    for column in ("coefficient", "p_name", "p_perm", "effect_response", "p_equivalence", "mde_response"):
        assert one[column] == pytest.approx(two[column], rel=1e-9)


def test_what_each_row_compares() -> None:
    design = factorial_design([ETHNICITY, GENDER])
    by_treatment = dict(zip([t.label for t in design.terms], treatment_coding(design).exchanged, strict=True))
    assert by_treatment["Intercept"] is None
    assert by_treatment["ethnicity[Arab]"] == (0, (0, 1))
    assert by_treatment["ethnicity[Latino]:gender[female]"] == (0, (1, 2))
    assert by_treatment["gender[female]"] == (1, (0, 1))
    coding = deviation_coding(design)
    assert dict(zip([t.label for t in coding.terms], coding.exchanged, strict=True))["ethnicity[Arab]"] == (
        0,
        (0, 1, 2),
    )


def test_treatment_rows_say_where_they_hold() -> None:
    table = treatment(analyse(corpus((ETHNICITY, GENDER)), (ETHNICITY, GENDER), permutations=0))
    where = dict(zip(table["term"], table["condition"], strict=True))
    assert where["Intercept"] == "ethnicity: Anglo, gender: male"
    assert where["ethnicity[Arab]"] == "gender: male"
    assert where["ethnicity[Arab]:gender[female]"] == ""


def test_one_group_has_a_mean_and_nothing_else() -> None:
    long = corpus(())
    table = deviation(analyse(long, ()))
    assert table["term"].tolist() == ["Intercept"]
    assert table["effect_response"].iloc[0] == pytest.approx(stats.logistic.cdf(table["coefficient"].iloc[0]))
    assert logit(table["raw_difference"].iloc[0]) == pytest.approx(table["coefficient"].iloc[0], abs=0.1)
