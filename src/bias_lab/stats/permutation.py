"""Studentised permutation of a factor over persons: a p that needs no distribution of the names' scores.

Were the groups alike, it would not matter which name carries which label. So the labels of one factor are dealt
anew among the names within the levels of all other factors, and the model is refitted for every deal. With a
studentised statistic the test is exact when the groups are exchangeable and stays right in large samples when
only the term itself is zero (Janssen 1997, Statistics & Probability Letters 36: 9-21; Chung & Romano 2013,
Annals of Statistics 41: 484-507). All deals are one batch of Newton steps on sums by person.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import comb, prod

import numpy as np

from bias_lab.stats.beta import BetaFit
from bias_lab.stats.coding import Coding
from bias_lab.stats.design import Design
from bias_lab.stats.likelihood import CellDesign, CellSums, newton, score_weights

Array = np.ndarray

# Statistics that differ by less are taken as equal, as those of mirrored deals are but for rounding.
_TIE = 1e-4
# Leaves the statistics within about 1e-5, finer than _TIE, a step earlier than full precision would be reached.
_LAST_STEP_AT = 1e-4
_CHUNK = 4_000_000  # numbers held for one block of deals
_FEW = 100


@dataclass(frozen=True, eq=False)
class _Factor:
    """The persons as the permuted factor sees them: F levels, O combinations of the other factors."""

    label: Array  # (G,) int level of each person
    pieces: Array  # (G, O, 3) a person's count, sum of log(y / center), sum of log((1 - y) / (1 - center))
    cells: Array  # (F, O) int cell of the design
    strata: tuple[Array, ...]  # persons who may swap labels, each (m,) int
    center: Array  # (C,)


def permutation_p(
    fit: BetaFit,
    by_person: CellSums,
    design: Design,
    model: CellDesign,
    codings: Sequence[Coding],
    *,
    permutations: int,
    seed: int,
) -> tuple[list[Array], list[str]]:
    """Two-sided permutation p of every row of the codings, and what a reader should know.

    by_person: sums (G, C), persons in an order that does not depend on that of the rows, one center for all
    cells. Each row permutes the term's first factor, between the levels that the row compares: an interaction
    race:gender deals race anew within gender. p = (1 + number of deals with |t| as large) / (1 + permutations)
    (Phipson & Smyth 2010), t studentised by CR1; a deal whose fit fails counts as larger. NaN for the
    intercept, without a fit, with permutations = 0, and where a person has more than one level of the factor.
    """
    found = [np.full(len(coding.terms), np.nan) for coding in codings]
    notes: list[str] = []
    if fit.status != "ok" or not permutations:
        return found, notes
    wanted = dict.fromkeys(key for coding in codings for key in coding.exchanged if key is not None)
    for index, levels in wanted:
        factor, note = _as_factor(by_person, design, index, levels)
        notes.append(note)
        if factor is None:
            continue
        rows = [[i for i, key in enumerate(coding.exchanged) if key == (index, levels)] for coding in codings]
        chosen = [coding.coefficients(design)[mine] for coding, mine in zip(codings, rows, strict=True)]
        deals = _deals(factor, permutations, np.random.default_rng([seed, index, *levels]))
        start = _start(fit, factor, model)
        statistics = np.concatenate([_statistics(d, factor, model, np.vstack(chosen), start) for d in deals])
        larger = statistics[1:] >= statistics[0] - _TIE
        p = np.where(np.isfinite(statistics[0]), (1 + larger.sum(axis=0)) / (1 + permutations), np.nan)
        for values, mine in zip(found, rows, strict=True):
            values[mine], p = p[: len(mine)], p[len(mine) :]
    return found, list(dict.fromkeys(filter(None, notes)))


def _as_factor(by_person: CellSums, design: Design, index: int, levels: tuple[int, ...]) -> tuple[_Factor | None, str]:
    """The persons as one factor sees them, or None; and a note where there is something to say."""
    name = design.factors[index]
    cells = np.moveaxis(np.arange(len(design.cells)).reshape(design.shape), index, 0).reshape(design.shape[index], -1)
    sums = np.stack([by_person.n, by_person.log_y, by_person.log_1my], axis=-1)[:, cells]  # (G, F, O, 3)
    has = (sums[..., 0] > 0).any(axis=2)
    if several := int((has.sum(axis=1) > 1).sum()):
        return None, f"p_perm: {several} persons have more than one level of {name}"
    label, pieces = has.argmax(axis=1), sums.sum(axis=1)
    swapped = np.isin(label, levels)
    _, stratum = np.unique(pieces[..., 0] > 0, axis=0, return_inverse=True)
    strata = [np.flatnonzero(swapped & (stratum.reshape(-1) == s)) for s in range(int(stratum.max()) + 1)]
    strata = [persons for persons in strata if len(np.unique(label[persons])) > 1]
    ways = prod(_ways(label[persons]) for persons in strata)
    if not strata:
        return None, f"p_perm: no persons who are alike but for {name}"
    note = f"p_perm rests on only {ways} ways to deal {name} over the persons" if ways < _FEW else ""
    return _Factor(label, pieces, cells, tuple(strata), by_person.center), note


def _ways(labels: Array) -> int:
    """The number of different arrangements of the labels."""
    left, ways = len(labels), 1
    for count in np.bincount(labels).tolist():
        ways, left = ways * comb(left, count), left - count
    return ways


def _deals(factor: _Factor, permutations: int, rng: np.random.Generator) -> Iterator[Array]:
    """Labels (B, G) in blocks: the real ones first, then as many permutations as asked."""
    n_persons, n_levels = len(factor.label), len(factor.cells)
    size = max(1, _CHUNK // (n_persons * n_levels))
    for done in range(0, permutations + 1, size):
        labels = np.tile(factor.label, (min(size, permutations + 1 - done), 1))
        for persons in factor.strata:
            labels[:, persons] = rng.permuted(labels[:, persons], axis=1)
        if not done:
            labels[0] = factor.label
        yield labels


def _start(fit: BetaFit, factor: _Factor, model: CellDesign) -> Array:
    """The fit with the factor's levels averaged: where the deals' estimates lie around."""
    k, linear = len(fit.params), np.empty((len(model.mean), 2))
    for column, predictor in enumerate((model.mean @ fit.params, model.precision @ fit.precision_params)):
        linear[factor.cells, column] = predictor[factor.cells].mean(axis=0)
    start = np.empty(len(fit.estimates))
    start[:k] = np.linalg.lstsq(model.mean, linear[:, 0], rcond=None)[0]
    start[k:] = np.linalg.lstsq(model.precision, linear[:, 1], rcond=None)[0]
    return start


def _statistics(labels: Array, factor: _Factor, model: CellDesign, rows: Array, start: Array) -> Array:
    """Size of the studentised rows (B, R) for each deal of labels (B, G); infinite where a fit fails."""
    (n_levels, n_others), n_cells = factor.cells.shape, len(model.mean)
    n_deals, n_persons, k = len(labels), len(factor.label), model.mean.shape[1]
    # Kept three-dimensional: numpy then multiplies deal by deal, which is faster than one large product by a
    # threaded BLAS wherever the cores are shared.
    placed = (labels[:, None, :] == np.arange(n_levels)[:, None]).astype(np.float64)
    persons = factor.pieces.reshape(n_persons, -1)
    sums = np.empty((n_deals, n_cells, 3))
    sums[:, factor.cells] = (placed @ persons).reshape(n_deals, n_levels, n_others, 3)
    dealt = CellSums(sums[..., 0], sums[..., 1], sums[..., 2], factor.center)
    result = newton(dealt, model, start, last_step_at=_LAST_STEP_AT)
    ok = result.converged
    bread = np.linalg.inv(np.where(ok[:, None, None], result.at.observed, np.eye(len(start))))
    half = rows @ bread[:, :k, :]  # (B, R, k + q)
    # CR1 up to its constant: a person's score is linear in its sums, so the sum of their squares over the persons
    # of a level needs only the sum of squares and products of those sums.
    products = placed @ (persons[:, :, None] * persons[:, None, :]).reshape(n_persons, -1)
    products = products.reshape(n_deals, n_levels, persons.shape[1], -1)
    pull = _pull(half, factor, model, score_weights(model, result.params, factor.center))
    with np.errstate(all="ignore"):  # of fits that failed, which the last line sets aside
        variance = ((pull @ products) * pull).sum(axis=(1, 3))
        size = np.abs(result.params[:, :k] @ rows.T) / np.sqrt(variance)
    return np.where(ok[:, None] & np.isfinite(size), size, np.inf)


def _pull(half: Array, factor: _Factor, model: CellDesign, weights: Array) -> Array:
    """How each of a person's sums pulls at the rows, (B, F, R, 3 O), for the persons of each level."""
    k, (n_levels, n_others) = model.mean.shape[1], factor.cells.shape
    by_mean = half[..., :k] @ model.mean.T  # (B, R, C)
    by_precision = half[..., k:] @ model.precision.T
    pull = by_mean[..., None] * weights[:, None, :, 0] + by_precision[..., None] * weights[:, None, :, 1]
    pull = pull[:, :, factor.cells]  # (B, R, F, O, 3)
    return np.swapaxes(pull, 1, 2).reshape(len(half), n_levels, half.shape[1], 3 * n_others)
