"""Cells that differ only in seed, as one: the analysis of their mean predictions, and each name's scores."""

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, get_args

import pandas as pd

import bias_lab
from bias_lab.analysis import Factor
from bias_lab.errors import ConfigError, DataError
from bias_lab.run_files import COEFFICIENTS, NAME_COVERAGE
from bias_lab.stats import BetaRegression, average_seeds, seed_spread
from bias_lab.stats.beta import Status
from bias_lab.stats.name_level import NameStatus
from bias_lab.summary.cells import Cell
from bias_lab.summary.counting import fingerprints, mark_repeats

Regression = Callable[[pd.DataFrame, Sequence[Factor]], pd.DataFrame]
DEFAULT_STATS = "bias_lab.stats.BetaRegression"
NAME_COLUMNS = ("person", "person_kind", "mean", "sd", "n", "tokens", "unknown")
# What the summary reads of a cell's coefficients.csv; one that lacks any of it is analysed anew.
COEFFICIENT_COLUMNS = (
    "eec", "subset", "coding", "term", "factors", "levels", "references", "condition", "coefficient", "p_iid",
    "std_error_name", "p_name", "effect_response", "effect_ci_name_low", "effect_ci_name_high", "p_effect_name",
    "mde_response", "p_equivalence", "raw_difference", "n_rows", "n_persons", "level", "smallest_effect", "status",
    "status_name", "message",
)  # fmt: skip
_TEXT = ("factors", "levels", "references", "condition", "message")  # empty is a value, not a missing one
_WORDS = ("eec", "subset", "coding", "term", *_TEXT, "status", "status_name")  # the other columns are numbers
_STATUSES, _NAME_STATUSES = set(get_args(Status)), set(get_args(NameStatus))
_FEW_GROUPS = 8  # for fewer, starting processes costs more than it saves


@dataclass(frozen=True)
class GroupResult:
    """What one group gave.

    unreadable: cells whose files could not be read, with the reason. foreign: the analysis for want of which
    coefficients are lacking, as only its owner can call it; empty where none are.
    """

    coefficients: pd.DataFrame
    names: pd.DataFrame
    unreadable: tuple[tuple[Path, str], ...]
    foreign: str = ""


