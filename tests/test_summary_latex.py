"""LaTeX: what is special is escaped, and the documents compile where LaTeX is installed."""

import re
import shutil
import subprocess

import pytest

from bias_lab.files import write_text
from bias_lab.summary.grids import Grid, Section
from bias_lab.summary.latex import ROWS_A_TABLE, document, escape, grid_to_latex

SPECIAL = r"50% of a_b & c#d $x$ {y} ~^<>|\ [z] `q' \"e\" −1.5 ± 2 – … *** † ‡ é ñ ¿"
ROWS = (("model", "[term]", "0.123***†", "−0.040‡"), ("model", SPECIAL, "invariant", "–"))


def grid(*, rows=ROWS, title="Coefficients, a_b", caption=SPECIAL):
    sections = (Section("names", tuple(rows)), Section("noun phrases", ROWS))
    return Grid("coefficients_a_b", title, caption, ("model", "term", "anger", "joy"), 2, sections)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a_b & 5%", r"a\_b \& 5\%"),
        ("0.12***†", r"0.12$^{***}$$^{\dagger}$"),
        ("−0.5 [0.1]", r"$-$0.5 {[}0.1{]}"),
        ("\\{}", r"\textbackslash{}\{\}"),
        ("x\n y", "x y"),
        ("race[عربي]", r"race{[}\biaslabrtl{عربي}{]}"),
        ("a عربي جدًا b", r"a \biaslabrtl{عربي جدًا} b"),
        ("עִ", r"\biaslabrtl{עִ}"),
    ],
)
def test_text_is_shown_as_it_is(text, expected):
    assert escape(text) == expected


def test_a_table_has_booktabs_rules_a_caption_a_label_and_each_model_once():
    assert grid_to_latex(grid(rows=ROWS[:1], caption="Logit scale.")).splitlines() == [
        "% Needs the packages booktabs, graphicx and textcomp.",
        r"\providecommand{\biaslabrtl}[1]{#1}",
        r"\begin{table}[htbp]",
        r"\centering\small",
        r"\caption{Coefficients, a\_b. Logit scale.}",
        r"\label{tab:coefficients-a-b}",
        r"\par\medskip",
        r"\resizebox{\linewidth}{!}{%",
        r"\begin{tabular}{llrr}",
        r"\toprule",
        r"model & term & anger & joy \\",
        r"\midrule",
        r"\multicolumn{4}{l}{\emph{names}} \\",
        r"model & {[}term{]} & 0.123$^{***}$$^{\dagger}$ & $-$0.040$^{\ddagger}$ \\",
        r"\midrule",
        r"\multicolumn{4}{l}{\emph{noun phrases}} \\",
        r"model & {[}term{]} & 0.123$^{***}$$^{\dagger}$ & $-$0.040$^{\ddagger}$ \\",
        f" & {escape(SPECIAL)} & invariant & -- " + r"\\",
        r"\bottomrule",
        r"\end{tabular}",
        "}",
        r"\end{table}",
    ]


def test_a_narrow_table_is_not_stretched():
    narrow = Grid("n", "N", "", ("model", "anger"), 1, (Section("", (("a", "1"),)),))
    assert "resizebox" not in grid_to_latex(narrow)


def test_a_long_table_goes_on_in_another_with_every_row_once():
    rows = [(f"m{i}", "t", "0.1", "0.2") for i in range(ROWS_A_TABLE + 5)]
    text = grid_to_latex(grid(rows=rows))
    assert text.count(r"\begin{table}") == text.count(r"\end{table}") == 2
    assert text.count(r"\label") == 1
    assert r"\caption{Coefficients, a\_b (continued)}" in text
    assert re.findall(r"^(m\d+) &", text, flags=re.M) == [f"m{i}" for i in range(ROWS_A_TABLE + 5)]
    first, second = text.split(r"\end{table}")[:2]
    assert len(re.findall(r"^m\d+ &", first, flags=re.M)) == ROWS_A_TABLE
    assert r"\emph{names}" in second


def compile_with(program, folder, *grids):
    """Compile a document of these grids; returns LaTeX's log."""
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    for table in grids:
        write_text(folder / "tables" / f"{table.name}.tex", grid_to_latex(table))
    write_text(folder / "tables.tex", document([table.name for table in grids], folder="tables"))
    command = [program, "-interaction=nonstopmode", "-halt-on-error", "tables.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, errors="replace")
    assert done.returncode == 0, done.stdout[-2000:]
    assert (folder / "tables.pdf").stat().st_size > 0
    return (folder / "tables.log").read_text(encoding="utf-8", errors="replace")


@pytest.mark.slow
def test_the_document_compiles_with_pdflatex(tmp_path):
    log = compile_with("pdflatex", tmp_path, grid(), Grid("n", "N", "", ("m", "x"), 1, (Section("", (("a", "1"),)),)))
    assert "Overfull" not in log


@pytest.mark.slow
def test_arabic_compiles_with_xelatex_and_no_letter_is_missing(tmp_path):
    row = ("نموذج", "العرق[عربي]", "0.1", "0.2")
    log = compile_with("xelatex", tmp_path, grid(rows=[row], title="المشاعر: anger", caption="عربي جدًا"))
    if "Amiri" not in log and "DejaVu" not in log:
        pytest.skip("no font with Arabic letters is installed")
    assert "Missing character" not in log
