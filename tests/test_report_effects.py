from typing import Any

import pandas as pd
import pytest

from bias_lab.report.effects import effects, kind
from bias_lab.report.findings import counts, questions
from bias_lab.report.tables import claim
from bias_lab.summary import Summary
from report_summary import shared_summary

ROW: dict[str, Any] = {
    "status": "ok", "status_name": "ok", "level": 0.95, "p_name": 0.5, "q": 0.5, "p_equivalence": float("nan"),
    "paper_only": False, "effect": 0.02, "smallest_effect": 0.05, "verdict": "no answer: no fit was found (why)",
}  # fmt: skip


@pytest.fixture(scope="module")
def summary(tmp_path_factory: pytest.TempPathFactory) -> Summary:
    return shared_summary(tmp_path_factory)


@pytest.mark.parametrize(
    ("changed", "expected", "words"),
    [
        ({"q": 0.049}, "finding", "holds: higher"),
        ({"q": 0.049, "effect": -0.02}, "finding", "holds: lower"),
        ({"q": 0.051, "p_name": 0.001}, "inconclusive", "inconclusive"),  # q decides where there is one
        ({"q": float("nan"), "p_name": 0.001}, "finding", "holds: higher"),
        ({"q": 0.08, "level": 0.9}, "finding", "holds: higher"),
        ({"p_equivalence": 0.01}, "bounded", "no larger than .05"),
        ({"p_equivalence": 0.01, "q": 0.01}, "finding", "holds: higher"),
        ({"p_equivalence": 0.2}, "inconclusive", "inconclusive"),
        ({"paper_only": True}, "paper_only", "published test only"),
        ({"paper_only": True, "p_equivalence": 0.01}, "bounded", "no larger than .05"),
        ({"status": "not_converged", "q": 0.001}, "no_test", "no answer: no fit was found"),
        ({"status_name": "too_few_persons", "q": 0.001}, "no_test", "no answer: no fit was found"),
    ],
)
def test_each_row_supports_one_kind_of_claim(changed: dict[str, Any], expected: str, words: str) -> None:
    row = ROW | changed
    assert kind(row) == expected
    assert claim(row | {"kind": expected}) == words


def test_kinds_agree_with_the_verdicts_in_words(summary: Summary) -> None:
    found = effects(summary.coefficients)
    starts = {"finding": ("higher", "lower"), "bounded": ("no larger",), "no_test": ("no test",)}
    assert set(found["kind"]) == set(starts)
    for row in found.to_dict("records"):
        assert row["verdict"].startswith(starts[row["kind"]]), row


def test_effects_are_all_terms_but_the_intercepts_strongest_claims_first(summary: Summary) -> None:
    found = effects(summary.coefficients)
    # 2 models x 2 emotions x 2 corpora (one a language), each 3 terms of names and 1 of noun phrases, in 2 codings.
    assert len(found) == 8 * 4 * 2
    assert (
        found["kind"].map(["finding", "bounded", "paper_only", "inconclusive", "no_test"].index).is_monotonic_increasing
    )
    for _, rows in found[found["effect"].notna()].groupby("kind"):
        assert rows["effect"].abs().is_monotonic_decreasing
    first = found.iloc[0]
    assert (first["contrast"], first["emotion"], first["model"]) == ("female vs male", "anger", "alpha")


def test_terms_keep_the_order_of_the_analysis(summary: Summary) -> None:
    found = effects(summary.coefficients)
    names = found[(found["subset"] == "names") & (found["coding"] == "treatment") & (found["eec"] == "made_up_ar")]
    terms = names.drop_duplicates("term").sort_values("order")["term"].tolist()
    assert terms == ["race[Arab]", "gender[female]", "race[Arab]:gender[female]"]


def test_the_paper_only_mark_stands_beside_the_stars(summary: Summary) -> None:
    rows = summary.coefficients.query("term == 'gender[female]' and emotion == 'anger' and model == 'alpha'")
    marked = effects(rows.assign(q=0.04, paper_only=True))["marks"]
    assert set(marked) == {"**†"}
    assert set(effects(rows.assign(q=0.5, paper_only=False))["marks"]) == {""}
    assert set(effects(rows.assign(status="degenerate", q=0.001))["marks"]) == {""}


def test_an_analysis_without_optional_columns_is_shown(summary: Summary) -> None:
    found = effects(summary.coefficients.drop(columns=["p_perm", "effect_ci_low", "design_effect"]))
    assert found["low_iid"].isna().all()
    assert found["low"].notna().any()


def test_no_coefficients_give_no_effects(summary: Summary) -> None:
    found = effects(pd.DataFrame())
    assert found.empty
    assert set(found.columns) == set(effects(summary.coefficients).columns)
    assert counts(found)["all"] == 0


def test_questions_start_with_those_that_hold(summary: Summary) -> None:
    found = questions(effects(summary.coefficients))
    holds = [any(finding.kind == "finding" for finding in question.findings) for question in found]
    assert holds == sorted(holds, reverse=True)
    first = found[0]
    assert first.contrast == "female vs male"
    assert first.findings[0].words.startswith("higher for female than male")
    assert first.findings[0].seeds.startswith("2 of 2 seeds agree in sign, spread .0")