def read_groups(groups: Sequence[Sequence[Cell]], *, regression: Regression | None, jobs: int) -> list[GroupResult]:
    """Read and analyse groups of cells that differ only in seed, in up to `jobs` processes; see `read_group`."""
    read = partial(read_group, regression=regression)
    if jobs < 2 or len(groups) < _FEW_GROUPS or not isinstance(regression, BetaRegression | None):  # noqa: PLR2004
        return [read(group) for group in groups]
    # Not forked: the caller may have started threads (torch's, a progress bar's), which a fork would break.
    with ProcessPoolExecutor(max_workers=min(jobs, len(groups)), mp_context=get_context("spawn")) as pool:
        return list(pool.map(read, groups, chunksize=max(1, len(groups) // (8 * jobs))))


def read_group(cells: Sequence[Cell], *, regression: Regression | None) -> GroupResult:
    """Analyse the cells' mean predictions on every corpus they scored.

    With one seed that analysis is the cell's own, and is taken from its coefficients.csv if the same version of
    bias_lab wrote it with the same settings. `regression`: None for the cells' own settings. An analysis of the user's
    own is not called, as a configuration file may name any code; what it would be needed for is left out.
    """
    coefficients, names, digests, unreadable, foreign = [], [], {}, {}, ""
    own = {cell.folder: _own_coefficients(cell, regression, spread_only=len(cells) > 1) for cell in cells}
    corpora = sorted({corpus["name"] for cell in cells for corpus in cell.corpora})
    for eec in corpora:
        tables, owners = [], []
        for cell in cells:
            if eec in {corpus["name"] for corpus in cell.corpora}:
                try:
                    tables.append(read_predictions(cell.folder, eec))
                    owners.append(cell)
                except (OSError, ValueError, KeyError) as error:
                    unreadable[cell.folder] = f"predictions of {eec} cannot be read: {error}"
        if tables:
            averaged = _averaged(owners, tables, eec)
            factors = _factors(owners[0], eec)
            runs = [
                (cell, table, _of_corpus(own[cell.folder], eec)) for cell, table in zip(owners, tables, strict=True)
            ]
            names.append(_with_coverage(name_scores(averaged, [f.name for f in factors]), owners[0].folder))
            if unavailable := _unavailable(runs, regression):
                foreign = unavailable
                continue
            coefficients.append(_coefficients(runs, averaged, factors, regression))
            digests[eec] = fingerprints(averaged, factors) if len(corpora) > 1 else {}
    found = mark_repeats(_stacked(coefficients), digests) if coefficients else pd.DataFrame()
    return GroupResult(found, _stacked(names), tuple(unreadable.items()), foreign)


def read_predictions(folder: Path, eec: str) -> pd.DataFrame:
    """The long table of one run and corpus."""
    table = pd.read_parquet(folder / "predictions" / f"{eec}.parquet")
    if "prediction" not in table.columns:
        raise ValueError("the table has no column prediction")
    return table


def name_scores(table: pd.DataFrame, factors: Sequence[str]) -> pd.DataFrame:
    """Mean, standard deviation and number of scores of each person, persons in the order of their names."""
    keys = ["eec", "person", "person_kind", *factors]
    scores = table.groupby(keys, dropna=False, sort=True)["prediction"]
    return scores.agg(mean="mean", sd="std", n="count").reset_index()


def _averaged(cells: Sequence[Cell], tables: Sequence[pd.DataFrame], eec: str) -> pd.DataFrame:
    try:
        return average_seeds(tables)
    except DataError as error:
        folders = ", ".join(str(cell.folder) for cell in cells)
        raise DataError(f"{cells[0].label} on {eec}: {error} (tables in this order: {folders})") from None


def _unavailable(runs: Sequence[tuple[Cell, pd.DataFrame, pd.DataFrame | None]], regression: Regression | None) -> str:
    """The analysis that would have to be called and that only its owner can call; empty where there is none."""
    cell, _, own = runs[0]  # runs that differ only in seed have the same settings
    target = str(cell.stats.get("_target_", DEFAULT_STATS))
    is_needed = regression is None and (len(runs) > 1 or own is None)
    return target if is_needed and target != DEFAULT_STATS else ""


def _coefficients(
    runs: Sequence[tuple[Cell, pd.DataFrame, pd.DataFrame | None]],
    averaged: pd.DataFrame,
    factors: Sequence[Factor],
    regression: Regression | None,
) -> pd.DataFrame:
    """The analysis of the averaged scores, with the spread between the runs (cell, scores, own coefficients)."""
    one = len(runs) == 1
    per_seed = [
        _chosen(cell, regression, permutations=one)(table, factors) if own is None else own for cell, table, own in runs
    ]
    whole = per_seed[0] if one else _chosen(runs[0][0], regression)(averaged, factors)
    return seed_spread(whole, per_seed)


def _of_corpus(table: pd.DataFrame | None, eec: str) -> pd.DataFrame | None:
    """One corpus' rows of a run's coefficients; None where there are none."""
    if table is None or not (rows := table["eec"] == eec).any():
        return None
    return table[rows].reset_index(drop=True)


def _own_coefficients(cell: Cell, regression: Regression | None, *, spread_only: bool) -> pd.DataFrame | None:
    """The cell's table as it was written after the run, unless another analysis than the asked one wrote it.

    `spread_only`: the table serves the spread between seeds, which permutations do not enter.
    """
    if regression is not None and not _same(cell, regression, spread_only=spread_only):
        return None
    if cell.version != bias_lab.__version__ and cell.stats.get("_target_") == DEFAULT_STATS:
        return None
    try:
        # Only what is empty is missing: a level may be called NA. Every digit counts.
        table = pd.read_csv(cell.folder / COEFFICIENTS, keep_default_na=False, na_values=[""])
    except (OSError, ValueError):
        return None
    if not _is_ours(table):
        return None
    texts = table[list(_TEXT)].astype(object)  # a column without any text is read as numbers
    return table.assign(**texts.where(texts.notna(), "").astype("str"))


def _is_ours(table: pd.DataFrame) -> bool:
    """Whether a table means what ours do, as one of a user's own analysis may or may not."""
    if not set(COEFFICIENT_COLUMNS) <= set(table.columns):
        return False
    numbers = [name for name in COEFFICIENT_COLUMNS if name not in _WORDS]
    are_numbers = all(pd.api.types.is_numeric_dtype(table[name]) for name in numbers)
    return are_numbers and set(table["status"]) <= _STATUSES and set(table["status_name"]) <= _NAME_STATUSES


def _same(cell: Cell, regression: Regression, *, spread_only: bool) -> bool:
    if cell.stats.get("_target_") != DEFAULT_STATS or not isinstance(regression, BetaRegression):
        return False
    own = _own_regression(cell)
    return own == (replace(regression, permutations=own.permutations) if spread_only else regression)


def _chosen(cell: Cell, regression: Regression | None, *, permutations: bool = True) -> Regression:
    """The analysis asked for, else that of the cell; without permutations where only the estimates are wanted."""
    chosen = regression or _own_regression(cell)
    return chosen if permutations or not isinstance(chosen, BetaRegression) else replace(chosen, permutations=0)


def _own_regression(cell: Cell) -> BetaRegression:
    """The analysis that the cell's configuration asks for, which is ours."""
    options: dict[str, Any] = {key: value for key, value in cell.stats.items() if key != "_target_"}
    try:
        return BetaRegression(**options)
    except TypeError as error:
        raise ConfigError(f"{cell.folder}/config.yaml: stats: {error}") from None


def _factors(cell: Cell, eec: str) -> list[Factor]:
    corpus = next(corpus for corpus in cell.corpora if corpus["name"] == eec)
    return [Factor(f["name"], tuple(f["levels"]), f["reference"]) for f in corpus["factors"]]


def _with_coverage(names: pd.DataFrame, folder: Path) -> pd.DataFrame:
    """Add how many tokens each name has and how many of them the model does not know; missing for noun phrases."""
    try:
        wanted = ["eec", "person", "tokens", "unknown"]
        known = pd.read_csv(folder / NAME_COVERAGE, usecols=wanted, keep_default_na=False)
    except (OSError, ValueError):
        return names.assign(tokens=float("nan"), unknown=float("nan"))
    return names.merge(known.drop_duplicates(["eec", "person"]), on=["eec", "person"], how="left")


def _stacked(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
