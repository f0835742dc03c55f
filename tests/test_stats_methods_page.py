"""The methods page's example, run as it stands there."""

import contextlib
import io
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[1] / "docs" / "methods.md"


@pytest.fixture(scope="module")
def example() -> tuple[str, dict]:
    """What the example prints, and its variables."""
    code = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert code is not None
    printed, variables = io.StringIO(), {}
    with contextlib.redirect_stdout(printed):
        exec(compile(code.group(1), str(PAGE), "exec"), variables)
    return printed.getvalue(), variables


def test_prints_what_the_page_shows(example: tuple[str, dict]) -> None:
    shown = re.search(r"```text\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert shown is not None
    assert example[0] == shown.group(1)


def test_numbers_in_the_text_are_the_tables(example: tuple[str, dict]) -> None:
    page, table = PAGE.read_text(encoding="utf-8"), example[1]["table"]
    names = table[table["subset"] == "names"].set_index(["coding", "term"])
    race, averaged = (names.loc[(coding, "race[African-American]")] for coding in ("treatment", "deviation"))
    assert f"Here {race['icc_name']:.3f}.".replace("0.", ".", 1) in page
    assert f"Here {race['design_effect']:.1f}\n  for race, {averaged['design_effect']:.1f} averaged" in page
    assert f"are worth {1400 / round(averaged['design_effect'], 1):.0f}." in page
    error = f"{race['std_error_effect_name']:.4f}".removeprefix("0")
    assert f"(2.02 + .85) × {error} = {race['mde_response']:.3f}".replace("= 0.", "= .") in page
    assert f"not supported (p = {race['p_equivalence']:.2f})".replace("0.", ".") in page


@pytest.mark.slow
def test_half_of_the_first_seeds_find_something_by_sentences_and_none_by_names(example: tuple[str, dict]) -> None:
    from bias_lab.stats import analyse

    variables, found = example[1], {"p_iid": 0, "p_name": 0}
    for seed in range(12):
        table = analyse(variables["score"](seed), variables["corpus"].factors, permutations=0)
        terms = table[(table["subset"] == "names") & (table["coding"] == "treatment") & (table["factors"] != "")]
        for column in found:
            found[column] += int((terms[column] < 0.05).any())
    assert found == {"p_iid": 6, "p_name": 0}
