"""Whether the factors' levels and groups allow the regression."""

from collections import Counter, defaultdict
from itertools import permutations, product

import numpy as np

from bias_lab.corpora.corpus import NAME
from bias_lab.corpora.lint.finding import Finding, in_rows, listed, told
from bias_lab.corpora.lint.subject import Cell, Row, Subject, cell_name, fold


def unknown_levels(subject: Subject) -> list[Finding]:
    """Find levels that the corpus does not declare."""
    odd: list[tuple[Row, str]] = []
    for at, factor in enumerate(subject.corpus.factors):
        odd += [
            (row, f"{factor.name} {row.levels[at]!r}")
            for row in subject.rows
            if row.levels[at] is not None and row.levels[at] not in factor.levels
        ]
    levels = "; ".join(f"{factor.name}: {', '.join(factor.levels)}" for factor in subject.corpus.factors)
    message = f"{told(Counter(text for _, text in odd))}; declared are {levels}"
    return in_rows("EEC301", [row for row, _ in odd], message)


def empty_levels(subject: Subject) -> list[Finding]:
    """Find names without a level of some factor: the regression needs one of each."""
    rows = [row for row in subject.rows if row.kind == NAME and None in row.levels]
    lacking = Counter(f"{row.person}: no {subject.corpus.factors[row.levels.index(None)].name}" for row in rows)
    message = f"{told(lacking)}; give every name a level of every factor, or make it a noun_phrase"
    return in_rows("EEC302", rows, message)


def level_use(subject: Subject) -> list[Finding]:
    """Find levels that nobody has, factors of one level, and levels that differ in spelling only."""
    findings = []
    for at, factor in enumerate(subject.corpus.factors):
        used = {row.levels[at] for row in subject.persons.values()}
        for level in factor.levels:
            if level not in used:
                message = f"nobody has the {factor.name} {level!r}; take it out of `levels` or add persons"
                findings.append(Finding("EEC303", 1, "levels", message))
        if len(present := sorted(level for level in used if level)) == 1:
            message = f"everybody has the {factor.name} {present[0]!r}: there is nothing to compare"
            findings.append(Finding("EEC309", 1, "factors", message))
        spellings = defaultdict(list)
        for level in dict.fromkeys((*factor.levels, *present)):
            spellings["".join(filter(str.isalnum, fold(level)))].append(level)
        for same in spellings.values():
            if len(same) > 1:
                message = f"{factor.name} has {listed(same)}: two groups by a typing mistake? Write one of them"
                findings.append(Finding("EEC304", len(same), "levels", message))
    return findings


def group_sizes(subject: Subject) -> list[Finding]:
    """Find cells without persons, with one, or of other size, and factors that always go together.

    An empty cell leaves an interaction without an estimate; when the factors' own columns have not full rank,
    not even the main effects have one. Names and noun phrases are fitted apart, so they are counted apart.
    """
    findings: list[Finding] = []
    for kind in sorted({row.kind for row in subject.persons.values()}):
        sizes = Counter((row.kind, row.levels) for row in subject.persons.values() if row.kind == kind)
        lacking = [at for at in range(len(subject.corpus.factors)) if all(levels[at] is None for _, levels in sizes)]
        full = {cell: size for cell, size in sizes.items() if sum(level is None for level in cell[1]) == len(lacking)}
        findings += _cells(subject, kind, full)
    return findings


def _cells(subject: Subject, kind: str, sizes: dict[Cell, int]) -> list[Finding]:
    """Judge the cells of one kind of person; factors that do not apply to it have no level."""
    if not sizes:
        return []
    levels = [list(dict.fromkeys(cell[1][at] for cell in sizes)) for at in range(len(subject.corpus.factors))]
    findings = []
    empty = [(kind, cell) for cell in product(*levels) if (kind, cell) not in sizes]
    if empty:
        message = f"nobody is {told(list(map(cell_name, empty)))}: add persons; without them the interaction "
        findings.append(Finding("EEC305", len(empty), "cells", message + "of the factors has no estimate"))
    if empty and _main_rank(levels, list(sizes)) < sum(len(one) - 1 for one in levels) + 1:
        names = _inseparable(subject, levels, list(sizes))
        message = f"{' and '.join(names)} go together in every person: no regression can separate their effects"
        findings.append(Finding("EEC306", len(names), "factors", message))
    single = [cell_name(cell) for cell, size in sizes.items() if size == 1]
    if single:
        message = f"one person only: {told(single)}; the group cannot be told from the person, add others"
        findings.append(Finding("EEC307", len(single), "cells", message))
    if len(set(sizes.values())) > 1:
        counts = ", ".join(f"{cell_name(cell)} {size}" for cell, size in sizes.items())
        message = f"persons: {counts}; equal numbers give each group the same weight"
        findings.append(Finding("EEC308", len(sizes), "cells", message))
    return findings


def _inseparable(subject: Subject, levels: list[list[str | None]], cells: list[Cell]) -> list[str]:
    """Return the first two factors of which one follows from the other; all that vary where it takes more."""
    varying = [at for at, of in enumerate(levels) if len(of) > 1]
    for pair in permutations(varying, 2):
        follows = {(cell[pair[0]], cell[pair[1]]) for _, cell in cells}
        if len(follows) == len(levels[pair[0]]):
            varying = sorted(pair)
            break
    return [subject.corpus.factors[at].name for at in varying]


def _main_rank(levels: list[list[str | None]], cells: list[Cell]) -> int:
    """Return the rank of the intercept and the treatment-coded main effects over these cells."""
    matrix = [
        [1.0, *(float(cell[at] == level) for at, of in enumerate(levels) for level in of[1:])] for _, cell in cells
    ]
    return int(np.linalg.matrix_rank(np.array(matrix)))
