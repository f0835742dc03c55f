"""Two ways to read one fit: treatment coding (the paper's) and deviation coding, which has no norm group.

Both are contrasts of the cells, of fitted logits for coefficients and of mean scores for effects, so one fit
serves both and neither changes the other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from bias_lab.stats.design import Design, Term, outer_weights

Array = np.ndarray
TREATMENT, DEVIATION = "treatment", "deviation"


@dataclass(frozen=True, eq=False)
class Coding:
    """R rows of the table of coefficients."""

    name: str  # "treatment" | "deviation"
    terms: tuple[Term, ...]
    conditions: tuple[str, ...]  # where each row holds: "gender: male", "averaged over gender", or ""
    contrasts: Array  # (R, C) weights of the cells
    exchanged: tuple[tuple[int, tuple[int, ...]] | None, ...]
    # for each row the factor (its index) and those of its levels that the row compares; None for the intercept

    def coefficients(self, design: Design) -> Array:
        """The rows as combinations (R, k) of the fitted coefficients; the identity in treatment coding."""
        return self.contrasts @ design.matrix


def treatment_coding(design: Design) -> Coding:
    """Each effect at the reference level of the other factors."""
    held = dict(zip(design.factors, design.references, strict=True))
    conditions, exchanged = [], []
    for term in design.terms:
        conditions.append(", ".join(f"{f}: {level}" for f, level in held.items() if f not in term.factors))
        exchanged.append(_pair(design, term) if term.factors else None)
    return Coding(TREATMENT, design.terms, tuple(conditions), design.contrasts, tuple(exchanged))


def deviation_coding(design: Design) -> Coding:
    """Each effect averaged over the other factors, every group counting the same: no group is the norm.

    A level is compared with the mean of the *other* levels: with two levels that is their difference, and the
    product of two such is the difference of differences; with more, every level has a row. This is k / (k - 1)
    times the textbook deviation from the mean of all k levels, with the same test.
    """
    terms: list[Term] = []
    for names in dict.fromkeys(term.factors for term in design.terms):
        shown = [_shown_levels(design, name) for name in names]
        for levels in product(*shown):
            others = tuple(_others(design, f, level) for f, level in zip(names, levels, strict=True))
            terms.append(Term(names, levels, others))
    averaged = [" and ".join(f for f in design.factors if f not in term.factors) for term in terms]
    return Coding(
        name=DEVIATION,
        terms=tuple(terms),
        conditions=tuple(f"averaged over {names}" if names else "" for names in averaged),
        contrasts=np.stack([_deviation(design, term) for term in terms]),
        exchanged=tuple(_all_levels(design, term) if term.factors else None for term in terms),
    )


def _shown_levels(design: Design, name: str) -> Sequence[str]:
    """All levels, but of two only the one that is not the reference: the other is its mirror image."""
    i = design.factors.index(name)
    levels = design.levels[i]
    return [v for v in levels if v != design.references[i]] if len(levels) == 2 else levels  # noqa: PLR2004


def _others(design: Design, name: str, level: str) -> str:
    rest = [other for other in design.levels[design.factors.index(name)] if other != level]
    return rest[0] if len(rest) == 1 else "mean of the others"


def _deviation(design: Design, term: Term) -> Array:
    asked = dict(zip(term.factors, term.levels, strict=True))
    weights = []
    for name, levels in zip(design.factors, design.levels, strict=True):
        k = len(levels)
        if name in asked:
            weights.append([1.0 if level == asked[name] else -1.0 / (k - 1) for level in levels])
        else:
            weights.append([1.0 / k] * k)
    return outer_weights(weights)


def _pair(design: Design, term: Term) -> tuple[int, tuple[int, ...]]:
    """The term's first factor, and its two levels that the term compares."""
    i = design.factors.index(term.factors[0])
    pair = {design.levels[i].index(level) for level in (term.levels[0], term.references[0])}
    return i, tuple(sorted(pair))


def _all_levels(design: Design, term: Term) -> tuple[int, tuple[int, ...]]:
    i = design.factors.index(term.factors[0])
    return i, tuple(range(len(design.levels[i])))
