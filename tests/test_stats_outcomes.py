"""Input without an answer: named outcomes without numbers, and errors that name the rows."""

import numpy as np
import pytest

from bias_lab.errors import ConfigError, DataError
from bias_lab.stats import BetaRegression, analyse
from bias_lab.stats.beta import no_fit
from stats_tables import ESTIMATES, FACTORS, GENDER, Factor, assert_no_finding, corpus, treatment, with_noun_phrases


def test_constant_scores_are_degenerate() -> None:
    table = analyse(corpus().assign(prediction=0.4), FACTORS)
    assert_no_finding(table, "degenerate")
    assert table["message"].unique().tolist() == ["scores do not vary within cells (by less than 1e-06)"]
    np.testing.assert_allclose(table["raw_difference"], [0.4, 0, 0, 0] * 2, atol=1e-15)


ROUNDING = 4e-7  # scores of an encoder in float32 for texts of equal tokens in different batches, as seen


# Trap: race-blind predictions with cluster errors give a coefficient of 8e-16 with p = 5e-7.
@pytest.mark.parametrize("lacking", [0, 5], ids=["equal rows", "unequal rows"])
def test_a_model_that_does_not_see_names_is_invariant(lacking: int) -> None:
    long = corpus()
    by_item = dict(zip(long["item"].unique(), np.linspace(0.2, 0.7, 6), strict=True))
    noise = np.random.default_rng(0).uniform(-ROUNDING, ROUNDING, len(long))
    long["prediction"] = long["item"].map(by_item) + 0.01 * (long["gender"] == "female") + noise
    table = analyse(long.drop(index=long.index[:lacking]), FACTORS)
    assert_no_finding(table, "invariant")
    assert table["message"].unique().tolist() == [
        "persons of a cell have equal mean scores (within 1e-06): the model does not see them"
    ]
    if not lacking:
        assert table["raw_difference"].iloc[2] == pytest.approx(0.01, abs=ROUNDING)


@pytest.mark.parametrize("options", [{}, {"interactions": 1}], ids=["saturated", "main effects"])
def test_a_comparison_of_groups_that_are_not_seen_is_invariant_alone(options: dict) -> None:
    """The model sees European names only: their spread must not lend the others a tiny standard error."""
    long = corpus()
    unseen = long["race"] != "European"
    by_item = dict(zip(long["item"].unique(), np.linspace(0.2, 0.7, 6), strict=True))
    noise = np.random.default_rng(0).uniform(-ROUNDING, ROUNDING, len(long))
    same = long["item"].map(by_item) + 0.1 * (long["gender"] == "female") + noise
    long["prediction"] = same.where(unseen, long["prediction"])
    swapped = (Factor("race", FACTORS[0].levels, "African-American"), GENDER)
    table = treatment(analyse(long, swapped, **options)).set_index("term")
    seen = table.index.str.contains("European")
    if options:  # with main effects only, both races tell of gender
        assert table["status"].tolist() == ["ok"] * 3
        return
    assert table["status"].tolist() == ["invariant", "ok", "invariant", "ok"]
    assert table["status_name"].tolist() == ["no_fit", "ok", "no_fit", "ok"]
    assert (
        table.loc[~seen, [c for c in ESTIMATES if c not in ("phi", "log_likelihood", "icc_name")]].isna().all(axis=None)
    )
    assert table.loc[seen, ["p_name", "p_perm", "p_iid"]].notna().all(axis=None)
    assert table.loc["gender[female]", "message"] == "the persons of the groups compared have equal mean scores"
    assert table.loc["gender[female]", "raw_difference"] == pytest.approx(0.1, abs=ROUNDING)


def test_a_barely_seen_name_is_not_invariant() -> None:
    long = corpus()
    by_item = dict(zip(long["item"].unique(), np.linspace(0.2, 0.7, 6), strict=True))
    own = {person: 1e-6 * i for i, person in enumerate(long["person"].unique())}
    long["prediction"] = long["item"].map(by_item) + long["person"].map(own)
    assert analyse(long, FACTORS)["status"].eq("ok").all()


