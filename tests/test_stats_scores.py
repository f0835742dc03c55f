"""Checks of the long table, clipping and squeezing, and the spread between persons."""

import numpy as np
import pandas as pd
import pytest

from bias_lab.errors import DataError
from bias_lab.stats.scores import check_table, person_spread, prepare_scores


def table(**columns: object) -> pd.DataFrame:
    """Three good rows, with columns replaced."""
    good = {
        "eec": ["x"] * 3,
        "person": ["Ana", "Ben", "Cid"],
        "person_kind": ["name"] * 3,
        "prediction": [0.1, 0.2, 0.3],
    }
    return pd.DataFrame({**good, **columns}, index=[10, 11, 12])


def test_nothing_moves_inside_the_interval() -> None:
    scores = prepare_scores(np.array([0.2, 0.999, 1e-9]))
    assert scores.open.tolist() == scores.closed.tolist() == [0.2, 0.999, 1e-9]
    assert (scores.n_clipped, scores.n_boundary) == (0, 0)


def test_outside_is_clipped_and_the_boundary_squeezed() -> None:
    scores = prepare_scores(np.array([-0.3, 0.0, 0.5, 1.0, 1.2, 0.001]))
    assert scores.closed.tolist() == [0.0, 0.0, 0.5, 1.0, 1.0, 0.001]
    # (y (n - 1) + 1/2) / n with n = 6, for all rows: an interior score stays above a 0.
    np.testing.assert_allclose(scores.open, [1 / 12, 1 / 12, 0.5, 11 / 12, 11 / 12, 0.505 / 6], rtol=1e-15)
    assert (scores.n_clipped, scores.n_boundary) == (2, 4)


def test_a_good_table_passes_with_any_number_type() -> None:
    check_table(table(), [])
    check_table(table(prediction=[0, 1, 0]), [])
    check_table(table(prediction=np.array([0.1, 0.2, 0.3], dtype=np.float32)), [])


FAULTS = {
    "nan": (
        {"prediction": [0.1, np.nan, np.inf]},
        "column 'prediction': 2 of 3 rows have no finite prediction: row 11: missing, row 12: inf",
    ),
    "text": (
        {"prediction": ["0.1", "0.2", "n/a"]},
        "column 'prediction': numbers are needed, it holds str",
    ),
    "truth values": (
        {"prediction": [True, False, True]},
        "column 'prediction': numbers are needed, it holds bool",
    ),
    "kind": (
        {"person_kind": ["name", "pronoun", None]},
        "column 'person_kind': 2 of 3 rows have another person_kind than name or noun_phrase: "
        "row 11: 'pronoun', row 12: missing",
    ),
    "person": (
        {"person": ["Ana", None, "Cid"]},
        "column 'person': 1 of 3 rows have no person: row 11: missing",
    ),
    "eec": ({"eec": [None, "x", "x"]}, "column 'eec': 1 of 3 rows have no eec: row 10: missing"),
}


@pytest.mark.parametrize(("columns", "message"), FAULTS.values(), ids=FAULTS)
def test_faults_name_the_rows(columns: dict, message: str) -> None:
    with pytest.raises(DataError) as error:
        check_table(table(**columns), [])
    assert str(error.value) == message


def test_many_faulty_rows_are_counted_and_the_first_shown() -> None:
    many = pd.DataFrame({**table().iloc[[0]].to_dict("list"), "prediction": [np.nan]}).loc[[0] * 9]
    many.index = pd.RangeIndex(9)
    with pytest.raises(DataError) as error:
        check_table(many, [])
    assert str(error.value) == (
        "column 'prediction': 9 of 9 rows have no finite prediction: row 0: missing, row 1: missing, "
        "row 2: missing, row 3: missing, row 4: missing, ..."
    )


def test_missing_columns_and_rows() -> None:
    with pytest.raises(DataError) as error:
        check_table(table().drop(columns=["eec", "prediction"]), [])
    assert str(error.value) == "table of scores: no column eec, prediction; it has person, person_kind"
    with pytest.raises(DataError, match=r"^table of scores: it has no rows$"):
        check_table(table().iloc[:0], [])


def test_person_spread_is_that_of_means_within_cells() -> None:
    y = np.array([0.1, 0.3, 0.2, 0.4, 0.7, 0.9, 0.5, 0.1])
    cell, person = np.array([0, 0, 0, 0, 1, 1, 3, 3]), np.array([0, 0, 1, 1, 2, 2, 3, 4])
    # Cell 0: means .2 and .3; cell 1 has one person and cell 2 none.
    np.testing.assert_allclose(person_spread(y, cell, person, 4), [0.1, np.inf, np.inf, 0.4], rtol=1e-14)
    assert person_spread(y[4:6], cell[4:6], person[4:6], 2).tolist() == [np.inf] * 2


def test_person_spread_of_unequal_rows_is_relative_to_the_items() -> None:
    # The scores depend on the item alone; person 1 lacks item 2.
    item = np.array([0, 1, 2, 0, 1])
    y, cell, person = np.array([0.1, 0.5, 0.9])[item], np.zeros(5, dtype=int), np.array([0, 0, 0, 1, 1])
    assert person_spread(y, cell, person, 1) == pytest.approx([0.2], abs=1e-15)
    assert person_spread(y, cell, person, 1, item) == pytest.approx([0.0], abs=1e-15)
    y[4] += 0.01
    assert person_spread(y, cell, person, 1, item) == pytest.approx([0.005], abs=1e-15)
    assert person_spread(y[:3], cell[:3], person[:3], 1, item[:3]).tolist() == [np.inf]
