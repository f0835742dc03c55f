"""The summary's tables, counted and averaged by hand."""

import numpy as np
import pandas as pd
import pytest

from bias_lab.summary.grids import (
    coefficient_grid,
    effect_grid,
    findings_grid,
    number,
    pearson_grid,
)
from bias_lab.summary.markdown import escape, grid_to_markdown
from bias_lab.summary.tables import AVERAGE, effects, findings_table, score_table, strongest

NAN = float("nan")


def metrics(*rows):
    """Rows of (model, language, emotion, seed, test Pearson)."""
    columns = ["model", "language", "emotion", "seed", "pearson"]
    table = pd.DataFrame(rows, columns=columns).astype({"seed": "Int64", "pearson": "float64"})
    return table.assign(split="test", n=100, n_high=50, pearson_high=0.1, spearman=0.2, mse=0.01)


MADE_UP = metrics(
    ("a", "en", "anger", 0, 0.50),
    ("a", "en", "anger", 1, 0.54),
    ("a", "en", "joy", 0, 0.60),
    ("a", "en", "joy", 1, 0.70),
    ("a", "ar", "anger", 0, 0.30),
    ("b", "en", "anger", 0, 0.40),
    ("b", "en", "anger", 1, NAN),
    ("b", "en", "joy", 0, NAN),
    ("b", "en", "joy", 1, NAN),
    ("c", "en", "joy", 0, 0.10),
    ("c", "en", "joy", 1, 0.20),
)


def score(model, language, emotion):
    table = score_table(MADE_UP)
    chosen = (table["metric"] == "pearson") & (table["model"] == model)
    rows = table[chosen & (table["language"] == language) & (table["emotion"] == emotion)]
    assert len(rows) == 1
    return rows[["n_seeds", "n_undefined", "mean", "sd"]].to_numpy(dtype=float)[0]


@pytest.mark.parametrize(
    ("who", "expected"),
    [
        (("a", "en", "anger"), (2, 0, 0.52, 0.02 * np.sqrt(2))),
        # The seeds' averages are .55 and .62.
        (("a", "en", AVERAGE), (2, 0, 0.585, 0.035 * np.sqrt(2))),
        (("a", "ar", AVERAGE), (1, 0, 0.30, NAN)),
        (("b", "en", "anger"), (1, 1, 0.40, NAN)),
        (("b", "en", "joy"), (0, 2, NAN, NAN)),
        # One emotion is undefined or was not run: no average that could be compared with the others'.
        (("b", "en", AVERAGE), (0, 2, NAN, NAN)),
        (("c", "en", AVERAGE), (0, 2, NAN, NAN)),
    ],
)
def test_scores_are_averaged_over_seeds_and_then_over_emotions(who, expected):
    np.testing.assert_allclose(score(*who), expected, rtol=1e-12)  # sums of two numbers


def test_the_table_of_scores_is_in_the_papers_order():
    table = score_table(MADE_UP)
    pearson = table[table["metric"] == "pearson"]
    assert pearson[["model", "language", "emotion"]].to_numpy().tolist()[:6] == [
        ["a", "en", "anger"],
        ["a", "en", "joy"],
        ["a", "en", "average"],
        ["a", "ar", "anger"],
        ["a", "ar", "average"],
        ["b", "en", "anger"],
    ]
    assert table["metric"].drop_duplicates().tolist() == ["pearson", "pearson_high", "spearman", "mse"]


def test_the_pearson_table_shows_spread_fewer_seeds_undefined_and_absent_cells():
    grid = pearson_grid(MADE_UP)
    assert grid.header == ("model", "language", "anger", "joy", "average")
    assert grid.sections[0].rows == (
        ("a", "en", "0.520 ± 0.028", "0.650 ± 0.071", "0.585 ± 0.049"),
        ("a", "ar", "0.300 (n=1)", "–", "0.300 (n=1)"),
        ("b", "en", "0.400 (n=1)", "undefined", "–"),
        ("c", "en", "–", "0.150 ± 0.071", "–"),
    )
    assert grid.caption.startswith("Mean ± standard deviation over 2 seeds; (n=…): over fewer. Average:")
    assert pearson_grid(MADE_UP[MADE_UP["seed"] == 0]).caption.startswith("One seed. Average:")
    assert pearson_grid(MADE_UP.iloc[:0]).sections[0].rows == ()


def terms(*rows):
    """Rows of (model, emotion, subset, term, coefficient, p_iid, p_name, status, status_name)."""
    columns = ["model", "emotion", "subset", "term", "coefficient", "p_iid", "p_name", "status", "status_name"]
    table = pd.DataFrame(rows, columns=columns).assign(language="en", eec="made_up", coding="treatment", level=0.95)
    table = table.assign(effect_response=table["coefficient"] / 4, q=table["p_name"] * 2, n_seeds=3)
    table = table.assign(effect_ci_name_low=table["effect_response"] - 0.01, verdict="told", same_as="")
    table = table.assign(effect_ci_name_high=table["effect_response"] + 0.0101)
    return table.assign(paper_only=(table["p_iid"] < 0.05) & (table["p_name"] >= 0.05))


TERMS = terms(
    ("a", "anger", "names", "race[B]", 0.1234, 0.001, 0.004, "ok", "ok"),
    ("a", "anger", "names", "gender[f]", -0.0001, 0.04, 0.2, "ok", "ok"),
    ("a", "joy", "names", "race[B]", 0.2, 0.03, 0.07, "ok", "ok"),
    ("a", "joy", "names", "gender[f]", 0.3, 0.01, 0.03, "ok", "ok"),
    ("a", "anger", "noun_phrases", "gender[f]", 0.4, 0.001, NAN, "ok", "too_few_persons"),
    ("b", "anger", "names", "race[B]", NAN, NAN, NAN, "not_converged", "no_fit"),
)


