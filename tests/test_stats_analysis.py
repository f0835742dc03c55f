"""The table of coefficients: its columns against hand-made designs, contrasts and intervals."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.special import expit, logit

from bias_lab.stats import BetaRegression, analyse, fit_beta, stars
from bias_lab.stats.columns import disagreement
from stats_tables import FACTORS, GENDER, RACE, Factor, corpus, treatment, with_noun_phrases


def test_names_get_all_factors_and_noun_phrases_those_they_have() -> None:
    table = treatment(analyse(with_noun_phrases(), FACTORS))
    shown = table[["eec", "subset", "formula", "term", "factors", "levels", "references"]]
    both, one = "prediction ~ race * gender", "prediction ~ gender"
    expected = [
        ["names", both, "Intercept", "", "", ""],
        ["names", both, "race[African-American]", "race", "African-American", "European"],
        ["names", both, "gender[female]", "gender", "female", "male"],
        [
            "names", both, "race[African-American]:gender[female]",
            "race:gender", "African-American:female", "European:male",
        ],
        ["noun_phrases", one, "Intercept", "", "", ""],
        ["noun_phrases", one, "gender[female]", "gender", "female", "male"],
    ]  # fmt: skip
    assert shown.to_numpy().tolist() == [["made_up", *row] for row in expected]
    assert table["n_rows"].tolist() == [96] * 4 + [36] * 2
    assert table["n_persons"].tolist() == [16] * 4 + [6] * 2
    assert table["status"].unique().tolist() == table["status_name"].unique().tolist() == ["ok"]
    few = "p_perm rests on only 20 ways to deal gender over the persons"  # 3 of 6 noun phrases
    assert table["message"].tolist() == [""] * 4 + [few] * 2


def test_each_subset_is_the_fit_of_its_rows() -> None:
    long = with_noun_phrases()
    table = treatment(analyse(long, FACTORS))
    rows = long[long["person_kind"] == "noun_phrase"]
    fit = fit_beta(rows["prediction"], np.column_stack([np.ones(36), rows["gender"] == "female"]))
    part = table[table["subset"] == "noun_phrases"]
    np.testing.assert_allclose(part["coefficient"], fit.params, rtol=1e-12)
    np.testing.assert_allclose(part["std_error_iid"], fit.std_errors, rtol=1e-12)
    assert part["phi"].unique() == pytest.approx([fit.phi])
    assert part["log_likelihood"].unique() == pytest.approx([fit.loglik])


def test_corpora_in_one_table_are_analysed_apart() -> None:
    one, two = corpus(), corpus(seed=7).assign(eec="another")
    table = analyse(pd.concat([two, one], ignore_index=True), FACTORS)
    assert table["eec"].tolist() == ["another"] * 8 + ["made_up"] * 8
    pd.testing.assert_frame_equal(table.iloc[8:].reset_index(drop=True), analyse(one, FACTORS))


def test_tests_and_intervals_are_t() -> None:
    table = analyse(corpus(), FACTORS, level=0.9)
    for error, statistic, p, low, high, df in (
        ("std_error_iid", "statistic_iid", "p_iid", "ci_low", "ci_high", 96 - 5),
        ("std_error_name", "statistic_name", "p_name", "ci_name_low", "ci_name_high", 15),
    ):
        np.testing.assert_allclose(table[statistic], table["coefficient"] / table[error], rtol=1e-14)
        np.testing.assert_allclose(table[p], 2 * stats.t.sf(table[statistic].abs(), df), rtol=1e-12)
        half = stats.t.ppf(0.95, df) * table[error]
        np.testing.assert_allclose(table[low], table["coefficient"] - half, rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(table[high], table["coefficient"] + half, rtol=1e-12, atol=1e-15)
    cr1 = 2 * stats.t.sf((table["coefficient"] / table["std_error_cr1"]).abs(), 15)
    np.testing.assert_allclose(table["p_cr1"], cr1, rtol=1e-12)
    np.testing.assert_allclose(
        table["design_effect"], (table["std_error_name"] / table["std_error_iid"]) ** 2, rtol=1e-12
    )


def test_effects_are_differences_of_means() -> None:
    long = corpus()
    table = treatment(analyse(long, FACTORS)).set_index("term")
    means = long.groupby(["race", "gender"])["prediction"].mean()
    reference, female = means["European", "male"], means["European", "female"]
    black, both = means["African-American", "male"], means["African-American", "female"]
    raw = [reference, black - reference, female - reference, both - black - female + reference]
    np.testing.assert_allclose(table["raw_difference"], raw, rtol=1e-12)
    b = table["coefficient"].to_numpy()
    mu = expit([b[0], b[0] + b[1], b[0] + b[2], b.sum()])
    response = [mu[0], mu[1] - mu[0], mu[2] - mu[0], mu[3] - mu[1] - mu[2] + mu[0]]
    np.testing.assert_allclose(table["effect_response"], response, rtol=1e-12)


def test_effect_intervals_are_the_delta_method() -> None:
    long = corpus()
    table = treatment(analyse(long, FACTORS))
    x = np.column_stack([long["race"] != "European", long["gender"] == "female"]).astype(float)
    fit = fit_beta(long["prediction"], np.column_stack([np.ones(96), x, x.prod(axis=1)]))

    def interaction(b: np.ndarray) -> float:
        mu = expit([b[0], b[0] + b[1], b[0] + b[2], b.sum()])
        return mu[3] - mu[1] - mu[2] + mu[0]

    slope = [(interaction(fit.params + s) - interaction(fit.params - s)) / 2e-6 for s in 1e-6 * np.eye(4)]
    half = stats.t.ppf(0.975, 91) * np.sqrt(slope @ fit.covariance[:4, :4] @ slope)
    row = table.iloc[3]
    assert row["effect_ci_high"] - row["effect_response"] == pytest.approx(half, rel=1e-7)
    assert row["effect_response"] - row["effect_ci_low"] == pytest.approx(half, rel=1e-7)
    # The person-level interval is wider by much the same factor as on the logit scale.
    widen = (row["effect_ci_name_high"] - row["effect_ci_name_low"]) / (2 * half)
    assert widen == pytest.approx(
        np.sqrt(row["design_effect"]) * stats.t.ppf(0.975, 15) / stats.t.ppf(0.975, 91), rel=0.1
    )


def test_three_factors_with_unbalanced_levels_against_a_hand_made_design() -> None:
    """BetaModel on columns made by hand, level by level, is the referee."""
    from statsmodels.othermod.betareg import BetaModel

    ethnicity = Factor("ethnicity", ("Arab", "Anglo", "Latino"), "Anglo")
    age = Factor("age", ("old", "young"), "young")
    long = corpus((ethnicity, GENDER, age)).sample(frac=0.6, random_state=0)
    assert long.groupby(["ethnicity", "gender", "age"]).size().nunique() > 5
    table = treatment(analyse(long, (ethnicity, GENDER, age), permutations=0))
    assert table["status"].eq("ok").all()
    x = {f"ethnicity[{level}]": (long["ethnicity"] == level).astype(float) for level in ("Arab", "Latino")}
    x |= {"gender[female]": (long["gender"] == "female") * 1.0, "age[old]": (long["age"] == "old") * 1.0}
    arab, latino, female, old = x.values()
    x |= {
        "ethnicity[Arab]:gender[female]": arab * female,
        "ethnicity[Latino]:gender[female]": latino * female,
        "ethnicity[Arab]:age[old]": arab * old,
        "ethnicity[Latino]:age[old]": latino * old,
        "gender[female]:age[old]": female * old,
        "ethnicity[Arab]:gender[female]:age[old]": arab * female * old,
        "ethnicity[Latino]:gender[female]:age[old]": latino * female * old,
    }
    assert table["term"].tolist() == ["Intercept", *x]
    design = np.column_stack([np.ones(len(long)), *x.values()])
    model = BetaModel(long["prediction"].to_numpy(), design, exog_precision=np.ones((len(long), 1)))
    start = [*table["coefficient"] + 0.02, np.log(table["phi"].iloc[0]) + 0.02]
    theirs = model.fit(start_params=start, method="newton", disp=False)
    # BetaModel's Newton stops some 1e-6 standard errors before the top.
    assert (np.abs(table["coefficient"] - theirs.params[:12]) / theirs.bse[:12]).max() < 1e-5
    np.testing.assert_allclose(table["std_error_iid"], theirs.bse[:12], rtol=1e-6)
    np.testing.assert_allclose(table["p_iid"], 2 * stats.t.sf(np.abs(theirs.tvalues[:12]), len(long) - 13), rtol=1e-4)


def test_rows_may_come_in_any_order() -> None:
    long = with_noun_phrases()
    shuffled = analyse(long.sample(frac=1, random_state=1), FACTORS).sort_values(["subset", "term"])
    straight = analyse(long, FACTORS).sort_values(["subset", "term"])
    pd.testing.assert_frame_equal(
        shuffled.reset_index(drop=True), straight.reset_index(drop=True), check_exact=False, rtol=1e-10
    )


def test_outside_and_boundary_scores_are_counted_and_checked_without_squeezing() -> None:
    long = corpus()
    long.loc[[0, 30, 31], "prediction"] = [-0.2, 1.0, 1.7]
    table = analyse(long, FACTORS)
    assert table["n_clipped"].unique().tolist() == [2]
    assert table["message"].str.contains("2 predictions outside [0, 1] were clipped", regex=False).all()
    assert table["n_boundary"].unique().tolist() == [3]
    assert table["status"].eq("ok").all()
    table = treatment(table)
    # The fractional logit of a saturated design fits the cell means exactly.
    closed = long.assign(y=long["prediction"].clip(0, 1)).groupby(["race", "gender"])["y"].mean()
    own = [closed[r, g] for r in RACE.levels for g in GENDER.levels]
    expected = [logit(own[0]), logit(own[2]) - logit(own[0]), logit(own[1]) - logit(own[0])]
    np.testing.assert_allclose(table["coefficient_fractional"][:3], expected, rtol=1e-9)
    assert table["p_fractional"].between(0, 1).all()


def test_fractional_logit_stands_aside_without_boundary_scores_and_for_cells_on_the_boundary() -> None:
    columns = ["coefficient_fractional", "p_fractional"]
    assert analyse(corpus(), FACTORS)[columns].isna().all(axis=None)
    long = corpus()
    long.loc[(long["race"] == "European") & (long["gender"] == "male"), "prediction"] = 0.0
    table = analyse(long, FACTORS)
    assert table["status"].tolist() == ["invariant"] + ["ok"] * 7  # the reference group's own mean
    assert table[columns].isna().all(axis=None)


def test_a_decision_that_hangs_on_the_boundary_is_said() -> None:
    assert disagreement(0.03, 0.2, 0.95) == (
        "scores at 0 or 1 matter: by CR1, p = 0.03 with all scores squeezed (Beta) and 0.2 without squeezing "
        "(fractional logit)"
    )
    assert disagreement(0.03, 0.04, 0.95) == disagreement(0.3, np.nan, 0.95) == ""
    assert disagreement(0.03, 0.04, 0.965) != ""


def test_the_configured_callable_is_the_function() -> None:
    pd.testing.assert_frame_equal(BetaRegression(level=0.8)(corpus(), FACTORS), analyse(corpus(), FACTORS, level=0.8))


def test_stars_are_the_papers() -> None:
    marks = [stars(p) for p in (0.0, 0.0099, 0.01, 0.049, 0.05, 0.0999, 0.1, 1.0, float("nan"))]
    assert marks == ["***", "***", "**", "**", "*", "*", "", "", ""]


# Traps: two-way clustering can go NaN, pooling by combine_effects allows a negative variance: none here.
def test_nothing_is_clustered_twice_or_pooled() -> None:
    source = "".join(p.read_text(encoding="utf-8") for p in Path(fit_beta.__code__.co_filename).parent.glob("*.py"))
    assert "combine_effects" not in source
    table = analyse(corpus(), FACTORS)
    assert [c for c in table.columns if c.startswith("std_error")] == [
        "std_error_iid",
        "std_error_name",
        "std_error_cr1",
        "std_error_effect_name",
    ]
