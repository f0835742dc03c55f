"""Cells, terms and contrasts, against patsy-style hand-made columns."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from bias_lab.errors import DataError
from bias_lab.stats.design import factorial_design


@dataclass(frozen=True)
class Factor:
    name: str
    levels: tuple[str, ...]
    reference: str


RACE = Factor("race", ("Arab", "Anglo", "Latino"), "Anglo")
GENDER = Factor("gender", ("male", "female"), "male")
AGE = Factor("age", ("old", "young"), "young")


def test_two_by_two_is_the_papers() -> None:
    design = factorial_design([Factor("race", ("European", "African-American"), "European"), GENDER])
    assert design.formula == "prediction ~ race * gender"
    assert [term.label for term in design.terms] == [
        "Intercept",
        "race[African-American]",
        "gender[female]",
        "race[African-American]:gender[female]",
    ]
    assert design.cells[3] == ("African-American", "female")
    assert design.cell_name(3) == "African-American, female"
    np.testing.assert_array_equal(design.matrix, [[1, 0, 0, 0], [1, 0, 1, 0], [1, 1, 0, 0], [1, 1, 1, 1]])
    # The interaction is a difference of differences.
    np.testing.assert_array_equal(design.contrasts[3], [1, -1, -1, 1])


def test_three_factors_against_a_formula() -> None:
    from formulaic import model_matrix

    design = factorial_design([RACE, GENDER, AGE])
    assert design.matrix.shape == (12, 12)
    table = pd.DataFrame(list(design.cells), columns=["race", "gender", "age"]).sample(frac=1, random_state=0)
    made = model_matrix(
        "C(race, contr.treatment('Anglo')) * C(gender, contr.treatment('male')) * C(age, contr.treatment('young'))",
        table,
    )
    ours = design.matrix[design.cell_of(table)]
    # Same columns in some order: each of ours is exactly one of theirs.
    theirs = {tuple(column) for column in made.to_numpy().T}
    assert len(theirs) == 12
    assert {tuple(column) for column in ours.T} == theirs


def test_terms_run_by_order_and_keep_the_declared_order() -> None:
    labels = [term.label for term in factorial_design([RACE, AGE]).terms]
    assert labels == [
        "Intercept",
        "race[Arab]",
        "race[Latino]",
        "age[old]",
        "race[Arab]:age[old]",
        "race[Latino]:age[old]",
    ]


def test_contrasts_are_simple_effects_at_the_reference_of_the_others() -> None:
    design = factorial_design([RACE, GENDER])
    means = {cell: float(i * i) for i, cell in enumerate(design.cells)}
    effect = dict(zip([t.label for t in design.terms], design.contrasts @ list(means.values()), strict=True))
    assert effect["Intercept"] == means["Anglo", "male"]
    assert effect["race[Arab]"] == means["Arab", "male"] - means["Anglo", "male"]
    assert effect["gender[female]"] == means["Anglo", "female"] - means["Anglo", "male"]
    assert effect["race[Latino]:gender[female]"] == (
        means["Latino", "female"] - means["Latino", "male"] - means["Anglo", "female"] + means["Anglo", "male"]
    )


def test_a_factor_with_one_level_has_no_term() -> None:
    design = factorial_design([Factor("race", ("Arab",), "Arab"), GENDER])
    assert (design.formula, design.factors) == ("prediction ~ gender", ("gender",))
    nothing = factorial_design([])
    assert (nothing.formula, nothing.matrix.tolist()) == ("prediction ~ 1", [[1.0]])
    assert nothing.cell_name(0) == "all rows"
    np.testing.assert_array_equal(nothing.cell_of(pd.DataFrame({"x": [1, 2]})), [0, 0])


@pytest.mark.parametrize(("levels", "reference"), [(("a", "b"), "c"), (("a", "a"), "a")], ids=["reference", "twice"])
def test_factors_that_contradict_themselves(levels: tuple[str, ...], reference: str) -> None:
    with pytest.raises(DataError) as error:
        factorial_design([Factor("race", levels, reference)])
    assert str(error.value) == (
        "factor 'race': levels must differ and hold the reference; "
        f"got levels {list(levels)} and reference {reference!r}"
    )