def test_coefficients_have_the_stars_of_the_names_and_marks_for_what_only_the_paper_claims_and_what_holds():
    grid = coefficient_grid(TERMS, "made_up")
    assert grid.header == ("model", "term", "anger", "joy")
    assert [section.heading for section in grid.sections] == ["names", "noun phrases"]
    assert grid.sections[0].rows == (
        ("a", "race[B]", "0.123***§", "0.200*†"),
        ("a", "gender[f]", "0.000†", "0.300**"),
        ("b", "race[B]", "not converged", "–"),
    )
    assert grid.sections[1].rows == (("a", "gender[f]", "0.400‡", "–"),)
    assert grid.caption == (
        "Logit scale; each effect at the reference level of the other factors. Predictions averaged over 3 seeds, then "
        "analysed once. *** p < .01, ** p < .05, * p < .10 by the test that takes names as the units (jackknife, CV3), "
        "not adjusted for the number of tests. †: the published test, which takes sentences as independent, claims a "
        "finding (p < .05) and the test by names does not (p ≥ .05). §: holds after adjustment, q < .05; q is in "
        "coefficients.csv. ‡: no test by names. A word in place of a number says why there is none. –: no finished "
        "cell."
    )


def test_effects_have_their_intervals_by_names():
    grid = effect_grid(TERMS, "made_up")
    assert grid.sections[0].rows[0] == ("a", "race[B]", "+0.031§ [0.021, 0.041]", "+0.050 [0.040, 0.060]")
    assert grid.sections[0].rows[1][2] == "0.000 [−0.010, 0.010]"
    assert grid.sections[0].rows[2][2:] == ("not converged", "–")
    assert grid.sections[1].rows[0][2] == "+0.100‡"
    assert "with 95 % intervals by names, not adjusted for the number of tests" in grid.caption
    assert "§: holds after adjustment, q < .05" in grid.caption


def test_means_over_fewer_seeds_say_so():
    fewer = TERMS.assign(n_seeds=TERMS["n_seeds"].where(TERMS["emotion"] != "joy", 2))
    assert coefficient_grid(fewer, "made_up").sections[0].rows[0][2:] == ("0.123***§", "0.200*† (n=2)")
    assert effect_grid(fewer, "made_up").sections[0].rows[0][3] == "+0.050 [0.040, 0.060] (n=2)"
    assert "averaged over 3 seeds; (n=…): over fewer, then" in effect_grid(fewer, "made_up").caption
    one = coefficient_grid(TERMS.assign(n_seeds=1), "made_up")
    assert "n=" not in one.caption + str(one.sections)


def test_findings_are_counted_by_corpus():
    more = terms(("a", "joy", "names", "Intercept", 0.5, 0.001, 0.001, "ok", "ok"))
    deviation = TERMS.assign(coding="deviation")
    arabic = terms(("a", "joy", "names", "race[B]", 0.5, 0.001, 0.02, "ok", "ok")).assign(eec="arabic", language="ar")
    table = pd.concat([arabic, TERMS, more, deviation], ignore_index=True)
    assert len(effects(table)) == 7
    columns = ["eec", "tests", "claims", "p_findings", "q_findings", "no_answer", "paper_only"]
    # Of the four tests of made_up p_iid is below .05 in four, p_name in two, q in one.
    assert findings_table(table)[columns].to_numpy().tolist() == [
        ["made_up", 4, 4, 2, 1, 2, 2],
        ["arabic", 1, 1, 1, 1, 0, 0],
    ]
    grid = findings_grid(table)
    assert grid.header[2:] == ("tests", "published test, p < .05", "by names, p < .05", "holds, q < .05", "no answer")
    assert grid.sections[0].rows[1:] == (
        ("arabic", "ar", "1", "1", "1", "1", "0"),
        ("all", "", "5", "5", "3", "2", "2"),
    )
    assert len(findings_grid(TERMS).sections[0].rows) == 1
    assert strongest(table)[["eec", "q"]].to_numpy().tolist() == [["made_up", 0.008], ["arabic", 0.04]]


def test_the_findings_table_says_what_a_family_is():
    assert (
        "Benjamini-Hochberg over all models, emotions and terms of one corpus, names and noun phrases apart"
        in findings_grid(TERMS).caption
    )


@pytest.mark.parametrize(
    ("value", "signed", "text"),
    [(0.12345, False, "0.123"), (-0.5, False, "−0.500"), (-0.0004, False, "0.000"), (0.0004, True, "0.000"),
     (0.01, True, "+0.010"), (-0.01, True, "−0.010")],
)  # fmt: skip
def test_numbers_have_three_decimals_and_no_negative_zero(value, signed, text):
    assert number(value, signed=signed) == text


def test_markdown_is_a_table_that_shows_stars_and_bars_as_they_are():
    text = grid_to_markdown(coefficient_grid(TERMS, "made_up"))
    assert text.splitlines()[:8] == [
        "## Beta regression coefficients, made\\_up",
        "",
        "| model | term | anger | joy |",
        "| --- | --- | --: | --: |",
        "| **names** |  |  |  |",
        "| a | race\\[B\\] | 0.123\\*\\*\\*§ | 0.200\\*† |",
        "|  | gender\\[f\\] | 0.000† | 0.300\\*\\* |",
        "| b | race\\[B\\] | not converged | – |",
    ]
    assert escape("a|b\nc\\`<x>") == "a\\|b c\\\\\\`\\<x\\>"
