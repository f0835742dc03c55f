import re
from typing import Any

import pandas as pd
import pytest

from bias_lab.report.effects import effects, kind
from bias_lab.report.findings import counts, in_words, questions
from bias_lab.report.rows import heat_rows
from bias_lab.report.tables import claim
from bias_lab.summary import Summary
from bias_lab.summary.grids import coefficient_grid
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


@pytest.mark.parametrize(
    ("p_iid", "p_name", "q", "marks"),
    [
        (0.001, 0.004, 0.04, "***§"),
        (
            0.001,
            0.03,
            0.2,
            "**",
        ),  # claimed by names before adjustment: neither a finding nor the published test's alone
        (0.001, 0.07, 0.2, "*†"),
        (0.001, 0.2, 0.5, "†"),
        (0.3, 0.2, 0.5, ""),
    ],
)
def test_marks_are_those_of_the_tables(summary: Summary, p_iid: float, p_name: float, q: float, marks: str) -> None:
    """One criterion: stars and dagger by p_name, unadjusted, on the page, in figures and in the summary's tables."""
    rows = summary.coefficients.query("term == 'gender[female]' and emotion == 'anger' and model == 'alpha'")
    rows = rows[(rows["coding"] == "treatment") & (rows["eec"] == "made_up_en")]
    rows = rows.assign(p_iid=p_iid, p_name=p_name, q=q, paper_only=p_iid < 0.05 <= p_name)
    assert set(effects(rows)["marks"]) == {marks}
    entries = [section.rows[0][2] for section in coefficient_grid(rows, "made_up_en").sections]
    assert {re.sub(r"^−?[\d.]+", "", entry) for entry in entries} == {marks}
    heat = [row["shown"] for row in heat_rows(effects(rows)) if row["shown"]]
    assert {re.sub(r"^[+-]?[\d.]+", "", shown) for shown in heat} == {marks}
    assert set(effects(rows.assign(status="degenerate"))["marks"]) == {""}


def test_an_analysis_without_optional_columns_is_shown(summary: Summary) -> None:
    found = effects(summary.coefficients.drop(columns=["p_perm", "effect_ci_low", "design_effect"]))
    assert found["low_iid"].isna().all()
    assert found["low"].notna().any()


def test_no_coefficients_give_no_effects(summary: Summary) -> None:
    found = effects(pd.DataFrame())
    assert found.empty
    assert set(found.columns) == set(effects(summary.coefficients).columns)
    assert set(counts(found).values()) == {0}


def test_questions_start_with_those_that_hold(summary: Summary) -> None:
    found = questions(effects(summary.coefficients))
    holds = [any(finding.kind == "finding" for finding in question.findings) for question in found]
    assert holds == sorted(holds, reverse=True)
    first = found[0]
    assert first.contrast == "female vs male"
    assert first.findings[0].words.startswith("higher for female than male")
    assert first.findings[0].seeds.startswith("2 of 2 seeds agree in sign, spread .0")


def test_a_question_says_what_its_effects_support() -> None:
    rows = pd.DataFrame(
        [
            {"kind": kind, "effect": effect, "p_name": p}
            for kind, effect, p in (
                ("finding", 0.1, 0.001), ("finding", -0.1, 0.001), ("finding", 0.2, 0.001), ("bounded", 0.0, 0.9),
                ("paper_only", 0.1, 0.2), ("inconclusive", 0.1, 0.03), ("inconclusive", 0.1, 0.3),
                ("no_test", None, None),
            )
        ]
    )  # fmt: skip
    assert in_words(rows) == (
        "Holds in 3 of 8: 2 higher, 1 lower. No larger than the smallest effect of interest: 1. "
        "Inconclusive: 3 (1 claimed by the published test only, 1 below .05 by names before adjustment). No test: 1."
    )
    assert in_words(rows[rows["kind"] == "inconclusive"].iloc[1:]) == "Holds in none of 1. Inconclusive: 1."


def test_the_headline_counts_claims_names_and_what_holds() -> None:
    names = ("kind", "p_iid", "p_name")
    rows = [
        ("finding", 0.001, 0.001),
        ("inconclusive", 0.001, 0.03),
        ("paper_only", 0.001, 0.2),
        ("no_test", None, None),
    ]
    told = pd.DataFrame([dict(zip(names, row, strict=True)) for row in rows])
    assert counts(told) == {
        "tests": 3, "claims": 3, "by_names": 2, "finding": 1, "bounded": 0, "inconclusive": 2, "no_test": 1,
    }  # fmt: skip
