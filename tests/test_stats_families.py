"""Families of tests, against statsmodels' multipletests."""

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.multitest import multipletests

from bias_lab.errors import ConfigError, DataError
from bias_lab.stats import adjust, adjust_families, analyse
from stats_tables import FACTORS, corpus, with_noun_phrases


@pytest.mark.parametrize(("method", "theirs"), [("bh", "fdr_bh"), ("holm", "holm")])
def test_adjusted_as_by_statsmodels(method: str, theirs: str) -> None:
    rng = np.random.default_rng(0)
    for m in (1, 2, 7, 60):
        p = np.round(rng.uniform(0, 0.3, m) ** 2, 3)  # rounding makes ties
        np.testing.assert_allclose(adjust(p, method), multipletests(p, method=theirs)[1], rtol=1e-12)


@pytest.mark.parametrize("method", ["bh", "holm"])
def test_missing_p_is_no_test(method: str) -> None:
    p = np.array([0.01, np.nan, 0.02, np.nan, 0.5])
    found = adjust(p, method)
    assert np.isnan(found).tolist() == [False, True, False, True, False]
    np.testing.assert_allclose(found[~np.isnan(p)], adjust(p[~np.isnan(p)], method))
    assert np.isnan(adjust(np.full(3, np.nan), method)).all()
    assert adjust(np.array([]), method).tolist() == []


def test_known_values() -> None:
    p = np.array([0.04, 0.01, 0.03])
    np.testing.assert_allclose(adjust(p), [0.04, 0.03, 0.04], rtol=1e-12)
    np.testing.assert_allclose(adjust(p, "holm"), [0.06, 0.03, 0.06], rtol=1e-12)


def test_faults() -> None:
    with pytest.raises(ConfigError) as error:
        adjust(np.array([0.1]), "bonferroni")
    assert str(error.value) == "adjustment: got 'bonferroni'; allowed: bh, holm"
    with pytest.raises(DataError) as wrong:
        adjust(np.array([0.1, 1.2, -0.1]))
    assert str(wrong.value) == "adjustment: 2 p-values lie outside [0, 1], the first is 1.2"


def runs() -> pd.DataFrame:
    """Two models on two corpora."""
    parts = []
    for seed, model in enumerate(("one", "two")):
        for number, eec in enumerate(("a", "b")):
            long = with_noun_phrases() if number else corpus(seed=seed)
            parts.append(analyse(long.assign(eec=eec), FACTORS, permutations=0).assign(model=model))
    return pd.concat(parts, ignore_index=True)


def test_a_family_is_all_of_a_corpus_in_one_coding() -> None:
    table = runs()
    found = adjust_families(table)
    assert table.equals(found[table.columns])
    assert found["family"].unique().tolist() == ["a, treatment", "a, deviation", "b, treatment", "b, deviation"]
    tested = found["term"] != "Intercept"
    # Three terms, and for b the noun phrases' gender, for each of two models.
    assert found.groupby("family", sort=False)["family_size"].first().tolist() == [6, 6, 8, 8]
    for _, rows in found[tested].groupby("family"):
        np.testing.assert_allclose(rows["q"], multipletests(rows["p_name"], method="fdr_bh")[1], rtol=1e-12)
    assert found.loc[~tested, "q"].isna().all()


def test_families_and_tests_of_your_own() -> None:
    table = runs()
    found = adjust_families(table, by=["eec", "model", "subset", "coding"], p="p_iid", method="holm")
    names = found[(found["eec"] == "b") & (found["model"] == "one") & (found["subset"] == "names")]
    own = names[(names["coding"] == "treatment") & (names["term"] != "Intercept")]
    np.testing.assert_allclose(own["q"], multipletests(own["p_iid"], method="holm")[1], rtol=1e-12)
    assert own["family"].unique().tolist() == ["b, one, names, treatment"]
    everything = adjust_families(table, by=[])
    assert everything["family"].unique().tolist() == ["all"]
    assert everything["family_size"].unique().tolist() == [28]


def test_terms_without_a_test_do_not_count() -> None:
    table = runs()
    table.loc[(table["eec"] == "a") & (table["model"] == "one"), "p_name"] = np.nan
    assert adjust_families(table).groupby("family", sort=False)["family_size"].first().tolist() == [3, 3, 8, 8]


def test_tables_that_do_not_serve() -> None:
    with pytest.raises(DataError, match=r"^table of coefficients: no column emotion; it has eec, subset, "):
        adjust_families(runs(), by=["eec", "emotion"])
    part = analyse(corpus(), FACTORS, permutations=0)
    with pytest.raises(DataError, match=r"put tables together with ignore_index=True$"):
        adjust_families(pd.concat([part, part]))
