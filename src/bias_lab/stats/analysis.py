"""From the long table of scores to one row a term: the whole analysis of a corpus."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from bias_lab.errors import ConfigError
from bias_lab.stats.beta import NO_SPREAD, BetaFit, fit_beta, no_fit
from bias_lab.stats.columns import (
    contrast_of_means,
    disagreement,
    effect_columns,
    fractional_columns,
    iid_columns,
    name_columns,
    term_columns,
)
from bias_lab.stats.design import Design, FactorLike, factorial_design
from bias_lab.stats.name_level import name_level
from bias_lab.stats.scores import Scores, check_levels, check_table, person_spread, prepare_scores

Array = np.ndarray
SUBSETS = {"name": "names", "noun_phrase": "noun_phrases"}


@dataclass(frozen=True, kw_only=True)
class BetaRegression:
    """The default analysis, as a configurable callable: (long table, factors) -> table of coefficients.

    level: coverage of the intervals, between 0 and 1.
    """

    level: float = 0.95

    def __post_init__(self) -> None:
        level = self.level
        if isinstance(level, bool) or not isinstance(level, int | float) or not 0 < level < 1:
            raise ConfigError(f"stats.level: got {level!r}; a number between 0 and 1 (such as 0.95) is needed")

    def __call__(self, table: pd.DataFrame, factors: Sequence[FactorLike]) -> pd.DataFrame:
        """See `analyse`."""
        return analyse(table, factors, level=self.level)


def analyse(table: pd.DataFrame, factors: Sequence[FactorLike], *, level: float = 0.95) -> pd.DataFrame:
    """Regress the predictions on the identity factors, once for the names and once for the noun phrases.

    table: the long table with a `prediction` column, of one corpus or of several that share their factors.
    factors: as the corpus declares them. The names are fitted on all factors and interactions, the noun
    phrases on the factors that any of their rows has. Returns one row per (eec, subset, term):

    eec, subset ("names" | "noun_phrases"), formula
    term: such as "race[African-American]:gender[female]"; factors, levels, references: its parts, joined by
        ":". Treatment coding: each effect is at the reference level of the other factors.
    coefficient: on the logit scale.
    std_error_iid, statistic_iid, p_iid, ci_low, ci_high: the published test, which takes sentences as
        independent (name_level.py says what is wrong with that): observed information, two-sided t with
        n - k - 1 degrees of freedom (BetaModel.df_resid). Software that judges by the normal gives nearly the
        same p: at 1,400 rows .0377 becomes .0379.
    std_error_name, statistic_name, p_name, ci_name_low, ci_name_high: the headline, jackknife over persons
        (CV3), t(G - 1).
    std_error_cr1, p_cr1: cluster-robust by person (CR1), t(G - 1).
    design_effect: (std_error_name / std_error_iid)**2, how many times too small the i.i.d. variance is.
    effect_response: the term as a difference of mean scores (an interaction: a difference of differences;
        the intercept: the mean score of the reference cell); effect_ci_low, effect_ci_high (i.i.d.) and
        effect_ci_name_low, effect_ci_name_high (CV3) by the delta method.
    raw_difference: the same contrast of plain cell means (of predictions clipped to [0, 1]).
    coefficient_fractional, p_fractional: fractional logit, CR1 by person, t(G - 1); only where scores lie at
        exactly 0 or 1.
    n_rows, n_persons, n_clipped, n_boundary, phi, log_likelihood: of the fit.
    status: ok | degenerate | invariant | rank_deficient | not_converged | saturated. But for ok, every
        estimate is missing, so that nothing can be taken for a finding; raw_difference, a plain fact, stays.
    status_name: ok | too_few_persons | not_converged | no_fit, for the person-level columns.
    message: what a reader should know; mostly empty.

    Raises DataError naming rows with a missing or infinite prediction, a missing or undeclared level,
    person or kind; ConfigError for a level outside (0, 1).
    """
    BetaRegression(level=level)
    check_table(table, factors)
    parts = []
    for eec, corpus in table.groupby("eec", sort=False):
        for kind, subset in SUBSETS.items():
            rows = corpus[corpus["person_kind"] == kind]
            if len(rows):
                used = [f for f in factors if kind == "name" or rows[f.name].notna().any()]
                part = _analyse_rows(rows, used, level)
                part.insert(0, "eec", eec)
                part.insert(1, "subset", subset)
                parts.append(part)
    return pd.concat(parts, ignore_index=True)


def stars(p: float) -> str:
    """The paper's marks: *** below .01, ** below .05, * below .10; nothing for larger or missing p."""
    return "***" if p < 0.01 else "**" if p < 0.05 else "*" if p < 0.10 else ""  # noqa: PLR2004


def _analyse_rows(rows: pd.DataFrame, factors: Sequence[FactorLike], level: float) -> pd.DataFrame:
    """The terms of one fit, without eec and subset."""
    check_levels(rows, factors)
    design = factorial_design(factors)
    scores, cell = prepare_scores(rows["prediction"].to_numpy(dtype=np.float64)), design.cell_of(rows)
    person = pd.factorize(rows["person"])[0]
    fit = _fit(scores, cell, design, _spread(rows, scores, cell, person))
    name = name_level(fit, scores.open, cell, design.matrix, person)
    notes = [fit.message, name.message]
    notes += [f"factor {f.name} has one level only, so no term" for f in factors if len(f.levels) == 1]
    table = pd.DataFrame(
        {
            **term_columns(design),
            **iid_columns(fit, level),
            **name_columns(fit, name, level),
            **effect_columns(design, fit, name, level),
            "raw_difference": contrast_of_means(design, scores.closed, cell),
            **fractional_columns(design, fit, scores, cell, person),
            "n_rows": len(rows),
            "n_persons": name.n_persons,
            "n_clipped": scores.n_clipped,
            "n_boundary": scores.n_boundary,
            "phi": fit.phi,
            "log_likelihood": fit.loglik,
            "status": fit.status,
            "status_name": name.status,
        },
        index=range(len(design.terms)),
    )
    decisions = zip(table["p_cr1"], table["p_fractional"], strict=True)
    table["message"] = ["; ".join(filter(None, [*notes, disagreement(*pair, level)])) for pair in decisions]
    return table


def _spread(rows: pd.DataFrame, scores: Scores, cell: Array, person: Array) -> float:
    """Spread of person means within cells, relative to the items where the table has them."""
    has_items = "item" in rows.columns and rows["item"].notna().all()
    item = pd.factorize(rows["item"])[0] if has_items else None
    return person_spread(scores.closed, cell, person, item)


def _fit(scores: Scores, cell: Array, design: Design, spread: float) -> BetaFit:
    """The Beta fit, with the outcomes that only the cells and the persons can tell."""
    n, k = len(cell), len(design.terms)
    counts = np.bincount(cell, minlength=len(design.cells))
    if (counts == 0).any():
        shown = "; ".join(f"{design.cell_name(i)}: {count}" for i, count in enumerate(counts))
        return no_fit(n, k, "rank_deficient", f"a cell has no rows (rows per cell: {shown})")
    fit = fit_beta(scores.open, design.matrix[cell])
    if fit.status in ("ok", "not_converged") and spread < NO_SPREAD:
        message = f"persons of a cell have equal mean scores (within {NO_SPREAD:g}): the model does not see them"
        return no_fit(n, k, "invariant", message, fit.path)
    return fit
