"""The rows of one fit: names or noun phrases of one corpus, made ready and fitted."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from bias_lab.stats.beta import NO_SPREAD, BetaFit, fit_cells, no_fit
from bias_lab.stats.design import Design, FactorLike, factorial_design
from bias_lab.stats.formula import ALL, Interactions
from bias_lab.stats.likelihood import CellDesign
from bias_lab.stats.scores import Scores, check_levels, check_table, person_spread, prepare_scores

Array = np.ndarray
SUBSETS = {"name": "names", "noun_phrase": "noun_phrases"}
_SHOWN_CELLS = 12

NO_WEIGHT = 1e-9  # weights of cells are whole numbers over small ones; what is smaller is rounding


@dataclass(frozen=True, eq=False)
class Subset:
    """One fit and all it is made of; n rows, G persons."""

    eec: str
    name: str  # "names" | "noun_phrases"
    rows: pd.DataFrame  # (n, ...) of the long table
    design: Design
    model: CellDesign
    scores: Scores
    cell: Array  # (n,) int cell of each row
    persons: Array  # (G,) their names, sorted
    person: Array  # (n,) int codes of them
    fit: BetaFit
    spread: Array  # (C,) spread of person means in each cell (see `person_spread`)
    notes: tuple[str, ...]  # what a reader should know besides the fit's own message


def invariant_rows(subset: Subset, rows: Array) -> Array:
    """Which combinations (R, k) of coefficients rest on cells only whose persons have equal scores.

    Nothing tells there how much persons differ: the standard errors are rounding, and any difference a "finding".
    """
    used = np.bincount(subset.cell, minlength=len(subset.spread)) > 0
    weights = rows @ np.linalg.pinv(subset.design.matrix[used])
    return ~((np.abs(weights) > NO_WEIGHT) & (subset.spread[used] >= NO_SPREAD)).any(axis=1)


def fitted_subsets(
    table: pd.DataFrame,
    factors: Sequence[FactorLike],
    *,
    interactions: Interactions = ALL,
    precision: str = "constant",
) -> Iterator[Subset]:
    """Fit the names and the noun phrases of every corpus in the long table; see `analyse` for the arguments."""
    check_table(table, factors)
    for eec, corpus in table.groupby("eec", sort=False):
        for kind, name in SUBSETS.items():
            rows = corpus[corpus["person_kind"] == kind]
            if not len(rows):
                continue
            used = [f for f in factors if kind == "name" or rows[f.name].notna().any()]
            design = factorial_design(used, interactions=interactions, declared=factors)
            check_levels(rows, [f for f in used if f.name in design.factors or len(f.levels) == 1])
            single = [f.name for f in used if len(f.levels) == 1]
            notes = tuple(f"factor {name} has one level only, so no term" for name in single)
            yield _fitted(rows, design, precision, labels=(str(eec), name), notes=notes)


def _fitted(
    rows: pd.DataFrame, design: Design, precision: str, *, labels: tuple[str, str], notes: tuple[str, ...]
) -> Subset:
    cell = design.cell_of(rows)
    scores = prepare_scores(rows["prediction"].to_numpy(dtype=np.float64))
    # Sorted, so that a seed deals the same labels to the same names whatever the order of the rows.
    person, persons = pd.factorize(rows["person"], sort=True)
    if scores.n_clipped:
        notes = (*notes, f"{scores.n_clipped} predictions outside [0, 1] were clipped")
    model = CellDesign.constant_precision(design.matrix)
    if precision == "by_group":
        used = np.bincount(cell, minlength=len(design.cells)) > 0
        model = CellDesign(model.mean, np.eye(len(used))[:, used])
    spread = _spread(rows, scores, cell, person, len(design.cells))
    fit = _fit(scores, cell, design, model, spread)
    return Subset(*labels, rows, design, model, scores, cell, np.asarray(persons), person, fit, spread, notes)


def _spread(rows: pd.DataFrame, scores: Scores, cell: Array, person: Array, n_cells: int) -> Array:
    """Spread of person means within cells, relative to the items where the table has them."""
    has_items = "item" in rows.columns and rows["item"].notna().all()
    item = pd.factorize(rows["item"])[0] if has_items else None
    return person_spread(scores.closed, cell, person, n_cells, item)


def _fit(scores: Scores, cell: Array, design: Design, model: CellDesign, spread: Array) -> BetaFit:
    """The Beta fit, with the outcomes that only the cells and the persons can tell."""
    fit = fit_cells(scores.open, cell, model)
    if fit.status == "rank_deficient":
        return replace(fit, message=_lacking(design, np.bincount(cell, minlength=len(design.cells))))
    several = np.isfinite(spread)
    if fit.status in ("ok", "not_converged") and several.any() and (spread[several] < NO_SPREAD).all():
        message = f"persons of a cell have equal mean scores (within {NO_SPREAD:g}): the model does not see them"
        return no_fit(len(cell), len(design.terms), "invariant", message, fit.path, q=model.precision.shape[1])
    return fit


def _lacking(design: Design, counts: Array) -> str:
    """Which groups have no rows, and which terms therefore cannot be told from others."""
    some = range(len(counts)) if len(counts) <= _SHOWN_CELLS else np.flatnonzero(counts == 0)[:_SHOWN_CELLS]
    shown = "; ".join(f"{design.cell_name(i)}: {counts[i]}" for i in some)
    used = design.matrix[counts > 0]
    rank = np.linalg.matrix_rank(used)
    aliased = [
        term.label
        for j, term in enumerate(design.terms)
        if term.factors and np.linalg.matrix_rank(np.delete(used, j, axis=1)) == rank
    ]
    return f"a cell has no rows (rows per cell: {shown}), so there is no telling apart: {', '.join(aliased)}"
