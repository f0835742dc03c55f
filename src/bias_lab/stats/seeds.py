"""Runs that differ only in seed: one analysis of their mean, with the spread between them beside it.

Seeds are no sample of names: treating their estimates as independent studies rejects in 24 % of cases where
there is nothing to find, the analysis of the averaged predictions in 5 %.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from bias_lab.errors import DataError
from bias_lab.stats.analysis import BetaRegression
from bias_lab.stats.design import FactorLike

Regression = Callable[[pd.DataFrame, Sequence[FactorLike]], pd.DataFrame]
_ROW = ["eec", "subset", "coding", "term"]
_NOT_KEYS = ("prediction", "seed")


def average_seeds(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Average the predictions of each sentence over the seeds.

    tables: long tables with predictions of the same sentences, in any order. Returns the first with the mean
    prediction. Raises DataError where the tables do not hold the same sentences.
    """
    if not tables:
        raise DataError("average over seeds: there is no table")
    first = tables[0]
    keys = [name for name in first.columns if name not in _NOT_KEYS]
    total = first["prediction"].to_numpy(dtype=np.float64, copy=True)
    for number, other in enumerate(tables[1:], start=2):
        total += _aligned(first, other, keys, number)
    return first.drop(columns="seed", errors="ignore").assign(prediction=total / len(tables))


def seed_spread(averaged: pd.DataFrame, per_seed: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Set the spread between seeds beside the analysis of their mean.

    averaged: table of `analyse` on the averaged predictions. per_seed: the tables of the single runs. Returns a
    copy of the first with n_seeds (with an estimate of the term), seed_sd_coefficient and seed_sd_effect
    (standard deviation over the seeds; missing with one) and seed_sign_agreement (share of the seeds whose
    effect has the sign of the averaged one; missing for intercepts).
    """
    stacked = pd.concat([table.set_index(_ROW) for table in per_seed], keys=range(len(per_seed)), names=["seed"])
    groups = stacked.groupby(level=_ROW, sort=False)
    index = pd.MultiIndex.from_frame(averaged[_ROW])
    counts = groups["coefficient"].count().reindex(index).fillna(0).astype(int)
    spread = groups[["coefficient", "effect_response"]].std(ddof=1).reindex(index)
    own = averaged.set_index(_ROW)["effect_response"]
    same = np.sign(stacked["effect_response"]) == np.sign(own.reindex(stacked.index.droplevel("seed")).to_numpy())
    agreement = same[stacked["effect_response"].notna()].groupby(level=_ROW, sort=False).mean().reindex(index)
    told = own.notna().to_numpy() & (averaged["term"] != "Intercept").to_numpy()
    return averaged.assign(
        n_seeds=counts.to_numpy(),
        seed_sd_coefficient=spread["coefficient"].to_numpy(),
        seed_sd_effect=spread["effect_response"].to_numpy(),
        seed_sign_agreement=np.where(told, agreement.to_numpy(), np.nan),
    )


def analyse_seeds(
    tables: Sequence[pd.DataFrame], factors: Sequence[FactorLike], regression: BetaRegression | None = None
) -> pd.DataFrame:
    """Analyse the mean prediction over seeds, with the spread between seeds beside it; see the functions above."""
    regression = regression or BetaRegression()
    single = replace(regression, permutations=0)
    averaged = regression(average_seeds(tables), factors)
    return seed_spread(averaged, [single(table, factors) for table in tables])


def _aligned(first: pd.DataFrame, other: pd.DataFrame, keys: list[str], number: int) -> np.ndarray:
    """The predictions of `other` in the order of `first`."""
    if lacking := [name for name in (*keys, "prediction") if name not in other.columns]:
        raise DataError(f"average over seeds: table {number} has no column {', '.join(lacking)}")
    if len(first) == len(other) and first[keys].reset_index(drop=True).equals(other[keys].reset_index(drop=True)):
        return other["prediction"].to_numpy(dtype=np.float64)
    # A sentence may stand in a corpus more than once: the first goes with the first.
    left, right = (t[keys].assign(_copy=t.groupby(keys, dropna=False).cumcount()) for t in (first, other))
    right = right.assign(_prediction=other["prediction"].to_numpy(dtype=np.float64))
    merged = left.merge(right, on=[*keys, "_copy"], how="left", indicator=True)
    missing = (merged["_merge"] == "left_only").to_numpy()
    if missing.any() or len(first) != len(other):
        shown = "; ".join(" | ".join(map(str, row)) for row in left.loc[missing, keys].to_numpy()[:3])
        raise DataError(
            f"average over seeds: table {number} has {len(other)} rows, the first has {len(first)}, of which "
            f"{missing.sum()} are not in it" + (f", such as {shown}" if shown else "")
        )
    return merged["_prediction"].to_numpy()
