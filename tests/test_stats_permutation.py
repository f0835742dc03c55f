"""The permutation test, against refits one by one, all deals of a small corpus, and its own level."""

from itertools import permutations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bias_lab.stats import analyse, fit_beta
from bias_lab.stats.coding import treatment_coding
from bias_lab.stats.design import factorial_design
from bias_lab.stats.likelihood import CellDesign
from bias_lab.stats.name_level import name_level, person_sums
from bias_lab.stats.permutation import permutation_p
from stats_tables import AGE, FACTORS, GENDER, RACE, Factor, corpus, treatment

ETHNICITY = Factor("ethnicity", ("Arab", "Anglo", "Latino"), "Anglo")


def statistic(long: pd.DataFrame, factors: tuple, term: int) -> float:
    """|coefficient / CR1 standard error| by a plain fit of the rows."""
    design = factorial_design(factors)
    y, cell, person = long["prediction"].to_numpy(), design.cell_of(long), pd.factorize(long["person"])[0]
    fit, model = fit_beta(y, design.matrix[cell]), CellDesign.constant_precision(design.matrix)
    cr1 = name_level(fit, y, cell, model, person).cluster_robust
    return float(abs(fit.params[term]) / np.sqrt(cr1[term, term]))


def relabelled(long: pd.DataFrame, factor: str, levels: dict[str, str]) -> pd.DataFrame:
    return long.assign(**{factor: long["person"].map(levels)})


def test_all_deals_of_a_small_corpus() -> None:
    """Three names in each of two groups: the 20 deals refitted one by one give the p that sampling comes close to."""
    long = corpus((GENDER,), persons=3, seed=3)
    names = long["person"].unique()
    sizes = []
    for women in {frozenset(order[:3]) for order in permutations(names)}:
        levels = {name: "female" if name in women else "male" for name in names}
        sizes.append(statistic(relabelled(long, "gender", levels), (GENDER,), 1))
    own = statistic(long, (GENDER,), 1)
    exact = np.mean(np.array(sizes) >= own - 1e-6)
    assert len(sizes) == 20
    assert 0.05 < exact < 0.9
    p = treatment(analyse(long, (GENDER,), permutations=4000))["p_perm"].iloc[1]
    # Four standard errors of a share of 4,000 deals.
    assert p == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 4000))


