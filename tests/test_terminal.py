import io

import pandas as pd
import pytest
from rich.console import Console

from bias_lab.figures import coefficient_figure, save_figure
from bias_lab.terminal import coefficients_table, findings, number, p_value

NAN = float("nan")
ROW = {
    "eec": "black_white_en",
    "subset": "names",
    "coding": "treatment",
    "term": "race[African-American]",
    "coefficient": -0.25,
    "effect_response": -0.06,
    "std_error_name": 0.1,
    "p_name": 0.0123,
    "p_iid": 0.0,
    "ci_low": -0.3,
    "ci_high": -0.2,
    "ci_name_low": -0.45,
    "ci_name_high": -0.05,
    "effect_ci_name_low": -0.11,
    "effect_ci_name_high": -0.01,
    "n_rows": 1400,
    "n_persons": 40,
    "status": "ok",
}
DEAD = {
    **ROW,
    "eec": "blind",
    "status": "invariant",
    **dict.fromkeys(["coefficient", "effect_response", "p_name"], NAN),
}
DEAD |= dict.fromkeys(["std_error_name", "p_iid", "ci_low", "ci_high", "ci_name_low", "ci_name_high"], NAN)
TABLE = pd.DataFrame([{**ROW, "term": "Intercept"}, ROW, {**ROW, "coding": "deviation", "coefficient": 9.0}, DEAD])


@pytest.mark.parametrize(
    ("value", "expected"), [(0.1234, "0.123"), (None, "–"), (NAN, "–"), (0.0, "0.000"), (-0.5, "-0.500")]
)
def test_numbers(value, expected):
    assert number(value) == expected


@pytest.mark.parametrize(("value", "expected"), [(0.0, "<.001"), (0.0009, "<.001"), (0.001, "0.001"), (NAN, "–")])
def test_a_p_value_is_never_a_bare_zero(value, expected):
    assert p_value(value) == expected


def test_the_table_shows_terms_with_brackets_and_statuses_without_numbers():
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(coefficients_table(TABLE))
    shown = console.export_text()
    lines = [line.split("│")[1:-1] for line in shown.splitlines() if "race[" in line]
    cells = [[cell.strip() for cell in line] for line in lines]
    assert cells == [
        ["race[African-American]", "-0.250", "-0.060 [-0.110, -0.010]", "0.012 **", "<.001 ***"],
        ["race[African-American]", "invariant", "", "", ""],
    ]
    assert "black_white_en, 40 names" in shown
    assert "1400 sentences" in shown
    assert "Intercept" not in shown


def test_findings_name_the_term_and_count_what_is_inconclusive(monkeypatch):
    texts = iter(["no larger than .01: -.001 [-.007, .005], p = .75", "inconclusive: could have detected .06"])
    monkeypatch.setattr("bias_lab.stats.verdict", lambda _row: next(texts))
    assert findings(TABLE) == [
        "black_white_en, names, race[African-American]: no larger than .01: -.001 [-.007, .005], p = .75",
        "inconclusive: 1 of 2 terms",
    ]


def test_the_figure_has_an_interval_pair_a_term_and_says_where_there_is_none(tmp_path):
    figure = coefficient_figure(TABLE, title="a cell")
    axes = figure.axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        "race[African-American]\nblack_white_en, names",
        "race[African-American]\nblind, names",
    ]
    # By unit (names, sentences): the span of each term that has an estimate, and its centre.
    spans = [[(x[0], x[1], y[0]) for x, y in (part.T for part in lines.get_segments())] for lines in axes.collections]
    assert spans == [[(-0.45, -0.05, -0.1)], [(-0.3, -0.2, 0.16)]]
    centres = [line.get_xydata().tolist() for line in axes.lines if line.get_marker() == "o" and len(line.get_xdata())]
    assert centres == [[[-0.25, -0.1]], [[-0.25, 0.16]]]
    assert "  invariant" in [text.get_text() for text in axes.texts]
    png = save_figure(figure, tmp_path / "figures" / "coefficients")
    assert png.read_bytes().startswith(b"\x89PNG")
    assert "<svg" in png.with_suffix(".svg").read_text(encoding="utf-8")