def test_an_empty_cell_is_rank_deficient_and_says_which() -> None:
    long = corpus()
    table = analyse(long[(long["race"] == "European") | (long["gender"] == "male")], FACTORS)
    assert_no_finding(table, "rank_deficient")
    assert table["message"].unique().tolist() == [
        "a cell has no rows (rows per cell: European, male: 24; European, female: 24; "
        "African-American, male: 24; African-American, female: 0), so there is no telling apart: "
        "race[African-American]:gender[female]"
    ]
    # Contrasts of the cells that exist are still facts.
    assert treatment(table)["raw_difference"].notna().tolist() == [True, True, True, False]


def test_one_row_a_cell_is_saturated() -> None:
    table = analyse(corpus(persons=1, items=1), FACTORS)
    assert_no_finding(table, "saturated")


def test_a_failed_fit_is_not_converged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "bias_lab.stats.subset.fit_cells", lambda y, cell, model: no_fit(len(y), 4, "not_converged", "tried: all")
    )
    table = analyse(corpus(), FACTORS)
    assert_no_finding(table, "not_converged")
    assert table["message"].unique().tolist() == ["tried: all"]


def test_one_person_a_cell_keeps_the_iid_columns_only() -> None:
    table = analyse(corpus(persons=1), FACTORS)
    assert table["status"].eq("ok").all()
    assert table["status_name"].eq("too_few_persons").all()
    assert table["message"].unique().tolist() == ["name level: 4 of 4 cells have a single person"]
    assert table["p_iid"].between(0, 1).all()
    assert table[["p_name", "p_cr1", "std_error_name", "effect_ci_name_low"]].isna().all(axis=None)


def test_a_factor_with_one_level_is_named() -> None:
    long = corpus((Factor("race", ("Arab",), "Arab"), GENDER), persons=6)
    table = analyse(long, (Factor("race", ("Arab",), "Arab"), GENDER))
    assert treatment(table)["term"].tolist() == ["Intercept", "gender[female]"]
    assert table["message"].unique().tolist() == ["factor race has one level only, so no term"]


def test_noun_phrases_without_any_factor_get_an_intercept() -> None:
    phrases = corpus((GENDER,), kind="noun_phrase").assign(gender=None, race=None)
    table = treatment(analyse(phrases, FACTORS))
    assert table[["subset", "formula", "term", "status"]].to_numpy().tolist() == [
        ["noun_phrases", "prediction ~ 1", "Intercept", "ok"]
    ]


def test_missing_and_undeclared_levels_name_the_rows() -> None:
    long = corpus()
    long.loc[4, "race"] = None
    long.loc[7, "race"] = "Martian"
    with pytest.raises(DataError) as error:
        analyse(long, FACTORS)
    assert str(error.value) == (
        "column 'race': 2 of 96 rows have a missing or undeclared level "
        "(declared: European, African-American): row 4: missing, row 7: 'Martian'"
    )


def test_a_factor_that_some_noun_phrases_have_is_asked_of_all() -> None:
    long = with_noun_phrases()
    long.loc[long.index[-1], "race"] = "European"
    with pytest.raises(DataError, match=r"^column 'race': 35 of 36 rows have a missing or undeclared level"):
        analyse(long, FACTORS)


def test_missing_predictions_name_the_rows() -> None:
    long = corpus()
    long.loc[9, "prediction"] = np.nan
    with pytest.raises(DataError, match=r"^column 'prediction': 1 of 96 rows have no finite prediction: row 9"):
        analyse(long, FACTORS)
    with pytest.raises(DataError, match=r"^table of scores: no column race, gender; it has eec, person"):
        analyse(long.drop(columns=["race", "gender"]), FACTORS)


@pytest.mark.parametrize("level", [0.0, 1.0, 95, True, "0.95"])
def test_levels_that_are_no_coverage_are_refused(level: object) -> None:
    with pytest.raises(ConfigError) as error:
        BetaRegression(level=level)  # type: ignore[arg-type]
    message = f"stats.level: got {level!r}; a number between 0 and 1 (such as 0.95) is needed"
    assert str(error.value) == message
    with pytest.raises(ConfigError):
        analyse(corpus(), FACTORS, level=level)  # type: ignore[arg-type]
