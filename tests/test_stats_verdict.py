"""What rows say: one sentence for every outcome."""

import numpy as np
import pytest

from bias_lab.stats import adjust_families, analyse, verdict
from stats_tables import FACTORS, GENDER, Factor, corpus, with_noun_phrases

ROW = {
    "status": "ok",
    "status_name": "ok",
    "factors": "race",
    "levels": "African-American",
    "references": "European",
    "condition": "gender: male",
    "effect_response": 0.0209,
    "effect_ci_name_low": 0.0081,
    "effect_ci_name_high": 0.0337,
    "raw_difference": 0.02,
    "p_name": 0.004,
    "p_effect_name": 0.004,
    "p_equivalence": np.nan,
    "smallest_effect": np.nan,
    "mde_response": 0.0182,
    "level": 0.95,
}
TEXTS = {
    "higher": ({}, "higher for African-American than European (gender: male), +.021 [.008, .034], p = .004"),
    "adjusted": (
        {"q": 0.0203},
        "higher for African-American than European (gender: male), +.021 [.008, .034], q = .02",
    ),
    "tiny p": (
        {"p_name": 1e-5},
        "higher for African-American than European (gender: male), +.021 [.008, .034], p < .001",
    ),
    "lower": (
        {"effect_response": -0.5, "effect_ci_name_low": -0.9, "effect_ci_name_high": -0.1, "condition": ""},
        "lower for African-American than European, -.500 [-.900, -.100], p = .004",
    ),
    "averaged": (
        {"references": "mean of the others", "condition": "averaged over gender"},
        "higher for African-American than mean of the others (averaged over gender), +.021 [.008, .034], p = .004",
    ),
    "interaction": (
        {"factors": "race:gender", "levels": "African-American:female", "condition": ""},
        "higher for African-American female than race and gender alone would give, +.021 [.008, .034], p = .004",
    ),
    "inconclusive": (
        {"p_name": 0.31, "p_effect_name": 0.31, "q": 0.6, "mde_response": 0.0612},
        "inconclusive: could have detected .061; +.021 [.008, .034], q = .6",
    ),
    "found by p but not by q": (
        {"q": 0.07},
        "inconclusive: could have detected .018; +.021 [.008, .034], q = .07",
    ),
    "no larger": (
        {"p_name": 0.3, "p_effect_name": 0.3, "p_equivalence": 0.01, "smallest_effect": 0.05},
        "no larger than .05: +.021 [.008, .034], p = .3",
    ),
    "not shown to be no larger": (
        {"p_name": 0.3, "p_effect_name": 0.3, "p_equivalence": 0.06, "smallest_effect": 0.03},
        "inconclusive: could have detected .018; +.021 [.008, .034], p = .3",
    ),
    "found and small": (
        {"p_equivalence": 0.01, "smallest_effect": 0.05},
        "higher for African-American than European (gender: male), +.021 [.008, .034], p = .004, "
        "yet no larger than .05",
    ),
    "scales disagree": (
        {"p_name": 0.04, "p_effect_name": 0.06, "effect_ci_name_low": -0.001},
        "higher for African-American than European (gender: male), +.021 [-.001, .034], p = .04 "
        "(logit scale: p = .04; difference of scores: p = .06)",
    ),
    "small numbers keep their digits": (
        {"effect_response": 1.2e-4, "effect_ci_name_low": 8e-5, "effect_ci_name_high": 1.6e-4},
        "higher for African-American than European (gender: male), +.000120 [.000080, .000160], p = .004",
    ),
    "no sign on nothing": (
        {"p_name": 1.0, "p_effect_name": 1.0, "effect_response": -1e-5}
        | {"effect_ci_name_low": -0.1, "effect_ci_name_high": 0.1},
        "inconclusive: could have detected .018; .000 [-.100, .100], p = 1",
    ),
    "single person": (
        {"status_name": "too_few_persons"},
        "no test: a group has a single person, so names cannot be told from groups",
    ),
    "invariant": (
        {"status": "invariant", "raw_difference": 0.01},
        "no test: the model gives all persons of a group the same scores, it does not see them "
        "(difference of means +.010)",
    ),
    "degenerate": ({"status": "degenerate"}, "no answer: the scores do not vary within groups"),
    "empty group": ({"status": "rank_deficient"}, "no answer: some groups have no sentences"),
    "no fit": ({"status": "not_converged"}, "no answer: no fit was found"),
    "saturated": ({"status": "saturated"}, "no test: too few sentences to judge by"),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "text"), TEXTS.values(), ids=TEXTS)
def test_texts(changes: dict, text: str) -> None:
    assert verdict(ROW | changes) == text


def test_the_intercept_is_a_mean() -> None:
    row = ROW | {"factors": "", "effect_response": 0.47, "effect_ci_name_low": 0.44, "effect_ci_name_high": 0.5}
    assert verdict(row) == "mean score .470 [.440, .500]"


def test_every_row_of_real_tables_has_a_verdict() -> None:
    tables = [
        adjust_families(analyse(with_noun_phrases(), FACTORS, smallest_effect=0.02, permutations=0)),
        analyse(corpus().assign(prediction=0.4), FACTORS),
        analyse(corpus(persons=1), FACTORS),
        analyse(corpus(persons=1, items=1), FACTORS),
        analyse(corpus((Factor("race", ("Arab",), "Arab"), GENDER)), (Factor("race", ("Arab",), "Arab"), GENDER)),
    ]
    for table in tables:
        texts = [verdict(row) for row in table.to_dict("records")]
        assert all(texts)
        decided = [t.startswith(("higher", "lower")) for t in texts]
        p = table["q"] if "q" in table else table["p_name"]
        np.testing.assert_array_equal(decided, (p < 0.05) & (table["factors"] != ""))
