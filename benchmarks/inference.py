"""The whole statistical analysis of a corpus, in plain BetaModel fits of the same rows.

The whole analysis is `bias_lab.stats.analyse`: the fit, 40 leave-one-name-out refits, the permutation test, both
codings and all columns. A plain fit is `BetaModel(y, X).fit()` with its own start. Scores are simulated: 40 names in
four groups, each with an effect of its own.
"""

import argparse
import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import expit
from statsmodels.othermod.betareg import BetaModel

from benchmarks.timing import Figure, ratios, take_turns, told
from bias_lab.stats import analyse

NAMES = 40
ROWS = (1_400, 10_000, 100_000, 1_000_000)
MOST_FITS = 20  # at the size of a published corpus


@dataclass(frozen=True)
class Factor:
    """An identity dimension of the simulated corpus."""

    name: str
    levels: tuple[str, ...]
    reference: str


FACTORS = (Factor("race", ("A", "B"), "A"), Factor("gender", ("male", "female"), "male"))


def simulate(n: int) -> tuple[pd.DataFrame, np.ndarray]:
    """A long table of n rows (a multiple of 40), and the design of a plain fit (n, 4)."""
    rng = np.random.default_rng(0)
    person, item = np.repeat(np.arange(NAMES), n // NAMES), np.tile(np.arange(n // NAMES), NAMES)
    race, gender = person % 2, person // 2 % 2
    mu = expit(-0.2 + rng.normal(0, 0.15, NAMES)[person] + rng.normal(0, 0.3, n // NAMES)[item])
    table = pd.DataFrame(
        {
            "eec": "simulated",
            "item": np.char.add("item ", item.astype(str)),
            "person": np.char.add("name ", person.astype(str)),
            "person_kind": "name",
            "race": np.array(["A", "B"])[race],
            "gender": np.array(["male", "female"])[gender],
            "prediction": rng.beta(20 * mu, 20 * (1 - mu)),
        }
    )
    return table, np.column_stack([np.ones(n), race, gender, race * gender])


def measure(options: argparse.Namespace) -> list[Figure]:
    """One figure for each number of rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # BetaModel's own, about the convergence of its default start
        return [compare(n // NAMES * NAMES, options.rounds) for n in ROWS]


def compare(n: int, rounds: int) -> Figure:
    """The whole analysis of n rows against a plain fit of them."""
    table, design = simulate(n)
    y = table["prediction"].to_numpy()
    contenders = {
        "plain": lambda: BetaModel(y, design).fit(disp=False),
        "whole": lambda: analyse(table, FACTORS),
    }
    seconds = take_turns(contenders, rounds=rounds)
    return Figure(
        f"{n:,} rows",
        told(seconds["whole"]),
        f"one fit {told(seconds['plain'])}",
        *ratios(seconds["whole"], seconds["plain"]),
        at_most=MOST_FITS if n == ROWS[0] else None,
    )
