"""How long the whole analysis of a corpus takes, in plain BetaModel fits of the same rows.

    python benchmarks/inference.py [--rows 1400 10000 100000 1000000] [--permutations 2000]

The whole analysis is `bias_lab.stats.analyse`: the fit, 40 leave-one-name-out refits, the permutation test, both
codings and all columns. A plain fit is `BetaModel(y, X).fit()` with its own start. Both are timed in turn, so that a
busy machine slows both; the ratio is that of their medians. Scores are simulated: 40 names in four groups, each with an
effect of its own.
"""

import argparse
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import expit
from statsmodels.othermod.betareg import BetaModel

from bias_lab.stats import analyse

NAMES = 40


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


def seconds(action: Callable[[], object]) -> float:
    """Wall time of one call."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def measure(n: int, permutations: int) -> tuple[float, float, float]:
    """Medians in seconds: a plain fit, the analysis without permutations, the whole analysis."""
    table, design = simulate(n)
    y = table["prediction"].to_numpy()
    actions = [
        lambda: BetaModel(y, design).fit(disp=False),
        lambda: analyse(table, FACTORS, permutations=0),
        lambda: analyse(table, FACTORS, permutations=permutations),
    ]
    analyse(simulate(NAMES * 5)[0], FACTORS)  # imports
    rounds = max(3, min(25, 100_000 // n))
    times = [[seconds(action) for action in actions] for _ in range(rounds)]
    plain, bare, whole = np.median(times, axis=0)
    return plain, bare, whole


def main() -> None:
    """Print one line for each number of rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_400, 10_000, 100_000, 1_000_000])
    parser.add_argument("--permutations", type=int, default=2000)
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # BetaModel's own, about the convergence of its default start
    print(f"{'rows':>9} {'BetaModel fit':>14} {'no permutations':>16} {'whole analysis':>15} {'in plain fits':>14}")
    for n in options.rows:
        plain, bare, whole = measure(n // NAMES * NAMES, options.permutations)
        print(f"{n:>9,} {plain:>13.4f}s {bare:>15.3f}s {whole:>14.3f}s {whole / plain:>14.1f}", flush=True)


if __name__ == "__main__":
    main()
