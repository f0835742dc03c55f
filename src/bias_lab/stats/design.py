"""From declared factors to a design: cells, treatment-coded terms, and contrasts of cell means."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Protocol

import numpy as np
import pandas as pd

from bias_lab.errors import DataError

Array = np.ndarray


class FactorLike(Protocol):
    """An identity dimension as a corpus declares it."""

    @property
    def name(self) -> str:
        """Column of the long table, such as "race"."""

    @property
    def levels(self) -> tuple[str, ...]:
        """All values the column may take."""

    @property
    def reference(self) -> str:
        """The level that the others are compared with."""


@dataclass(frozen=True)
class Term:
    """One coefficient: no factors (the intercept), one (a simple effect) or more (an interaction)."""

    factors: tuple[str, ...]
    levels: tuple[str, ...]  # the level of each factor that the term stands for
    references: tuple[str, ...]  # the level of each factor that it is compared with

    @property
    def label(self) -> str:
        """Such as "race[African-American]:gender[female]", or "Intercept"."""
        parts = [f"{factor}[{level}]" for factor, level in zip(self.factors, self.levels, strict=True)]
        return ":".join(parts) or "Intercept"


@dataclass(frozen=True, eq=False)
class Design:
    """A full factorial design in treatment coding; C cells and as many terms (k = C)."""

    formula: str  # such as "prediction ~ race * gender"
    factors: tuple[str, ...]  # those with at least two levels
    levels: tuple[tuple[str, ...], ...]  # of each of these factors
    cells: tuple[tuple[str, ...], ...]  # C level combinations, one level a factor
    terms: tuple[Term, ...]  # k, the intercept first, then by order of interaction
    matrix: Array  # (C, k) design row of each cell
    contrasts: Array  # (k, C) each term as a contrast of cell means (the intercept: the reference cell's mean)

    def cell_name(self, index: int) -> str:
        """Such as "African-American, female"."""
        return ", ".join(self.cells[index]) or "all rows"

    def cell_of(self, table: pd.DataFrame) -> Array:
        """The cell (n,) int of each row; levels must have been checked."""
        if not self.factors:
            return np.zeros(len(table), dtype=np.intp)
        codes = [
            pd.Categorical(table[name], categories=list(levels)).codes.astype(np.intp)
            for name, levels in zip(self.factors, self.levels, strict=True)
        ]
        return np.ravel_multi_index(codes, tuple(len(levels) for levels in self.levels))


def factorial_design(factors: Sequence[FactorLike]) -> Design:
    """Build the design with every factor and every interaction, treatment-coded at the declared references.

    A factor declared with one level has nothing to compare and gets no term. Raises DataError when a
    reference is not among the levels or a level is declared twice.
    """
    for factor in factors:
        if factor.reference not in factor.levels or len(set(factor.levels)) < len(factor.levels):
            raise DataError(
                f"factor {factor.name!r}: levels must differ and hold the reference; "
                f"got levels {list(factor.levels)} and reference {factor.reference!r}"
            )
    varying = [factor for factor in factors if len(factor.levels) > 1]
    cells = tuple(product(*(factor.levels for factor in varying)))
    terms = _terms(varying)
    position = {factor.name: i for i, factor in enumerate(varying)}
    matrix = np.array([[_applies(term, cell, position) for term in terms] for cell in cells], dtype=np.float64)
    return Design(
        formula="prediction ~ " + (" * ".join(factor.name for factor in varying) or "1"),
        factors=tuple(factor.name for factor in varying),
        levels=tuple(factor.levels for factor in varying),
        cells=cells,
        terms=terms,
        matrix=matrix,
        # Differences of differences at the reference level of all other factors; as the matrix is unimodular,
        # rounding gives the exact -1, 0, 1.
        contrasts=np.round(np.linalg.inv(matrix)),
    )


def _terms(factors: Sequence[FactorLike]) -> tuple[Term, ...]:
    terms = []
    for order in range(len(factors) + 1):
        for chosen in combinations(factors, order):
            others = [[level for level in f.levels if level != f.reference] for f in chosen]
            names, references = tuple(f.name for f in chosen), tuple(f.reference for f in chosen)
            terms += [Term(names, levels, references) for levels in product(*others)]
    return tuple(terms)


def _applies(term: Term, cell: tuple[str, ...], position: dict[str, int]) -> bool:
    """Treatment coding: a term's column is 1 where the cell has all of the term's levels."""
    return all(cell[position[f]] == level for f, level in zip(term.factors, term.levels, strict=True))
