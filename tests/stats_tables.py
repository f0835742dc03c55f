"""Made-up long tables for the tests of the statistics."""

from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd
from scipy.special import expit


@dataclass(frozen=True)
class Factor:
    name: str
    levels: tuple[str, ...]
    reference: str


RACE = Factor("race", ("European", "African-American"), "European")
GENDER = Factor("gender", ("male", "female"), "male")
AGE = Factor("age", ("old", "young"), "young")
FACTORS = (RACE, GENDER)
ESTIMATES = [
    "coefficient", "std_error_iid", "statistic_iid", "p_iid", "ci_low", "ci_high",
    "std_error_name", "statistic_name", "p_name", "ci_name_low", "ci_name_high",
    "std_error_cr1", "p_cr1", "design_effect",
    "effect_response", "effect_ci_low", "effect_ci_high", "effect_ci_name_low", "effect_ci_name_high",
    "std_error_effect_name", "p_effect_name", "mde_response", "p_equivalence", "p_perm", "icc_name",
    "coefficient_fractional", "p_fractional", "phi", "log_likelihood",
]  # fmt: skip


def corpus(
    factors: tuple = FACTORS, *, persons: int = 4, items: int = 6, kind: str = "name", seed: int = 0
) -> pd.DataFrame:
    """Make a long table: so many persons in every cell, every person in every item, scores at random."""
    rng, rows = np.random.default_rng(seed), []
    for c, cell in enumerate(product(*(f.levels for f in factors))):
        for p in range(persons):
            own = rng.normal(0, 0.3)
            for i in range(items):
                mu = expit(-0.3 + 0.2 * c + own + 0.1 * i)
                levels = {f.name: level for f, level in zip(factors, cell, strict=True)}
                person = f"{kind} {c}.{p}"
                rows.append({"eec": "made_up", "person": person, "person_kind": kind, "item": f"item {i}"})
                rows[-1] |= levels | {"prediction": rng.beta(30 * mu, 30 * (1 - mu))}
    return pd.DataFrame(rows)


def with_noun_phrases() -> pd.DataFrame:
    phrases = corpus((GENDER,), persons=3, kind="noun_phrase", seed=1).assign(race=None)
    return pd.concat([corpus(), phrases], ignore_index=True)


def treatment(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of the paper's coding."""
    return table[table["coding"] == "treatment"].reset_index(drop=True)


def deviation(table: pd.DataFrame) -> pd.DataFrame:
    """The rows averaged over the other factors."""
    return table[table["coding"] == "deviation"].reset_index(drop=True)


def assert_no_finding(table: pd.DataFrame, status: str) -> None:
    assert table["status"].tolist() == [status] * len(table)
    assert table["status_name"].tolist() == ["no_fit"] * len(table)
    assert table[ESTIMATES].isna().all(axis=None)
