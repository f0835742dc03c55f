"""Many shuffles at once: persons put into other cells, and all fits and leave-one-out refits as one batch."""

from dataclasses import dataclass

import numpy as np

from bias_lab.stats.likelihood import CellDesign, CellSums, derivatives, newton
from bias_lab.stats.name_level import person_sums
from bias_lab.stats.subset import Subset

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Placement:
    """The G persons of a fit as one factor sees them: F levels, O combinations of the other factors."""

    label: Array  # (G,) int level of each person
    pieces: Array  # (G, O, 3) a person's count, sum of log(y / center), sum of log((1 - y) / (1 - center))
    cells: Array  # (F, O) int cell of the design
    strata: tuple[Array, ...]  # persons who may swap labels, each (m,) int
    center: Array  # (C,)

    def shuffled(self, n: int, rng: np.random.Generator) -> Array:
        """Deal the labels anew within strata: (n, G) int."""
        labels = np.tile(self.label, (n, 1))
        for persons in self.strata:
            labels[:, persons] = rng.permuted(labels[:, persons], axis=1)
        return labels

    def sums(self, labels: Array) -> CellSums:
        """Cell sums (B, G, C) of each person under labels (B, G)."""
        (n_levels, n_others), (n_deals, n_persons) = self.cells.shape, labels.shape
        has = labels[..., None] == np.arange(n_levels)  # (B, G, F)
        placed = np.zeros((n_deals, n_persons, n_levels * n_others, 3))
        placed[:, :, self.cells.reshape(-1)] = (
            has[..., None, None] * self.pieces[None, :, None]  # (B, G, F, O, 3)
        ).reshape(n_deals, n_persons, -1, 3)
        return CellSums(placed[..., 0], placed[..., 1], placed[..., 2], self.center)


def place(subset: Subset, index: int) -> Placement | None:
    """The persons as factor `index` of the design sees them; None where no labels can be swapped.

    Persons may swap labels where they have rows in the same combinations of the other factors; none may, where a
    person has several levels of the factor.
    """
    design = subset.design
    n_cells = len(design.cells)
    center = np.full(n_cells, np.mean(subset.scores.open))
    cells = np.moveaxis(np.arange(n_cells).reshape(design.shape), index, 0).reshape(design.shape[index], -1)
    sums = person_sums(subset.scores.open, subset.cell, subset.person, len(subset.persons), n_cells, center=center)
    by_level = np.stack([sums.n, sums.log_y, sums.log_1my], axis=-1)[:, cells]  # (G, F, O, 3)
    has = (by_level[..., 0] > 0).any(axis=2)
    if (has.sum(axis=1) > 1).any():
        return None
    label, pieces = has.argmax(axis=1), by_level.sum(axis=1)
    _, stratum = np.unique(pieces[..., 0] > 0, axis=0, return_inverse=True)
    strata = [np.flatnonzero(stratum.reshape(-1) == s) for s in range(int(stratum.max()) + 1)]
    strata = [persons for persons in strata if len(np.unique(label[persons])) > 1]
    return Placement(label, pieces, cells, tuple(strata), center) if strata else None


@dataclass(frozen=True, eq=False)
class Refits:
    """B fits with their covariances by three methods, p = k + q parameters; NaN where `converged` is False."""

    params: Array  # (B, p)
    iid: Array  # (B, p, p) inverse observed information
    cr1: Array  # (B, p, p)
    cv3: Array  # (B, p, p) NaN also where a leave-one-out refit failed
    converged: Array  # (B,) bool


def refit(by_person: CellSums, model: CellDesign, start: Array) -> Refits:
    """Fit B tables from their sums by person (B, G, C); the estimators are those of stats/name_level.py."""
    (n_persons, p), n_rows = (by_person.n.shape[1], len(start)), by_person.n.sum(axis=(1, 2))
    total = _summed(by_person)
    full = newton(total, model, start)
    ok = full.converged
    params = np.where(ok[:, None], full.params, start)
    information = np.where(ok[:, None, None], full.at.observed, np.eye(p))
    iid = np.linalg.inv(information)
    scores = derivatives(by_person, model, params[:, None]).score  # (B, G, p)
    factor = n_persons / (n_persons - 1) * (n_rows - 1) / (n_rows - p)
    cr1 = factor[:, None, None] * iid @ (np.swapaxes(scores, 1, 2) @ scores) @ iid
    rest = CellSums(total.n[:, None], total.log_y[:, None], total.log_1my[:, None], total.center).without(by_person)
    left_out = newton(rest, model, params[:, None])
    deviation = np.where(left_out.converged[..., None], left_out.params - params[:, None], np.nan)
    cv3 = (n_persons - 1) / n_persons * np.swapaxes(deviation, 1, 2) @ deviation
    bad = ~ok
    for values in (params, iid, cr1, cv3):
        values[bad] = np.nan
    return Refits(params, iid, cr1, cv3, ok)


def _summed(by_person: CellSums) -> CellSums:
    """Sums (B, C) over the persons."""
    n, log_y, log_1my = (part.sum(axis=1) for part in (by_person.n, by_person.log_y, by_person.log_1my))
    return CellSums(n, log_y, log_1my, by_person.center)
