"""Seeds: averages per sentence, the spread between seeds, and tables that do not match."""

import numpy as np
import pandas as pd
import pytest

from bias_lab.errors import DataError
from bias_lab.stats import BetaRegression, analyse, analyse_seeds, average_seeds, seed_spread
from stats_tables import FACTORS, corpus


def runs(n: int = 3) -> list[pd.DataFrame]:
    """The same sentences, scored by models of several seeds."""
    first = corpus()
    first["sentence"] = first["person"] + " / " + first["item"]
    rng = np.random.default_rng(0)
    tables = []
    for _ in range(n):
        shift = pd.Series(rng.normal(0, 0.05, 16), index=first["person"].unique())
        moved = first["prediction"] + first["person"].map(shift) + rng.normal(0, 0.02, len(first))
        tables.append(first.assign(prediction=moved.clip(0.01, 0.99)))
    return tables


def test_the_mean_is_by_sentence_whatever_the_order() -> None:
    tables = runs()
    mean = np.mean([t["prediction"] for t in tables], axis=0)
    np.testing.assert_allclose(average_seeds(tables)["prediction"], mean, rtol=1e-14)
    mixed = [tables[0], tables[1].sample(frac=1, random_state=0), tables[2].iloc[::-1]]
    found = average_seeds(mixed)
    np.testing.assert_allclose(found["prediction"], mean, rtol=1e-14)
    pd.testing.assert_frame_equal(found.drop(columns="prediction"), tables[0].drop(columns="prediction"))


def test_a_sentence_that_stands_twice_and_missing_levels() -> None:
    tables = runs(2)
    twice = [pd.concat([t, t.iloc[:4]], ignore_index=True).assign(emotion=None, seed=s) for s, t in enumerate(tables)]
    found = average_seeds([twice[0], twice[1].iloc[::-1]])
    assert "seed" not in found.columns
    assert len(found) == 100
    np.testing.assert_allclose(found["prediction"][:4], found["prediction"][96:], rtol=1e-14)


def test_tables_that_do_not_hold_the_same_sentences() -> None:
    one, two = runs(2)
    with pytest.raises(DataError) as error:
        average_seeds([one, two.iloc[1:]])
    assert str(error.value) == (
        "average over seeds: table 2 has 95 rows, the first has 96, of which 1 are not in it, such as "
        "made_up | name 0.0 | name | item 0 | European | male | name 0.0 / item 0"
    )
    with pytest.raises(DataError, match=r"^average over seeds: table 2 has no column person$"):
        average_seeds([one, two.drop(columns="person")])
    with pytest.raises(DataError, match=r"^average over seeds: there is no table$"):
        average_seeds([])


def test_spread_and_signs_are_those_of_the_single_runs() -> None:
    tables = runs()
    found = analyse_seeds(tables, FACTORS, BetaRegression(permutations=50))
    averaged = analyse(average_seeds(tables), FACTORS, permutations=50)
    pd.testing.assert_frame_equal(found[averaged.columns], averaged)
    single = [analyse(t, FACTORS, permutations=0) for t in tables]
    for source, column in (("coefficient", "seed_sd_coefficient"), ("effect_response", "seed_sd_effect")):
        np.testing.assert_allclose(found[column], np.std([t[source] for t in single], axis=0, ddof=1), rtol=1e-12)
    same = np.mean([np.sign(t["effect_response"]) == np.sign(averaged["effect_response"]) for t in single], axis=0)
    effect = found["term"] != "Intercept"
    np.testing.assert_allclose(found.loc[effect, "seed_sign_agreement"], same[effect], rtol=1e-12)
    assert found.loc[~effect, "seed_sign_agreement"].isna().all()
    assert found["n_seeds"].unique().tolist() == [3]


def test_one_seed_has_no_spread_and_failed_ones_do_not_count() -> None:
    tables = runs(2)
    averaged = analyse(average_seeds(tables), FACTORS, permutations=0)
    good = analyse(tables[0], FACTORS, permutations=0)
    bad = analyse(tables[1].assign(prediction=0.5), FACTORS, permutations=0)
    found = seed_spread(averaged, [good, bad])
    assert found["n_seeds"].unique().tolist() == [1]
    assert found[["seed_sd_coefficient", "seed_sd_effect"]].isna().all(axis=None)
    assert found.loc[found["term"] != "Intercept", "seed_sign_agreement"].isin([0.0, 1.0]).all()
