"""From declared factors to a design: cells (groups), treatment-coded terms, and contrasts of cell means."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Protocol

import numpy as np
import pandas as pd

from bias_lab.errors import DataError
from bias_lab.stats.formula import ALL, Interactions, chosen_terms, write_formula

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
    references: tuple[str, ...]  # what each of them is compared with

    @property
    def label(self) -> str:
        """Such as "race[African-American]:gender[female]", or "Intercept"."""
        parts = [f"{factor}[{level}]" for factor, level in zip(self.factors, self.levels, strict=True)]
        return ":".join(parts) or "Intercept"


@dataclass(frozen=True, eq=False)
class Design:
    """A factorial design in treatment coding: C cells, k terms; k = C where it has every interaction."""

    formula: str  # such as "prediction ~ race * gender"
    factors: tuple[str, ...]  # those with at least two levels
    levels: tuple[tuple[str, ...], ...]  # of each of these factors
    references: tuple[str, ...]  # of each of these factors
    cells: tuple[tuple[str, ...], ...]  # C level combinations, one level a factor
    terms: tuple[Term, ...]  # k, the intercept first, then by order of interaction
    matrix: Array  # (C, k) design row of each cell
    contrasts: Array  # (k, C) each term as a contrast of cell means (the intercept: the reference cell's mean)

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of levels of each factor; cells run through it in C order."""
        return tuple(len(levels) for levels in self.levels)

    def cell_name(self, index: int) -> str:
        """Such as "African-American, female"."""
        return ", ".join(self.cells[index]) or "all rows"

    def cell_of(self, table: pd.DataFrame) -> Array:
        """The cell (n,) int of each row; levels must have been checked."""
        if not self.factors:
            return np.zeros(len(table), dtype=np.intp)
        codes = [
            pd.Index(levels).get_indexer(table[name]) for name, levels in zip(self.factors, self.levels, strict=True)
        ]
        return np.ravel_multi_index(codes, self.shape)


def factorial_design(
    factors: Sequence[FactorLike],
    *,
    interactions: Interactions = ALL,
    declared: Sequence[FactorLike] | None = None,
) -> Design:
    """Build the design of the factors that the model has, treatment-coded at the declared references.

    interactions: "all", an order, or a formula (see formula.py). declared: all factors of the corpus, where
    `factors` are only those that the rows at hand have (noun phrases have no race); terms with another
    factor are left out, as are factors with one level, which have nothing to compare. Raises DataError when
    a reference is not among the levels or a level is declared twice, ConfigError for a formula that does
    not fit the factors.
    """
    for factor in factors:
        if factor.reference not in factor.levels or len(set(factor.levels)) < len(factor.levels):
            raise DataError(
                f"factor {factor.name!r}: levels must differ and hold the reference; "
                f"got levels {list(factor.levels)} and reference {factor.reference!r}"
            )
    products = chosen_terms(interactions, [factor.name for factor in declared or factors])
    varying = {factor.name: factor for factor in factors if len(factor.levels) > 1}
    products = tuple(names for names in products if set(names) <= set(varying))
    used = [factor for name, factor in varying.items() if (name,) in products]
    terms = _terms([(), *products], varying)
    cells = tuple(product(*(factor.levels for factor in used)))
    return Design(
        formula=write_formula(products),
        factors=tuple(factor.name for factor in used),
        levels=tuple(factor.levels for factor in used),
        references=tuple(factor.reference for factor in used),
        cells=cells,
        terms=terms,
        matrix=_indicators(terms, used),
        contrasts=_treatment_contrasts(terms, used),
    )


def _terms(products: Sequence[tuple[str, ...]], factors: dict[str, FactorLike]) -> tuple[Term, ...]:
    terms = []
    for names in products:
        others = [[v for v in factors[name].levels if v != factors[name].reference] for name in names]
        references = tuple(factors[name].reference for name in names)
        terms += [Term(names, levels, references) for levels in product(*others)]
    return tuple(terms)


def _indicators(terms: Sequence[Term], factors: Sequence[FactorLike]) -> Array:
    """Treatment coding (C, k): a term's column is 1 where the cell has all of the term's levels."""
    columns = []
    for term in terms:
        asked = dict(zip(term.factors, term.levels, strict=True))
        weights = [[float(asked.get(f.name, level) == level) for level in f.levels] for f in factors]
        columns.append(outer_weights(weights))
    return np.stack(columns, axis=1)


def _treatment_contrasts(terms: Sequence[Term], factors: Sequence[FactorLike]) -> Array:
    """Differences (of differences ...) from the reference level, at the reference level of all other factors."""
    rows = []
    for term in terms:
        asked = dict(zip(term.factors, term.levels, strict=True))
        weights = []
        for f in factors:
            at_reference = [float(level == f.reference) for level in f.levels]
            at_level = [float(level == asked.get(f.name)) for level in f.levels]
            weights.append(np.subtract(at_level, at_reference) if f.name in asked else at_reference)
        rows.append(outer_weights(weights))
    return np.stack(rows)


def outer_weights(weights: Sequence[Sequence[float] | Array]) -> Array:
    """The product of one weight a level of each factor, for every cell (C,) in C order."""
    total = np.ones(1)
    for levels in weights:
        total = np.multiply.outer(total, np.asarray(levels, dtype=np.float64)).reshape(-1)
    return total + 0.0  # no negative zeros