@pytest.mark.parametrize("precision", ["constant", "by_group"])
def test_every_deal_is_a_refit(precision: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the deals fixed by hand, p counts the refits whose t is as large, with unequal rows a name."""
    from bias_lab.stats import permutation

    long = corpus(seed=5).sample(frac=0.7, random_state=1).sort_values("person", ignore_index=True)
    first = long.groupby("person")[["race", "gender"]].first()
    rng, labels = np.random.default_rng(0), []
    for _ in range(12):
        deal = first["race"].copy()
        for gender in GENDER.levels:
            mine = first["gender"] == gender
            deal[mine] = rng.permutation(deal[mine].to_numpy())
        labels.append(deal)
    codes = [pd.Index(RACE.levels).get_indexer(deal) for deal in (first["race"], *labels)]
    monkeypatch.setattr(permutation, "_deals", lambda *_: iter([np.stack(codes)]))
    design = factorial_design(FACTORS)
    z = np.eye(4) if precision == "by_group" else np.ones((4, 1))
    model = CellDesign(design.matrix, z)

    def size(table: pd.DataFrame) -> np.ndarray:
        y, cell, person = table["prediction"].to_numpy(), design.cell_of(table), pd.factorize(table["person"])[0]
        fit = fit_beta(y, design.matrix[cell], z[cell])
        robust = name_level(fit, y, cell, model, person).cluster_robust
        return np.abs(fit.params / np.sqrt(np.diagonal(robust)))

    own = size(long)
    others = np.array([size(relabelled(long, "race", deal.to_dict())) for deal in labels])
    expected = (1 + (others >= own - 1e-4).sum(axis=0)) / 13
    table = treatment(analyse(long, FACTORS, permutations=12, precision=precision))
    assert len(np.unique(expected[[1, 3]])) == 2
    np.testing.assert_allclose(table["p_perm"][[1, 3]], expected[[1, 3]], rtol=1e-12)


def test_statistics_are_coefficient_over_cluster_robust_error() -> None:
    from bias_lab.stats import permutation

    long = corpus((ETHNICITY, GENDER)).sample(frac=0.8, random_state=0)
    design = factorial_design((ETHNICITY, GENDER))
    model = CellDesign.constant_precision(design.matrix)
    y, cell, person = long["prediction"].to_numpy(), design.cell_of(long), pd.factorize(long["person"], sort=True)[0]
    fit = fit_beta(y, design.matrix[cell])
    sums = person_sums(y, cell, person, person.max() + 1, 6, center=np.full(6, 0.4))
    factor, _ = permutation._as_factor(sums, design, 0, (0, 1))
    assert factor is not None
    own = permutation._statistics(factor.label[None], factor, model, np.eye(6), permutation._start(fit, factor, model))
    robust = name_level(fit, y, cell, model, person).cluster_robust
    expected = np.abs(fit.params) / np.sqrt(np.diagonal(robust))
    n, g = len(y), person.max() + 1
    np.testing.assert_allclose(own[0] / np.sqrt(g / (g - 1) * (n - 1) / (n - 7)), expected, rtol=1e-5)


def test_labels_stay_within_the_other_factors_and_the_levels_compared() -> None:
    from bias_lab.stats import permutation

    long = corpus((ETHNICITY, GENDER), persons=3)
    design = factorial_design((ETHNICITY, GENDER))
    person, names = pd.factorize(long["person"], sort=True)
    sums = person_sums(long["prediction"].to_numpy(), design.cell_of(long), person, 18, 6, center=np.full(6, 0.5))
    factor, note = permutation._as_factor(sums, design, 0, (0, 1))
    assert factor is not None
    assert note == ""  # 20 x 20 ways
    (labels,) = permutation._deals(factor, 500, np.random.default_rng(0))
    own = labels[0]
    first = long.groupby("person")[["ethnicity", "gender"]].first().loc[names]
    np.testing.assert_array_equal(own, pd.Index(ETHNICITY.levels).get_indexer(first["ethnicity"]))
    assert labels.shape == (501, 18)
    assert (labels[:, own == 2] == 2).all()  # Latino names keep their label
    for gender in GENDER.levels:
        mine = (first["gender"] == gender).to_numpy()
        assert ((labels[:, mine] == 0).sum(axis=1) == 3).all()
        # Every name gets either label half of the time: 4.5 standard errors of 500 deals.
        free = mine & (own != 2)
        assert np.abs((labels[1:, free] == 0).mean(axis=0) - 0.5).max() < 4.5 * 0.5 / np.sqrt(500)


def test_deals_come_in_blocks_for_many_persons(monkeypatch: pytest.MonkeyPatch) -> None:
    from bias_lab.stats import permutation

    long = corpus()
    whole = analyse(long, FACTORS, permutations=300)
    monkeypatch.setattr(permutation, "_CHUNK", 32 * 70)
    blocks = analyse(long, FACTORS, permutations=300)
    np.testing.assert_allclose(blocks["p_perm"], whole["p_perm"], atol=0.1)
    assert (blocks["p_perm"].dropna() * 301 % 1).round(9).isin([0, 1]).all()


def test_seeded_and_blind_to_the_order_of_rows() -> None:
    long = corpus()
    one = analyse(long, FACTORS, permutations=200)["p_perm"]
    pd.testing.assert_series_equal(one, analyse(long, FACTORS, permutations=200)["p_perm"])
    shuffled = analyse(long.sample(frac=1, random_state=3), FACTORS, permutations=200)["p_perm"]
    pd.testing.assert_series_equal(one, shuffled)
    assert (one.dropna() != analyse(long, FACTORS, permutations=200, seed=1)["p_perm"].dropna()).any()


def test_close_to_the_jackknife_and_missing_for_the_intercept() -> None:
    table = analyse(corpus(persons=10), FACTORS)
    p = table[["p_name", "p_perm"]][table["term"] != "Intercept"]
    assert (p["p_name"] - p["p_perm"]).abs().max() < 0.06
    assert table.loc[table["term"] == "Intercept", "p_perm"].isna().all()
    assert table["message"].unique().tolist() == [""]


def test_a_clear_difference_gets_the_smallest_p() -> None:
    long = corpus(persons=6)
    long.loc[long["race"] == "European", "prediction"] *= 0.3
    assert treatment(analyse(long, FACTORS, permutations=499))["p_perm"].iloc[1] == pytest.approx(1 / 500)


def test_none_asked_for_none_given() -> None:
    table = analyse(corpus(), FACTORS, permutations=0)
    assert table["p_perm"].isna().all()
    assert table["p_name"].notna().all()


def test_three_factors_each_have_their_own_deals() -> None:
    table = analyse(corpus((RACE, GENDER, AGE)), (RACE, GENDER, AGE), permutations=99)
    assert table.loc[table["term"] != "Intercept", "p_perm"].between(0, 1).all()


def test_a_person_with_two_levels_of_a_factor_cannot_be_dealt() -> None:
    long = corpus()
    two = {"African-American": "European"}
    long = pd.concat([long, long[long["person"] == "name 3.0"].replace({"race": two})], ignore_index=True)
    table = treatment(analyse(long, FACTORS))
    assert table["p_perm"].notna().tolist() == [False, False, True, False]
    assert table["message"].unique().tolist() == ["p_perm: 1 persons have more than one level of race"]


def test_a_person_in_two_groups_of_another_factor_is_dealt_among_its_like() -> None:
    """Two names stand in both genders' sentences: race is dealt between them, and among the others."""
    long = corpus()
    both = [long[long["person"] == name].assign(gender="female") for name in ("name 0.0", "name 2.0")]
    long = pd.concat([long, *both], ignore_index=True)
    table = treatment(analyse(long, FACTORS, permutations=99))
    assert table["p_perm"].notna().tolist() == [False, True, False, True]
    assert table["message"].unique().tolist() == ["p_perm: 2 persons have more than one level of gender"]


def test_without_likes_there_is_nothing_to_deal() -> None:
    long = corpus()
    long = long[~((long["race"] == "European") & (long["gender"] == "female"))]
    long = long[~((long["race"] == "African-American") & (long["gender"] == "male"))]
    table = treatment(analyse(long, FACTORS, interactions="race"))
    assert table["p_perm"].notna().tolist() == [False, True]
    table = treatment(analyse(long, FACTORS, interactions="race + gender"))
    assert table["status"].unique().tolist() == ["rank_deficient"]
    coding = treatment_coding(factorial_design(FACTORS))
    design = factorial_design(FACTORS, interactions=1)
    cell, person = design.cell_of(long), pd.factorize(long["person"])[0]
    sums = person_sums(long["prediction"].to_numpy(), cell, person, 8, 4, center=np.full(4, 0.5))
    fit = fit_beta(corpus()["prediction"], design.matrix[design.cell_of(corpus())])
    model = CellDesign.constant_precision(design.matrix)
    p, notes = permutation_p(fit, sums, design, model, [coding], permutations=9, seed=0)
    assert np.isnan(p[0]).all()
    assert notes == ["p_perm: no persons who are alike but for race", "p_perm: no persons who are alike but for gender"]


def test_a_deal_whose_fit_fails_counts_as_larger(monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from bias_lab.stats import permutation
    from bias_lab.stats.likelihood import newton

    def fails(*args: object, **kwargs: object) -> object:
        result = newton(*args, **kwargs)  # type: ignore[arg-type]
        return replace(result, converged=np.arange(len(result.converged)) < 1)

    monkeypatch.setattr(permutation, "newton", fails)
    table = treatment(analyse(corpus(), FACTORS, permutations=50))
    assert table["p_perm"].iloc[1:].tolist() == [1.0] * 3


@pytest.mark.slow
def test_rejects_at_its_level_when_names_are_shuffled(shared: Path) -> None:
    """Race shuffled over the names of a gender in all real sets: permutation rejects 5 %, as it must."""
    rng, rejected = np.random.default_rng(1), []
    files = sorted((shared / "reference" / "inputs").glob("[mn]*.csv"))
    assert len(files) == 16
    for path in files:
        frame = pd.read_csv(path)
        first = frame.groupby("person")["gender01"].first()
        long = pd.DataFrame({"eec": "x", "person": frame["person"], "person_kind": "name", "prediction": frame["y"]})
        long["gender"] = np.where(frame["gender01"] == 1, "female", "male")
        for draw in range(70):
            race = pd.Series("", index=first.index)
            for gender in (0, 1):
                mine = first == gender
                race[mine] = rng.permutation(np.repeat(["European", "African-American"], mine.sum() // 2))
            table = analyse(long.assign(race=long["person"].map(race)), FACTORS, permutations=199, seed=draw)
            rejected.append((treatment(table)["p_perm"] <= 0.05).to_numpy())
    rate = np.mean(rejected, axis=0)
    assert len(rejected) == 1_120
    for term in (1, 3):  # race, race:gender
        assert 0.03 <= rate[term] <= 0.07
        # No more than chance allows: the test is exact, so 3 standard errors of 1,120 draws.
        assert abs(rate[term] - 0.05) < 3 * np.sqrt(0.05 * 0.95 / 1120)
