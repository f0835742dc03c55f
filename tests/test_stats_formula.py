"""Which terms a model has, and formulas that cannot be meant."""

import numpy as np
import pytest
from formulaic import Formula

from bias_lab.errors import ConfigError
from bias_lab.stats import analyse
from bias_lab.stats.formula import check_interactions, chosen_terms, write_formula
from stats_tables import AGE, FACTORS, GENDER, RACE, corpus, treatment, with_noun_phrases

NAMES = ("race", "gender", "age")


@pytest.mark.parametrize(
    "formula",
    ["race * gender", "race + gender", "race*gender*age", "race * gender + age", "race + gender + race:gender",
     "age + race", "race:gender + gender + race", "1 + race", "prediction ~ race * age", "race * race"],
)  # fmt: skip
def test_formulas_are_read_as_a_formula_library_reads_them(formula: str) -> None:
    theirs = {frozenset(str(term).split(":")) for term in Formula(formula.rpartition("~")[2])} - {frozenset("1")}
    assert {frozenset(term) for term in chosen_terms(formula, NAMES)} == theirs


def test_orders_and_all() -> None:
    assert chosen_terms(1, NAMES) == (("race",), ("gender",), ("age",))
    two = (("race", "gender"), ("race", "age"), ("gender", "age"))
    assert chosen_terms(2, NAMES) == (*chosen_terms(1, NAMES), *two)
    assert chosen_terms(3, NAMES) == chosen_terms(9, NAMES) == chosen_terms("all", NAMES)
    assert chosen_terms("all", NAMES)[-1] == NAMES
    assert chosen_terms("all", ()) == ()


def test_written_as_read() -> None:
    assert write_formula(chosen_terms("all", NAMES)) == "prediction ~ race * gender * age"
    assert write_formula(chosen_terms(1, NAMES)) == "prediction ~ race + gender + age"
    assert write_formula(chosen_terms("race * age + gender", NAMES)) == "prediction ~ race + gender + age + race:age"
    assert write_formula(()) == "prediction ~ 1"


ALLOWED = (
    'allowed: "all", an order (1: main effects, 2: and products of two factors, ...), or a formula of factor '
    'names joined by *, : and +, such as "race * gender" or "race + gender"'
)
FAULTS = {
    "order": (0, f"stats.interactions: got 0; {ALLOWED}"),
    "truth": (True, f"stats.interactions: got True; {ALLOWED}"),
    "nothing": ("", f"stats.interactions: cannot read '' in ''; {ALLOWED}"),
    "hole": ("race * * gender", f"stats.interactions: cannot read 'race * * gender' in 'race * * gender'; {ALLOWED}"),
    "power": ("(race + age)^2", f"stats.interactions: cannot read '(race' in '(race + age)^2'; {ALLOWED}"),
    "response": ("score ~ race", "stats.interactions: 'score ~ race' explains 'score'; only 'prediction' is"),
}  # fmt: skip


@pytest.mark.parametrize(("interactions", "message"), FAULTS.values(), ids=FAULTS)
def test_what_cannot_be_read(interactions: object, message: str) -> None:
    with pytest.raises(ConfigError) as error:
        check_interactions(interactions)  # type: ignore[arg-type]
    assert str(error.value) == message


def test_a_formula_must_fit_the_factors() -> None:
    with pytest.raises(ConfigError) as error:
        chosen_terms("race * gendr", NAMES)
    assert str(error.value) == (
        "stats.interactions: 'race * gendr' has 'gendr', which is no factor of the corpus "
        "(its factors: race, gender, age)"
    )
    with pytest.raises(ConfigError) as error:
        chosen_terms("race + race:gender", NAMES)
    assert str(error.value) == (
        "stats.interactions: 'race + race:gender' has race:gender without gender; write \"race * gender\", "
        "which has all parts"
    )


def test_main_effects_only_are_those_of_a_hand_made_design() -> None:
    from bias_lab.stats import fit_beta

    long = corpus().sample(frac=0.8, random_state=0)
    table = treatment(analyse(long, FACTORS, interactions="race + gender", permutations=0))
    design = np.column_stack([np.ones(len(long)), long["race"] != "European", long["gender"] == "female"])
    fit = fit_beta(long["prediction"], design.astype(float))
    assert table["formula"].unique().tolist() == ["prediction ~ race + gender"]
    np.testing.assert_allclose(table["coefficient"], fit.params, rtol=1e-9)
    np.testing.assert_allclose(table["std_error_iid"], fit.std_errors, rtol=1e-9)
    without = [
        fit_beta(
            *(
                values[(long["person"] != person).to_numpy()]
                for values in (long["prediction"].to_numpy(), design.astype(float))
            )
        ).params
        for person in long["person"].unique()
    ]
    cv3 = 15 / 16 * ((np.array(without) - fit.params) ** 2).sum(axis=0)
    np.testing.assert_allclose(table["std_error_name"], np.sqrt(cv3), rtol=1e-8)


def test_a_factor_left_out_is_averaged_over() -> None:
    long = corpus()
    one = analyse(long, FACTORS, interactions="gender", permutations=0)
    two = analyse(long, (GENDER,), permutations=0)
    assert one["formula"].unique().tolist() == ["prediction ~ gender"]
    np.testing.assert_allclose(one["coefficient"], two["coefficient"], rtol=1e-12)


def test_noun_phrases_keep_the_terms_they_have() -> None:
    table = treatment(analyse(with_noun_phrases(), FACTORS, interactions="race * gender", permutations=0))
    assert table.groupby("subset", sort=False)["formula"].first().tolist() == [
        "prediction ~ race * gender",
        "prediction ~ gender",
    ]
    table = treatment(analyse(with_noun_phrases(), FACTORS, interactions="race", permutations=0))
    assert table.groupby("subset", sort=False)["formula"].first().tolist() == ["prediction ~ race", "prediction ~ 1"]


def test_two_way_interactions_of_three_factors() -> None:
    table = treatment(analyse(corpus((RACE, GENDER, AGE)), (RACE, GENDER, AGE), interactions=2, permutations=0))
    assert table["factors"].tolist()[-3:] == ["race:gender", "race:age", "gender:age"]
    assert len(table) == 7
    assert table["status_name"].eq("ok").all()


def test_an_empty_group_does_not_stop_main_effects() -> None:
    long = corpus()
    long = long[(long["race"] == "European") | (long["gender"] == "male")]
    table = treatment(analyse(long, FACTORS, interactions=1))
    assert table["status"].eq("ok").all()
    assert table[["p_name", "p_perm"]].iloc[1:].notna().all(axis=None)
    # There is a plain difference where the groups exist.
    european = long[long["race"] == "European"].groupby("gender")["prediction"].mean()
    assert table["raw_difference"].iloc[2] == pytest.approx(european["female"] - european["male"])


def test_a_factor_that_goes_with_another_is_named() -> None:
    long = corpus((RACE, GENDER))
    long["age"] = np.where(long["race"] == "European", "old", "young")
    table = analyse(long, (RACE, GENDER, AGE), interactions=1)
    assert table["status"].eq("rank_deficient").all()
    assert table["message"].iloc[0].endswith("so there is no telling apart: race[African-American], age[old]")
