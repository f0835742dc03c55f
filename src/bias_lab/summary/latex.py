"""Grids as LaTeX tables (booktabs), and one document that shows them all."""

import re
import unicodedata
from collections.abc import Iterator, Sequence

from bias_lab.summary.grids import Grid, Section

ROWS_A_TABLE = 45  # of \small on one page; longer grids continue in a further table
WIDE = 100  # characters a line from which a table is shrunk to the text's width
RTL_MACRO = r"\providecommand{\biaslabrtl}[1]{#1}"
_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", "`": r"\textasciigrave{}",
    "[": "{[}", "]": "{]}",  # after a line's end \\ a bracket would be taken for its optional argument
    "−": "$-$", "±": r"$\pm$", "–": "--", "…": r"\ldots{}", "†": r"$^{\dagger}$", "‡": r"$^{\ddagger}$",
    "§": r"\S{}", "≥": r"$\geq$",
}  # fmt: skip
_STARS = re.compile(r"\*+")
_KINDS = {"R": "R", "AL": "R", "NSM": "M", "WS": "W"}  # of Unicode's bidirectional classes
PREAMBLE = r"""% Compile with pdflatex; where a table holds text in another script than Latin, with xelatex.
\documentclass[a4paper]{article}
\usepackage{iftex}
\ifPDFTeX
  \usepackage[T1]{fontenc}
  \usepackage[utf8]{inputenc}
\else
  \usepackage{fontspec}
\fi
\ifXeTeX
  % Letters of right-to-left scripts, in the first of these fonts that is there.
  \TeXXeTstate=1
  \IfFontExistsTF{Amiri}{\newfontfamily\biaslabfont[Script=Arabic]{Amiri}}{%
    \IfFontExistsTF{DejaVu Sans}{\newfontfamily\biaslabfont[Script=Arabic]{DejaVu Sans}}{\let\biaslabfont\relax}}
  \DeclareRobustCommand{\biaslabrtl}[1]{\beginR{\biaslabfont #1}\endR}
\fi
\usepackage{textcomp}
\usepackage{graphicx}
\usepackage{booktabs}
\usepackage[margin=2cm]{geometry}
\begin{document}
"""


def document(names: Sequence[str], *, folder: str) -> str:
    """A document that shows the tables of these names, which lie in `folder` beside it."""
    lines = [f"\\input{{{folder}/{name}.tex}}" + "\n\\clearpage" * (i % 2) for i, name in enumerate(names)]
    return "\n".join([PREAMBLE.rstrip(), *lines, r"\end{document}", ""])


def grid_to_latex(grid: Grid) -> str:
    """Table floats to be \\input; needs booktabs and graphicx.

    A grid with more than `ROWS_A_TABLE` rows is continued in further floats; a wide one is shrunk to the text's width.
    """
    parts = list(_pages(grid.sections))
    tables = [_table(grid, sections, number) for number, sections in enumerate(parts)]
    head = "% Needs the packages booktabs, graphicx and textcomp."
    return "\n".join([head, RTL_MACRO, *tables, ""])


def escape(text: str) -> str:
    """Text that LaTeX shows as it is; stars and signs become mathematics, runs of Arabic or Hebrew right to left."""
    return "".join(rf"\biaslabrtl{{{run}}}" if rtl else _escape_run(run) for run, rtl in _runs(" ".join(text.split())))


def _escape_run(text: str) -> str:
    pieces = re.split(r"(\*+)", text)
    return "".join(
        f"$^{{{piece}}}$" if _STARS.fullmatch(piece) else "".join(_SPECIAL.get(c, c) for c in piece) for piece in pieces
    )


def _runs(text: str) -> Iterator[tuple[str, bool]]:
    """Parts of a text by direction; blanks and vowel marks between right-to-left words go with them."""
    kinds = "".join(_KINDS.get(unicodedata.bidirectional(character), "-") for character in text)
    position = 0
    for run in re.finditer(r"R(?:[RMW]*[RM])?", kinds):
        if position < run.start():
            yield text[position : run.start()], False
        yield text[run.start() : run.end()], True
        position = run.end()
    if position < len(text):
        yield text[position:], False


def _table(grid: Grid, sections: Sequence[Section], number: int) -> str:
    columns = "l" * grid.labels + "r" * (len(grid.header) - grid.labels)
    title = escape(grid.title) + (" (continued)" if number else "")
    caption = title if number else f"{title}. {escape(grid.caption)}"
    body = [r"\toprule", _row(grid.header), r"\midrule", *_body(grid, sections), r"\bottomrule"]
    tabular = [rf"\begin{{tabular}}{{{columns}}}", *body, r"\end{tabular}"]
    if _width(grid) > WIDE:
        tabular = [r"\resizebox{\linewidth}{!}{%", *tabular, "}"]
    label = [] if number else [rf"\label{{tab:{grid.name.replace('_', '-')}}}"]
    head = [r"\begin{table}[htbp]", r"\centering\small", rf"\caption{{{caption}}}", *label, r"\par\medskip"]
    return "\n".join([*head, *tabular, r"\end{table}"])


def _body(grid: Grid, sections: Sequence[Section]) -> list[str]:
    lines: list[str] = []
    for number, section in enumerate(sections):
        if section.heading:
            lines += [r"\midrule"] * bool(number)
            lines.append(rf"\multicolumn{{{len(grid.header)}}}{{l}}{{\emph{{{escape(section.heading)}}}}} \\")
        lines += map(_row, grid.shown(section))
    return lines


def _pages(sections: Sequence[Section]) -> Iterator[list[Section]]:
    """Sections cut into pages of at most `ROWS_A_TABLE` rows."""
    page: list[Section] = []
    room = ROWS_A_TABLE
    for section in sections:
        rows = section.rows
        while rows:
            page.append(Section(section.heading, rows[:room]))
            rows, room = rows[room:], room - len(rows[:room])
            if not room:
                yield page
                page, room = [], ROWS_A_TABLE
    if page:
        yield page


def _width(grid: Grid) -> int:
    rows = [grid.header, *(row for section in grid.sections for row in section.rows)]
    return sum(max(len(row[i]) for row in rows) + 2 for i in range(len(grid.header)))


def _row(cells: Sequence[str]) -> str:
    return " & ".join(map(escape, cells)) + r" \\"
