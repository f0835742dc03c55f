"""From the long table of scores to one row a term: the whole analysis of a corpus."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from bias_lab.stats.coding import Coding, deviation_coding, treatment_coding
from bias_lab.stats.columns import (
    contrast_of_means,
    disagreement,
    effect_columns,
    fractional_columns,
    iid_columns,
    name_columns,
    term_columns,
)
from bias_lab.stats.design import FactorLike
from bias_lab.stats.fractional import FractionalFit, fit_fractional
from bias_lab.stats.name_level import NameLevel, name_level, person_sums
from bias_lab.stats.permutation import permutation_p
from bias_lab.stats.power import name_icc
from bias_lab.stats.regression import BetaRegression
from bias_lab.stats.subset import Subset, fitted_subsets, invariant_rows

Array = np.ndarray
# Columns that are facts of the rows or of the whole fit, and stay where a single row has no answer.
_OF_THE_FIT = ("raw_difference", "phi", "log_likelihood", "icc_name", "level", "smallest_effect")


def analyse(table: pd.DataFrame, factors: Sequence[FactorLike], **options: Any) -> pd.DataFrame:
    """Regress the predictions on the identity factors, once for the names and once for the noun phrases.

    table: the long table with a `prediction` column, of one corpus or of several that share their factors.
    factors: as the corpus declares them. options: those of `BetaRegression`. The names are fitted on all
    factors, the noun phrases on the factors that any of their rows has. Returns one row per (eec, subset,
    coding, term), each coding a reading of the same fit:

    eec, subset ("names" | "noun_phrases"), formula
    coding: "treatment" (the paper's: each effect at the reference level of the other factors) or "deviation"
        (averaged over the other factors, each level against the mean of the other levels: no group is the norm).
    term: such as "race[African-American]:gender[female]"; factors, levels, references: its parts, joined by
        ":"; condition: where it holds, such as "gender: male" or "averaged over gender".
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
        the intercept: a mean score); effect_ci_low, effect_ci_high (i.i.d.), effect_ci_name_low,
        effect_ci_name_high and std_error_effect_name (CV3) by the delta method.
    p_effect_name: of the effect on that scale, t(G - 1); mde_response: the effect that a test at 1 - level
        would have found with probability `power`; p_equivalence: that the effect is smallest_effect or larger.
    raw_difference: the same contrast of plain cell means (of predictions clipped to [0, 1]).
    coefficient_fractional, p_fractional: fractional logit, CR1 by person, t(G - 1); only where scores lie at
        exactly 0 or 1.
    p_perm: studentised permutation of the term's first factor over the persons (permutation.py).
    icc_name: share of the variance within groups that lies between persons (power.py).
    n_rows, n_persons, n_clipped, n_boundary, phi (with precision by group: their geometric mean),
    log_likelihood: of the fit.
    level, smallest_effect: as chosen.
    status: ok | degenerate | invariant | rank_deficient | not_converged | saturated. But for ok, every
        estimate is missing, so that nothing can be taken for a finding; raw_difference, a plain fact, stays.
        A single row is invariant where the persons of all groups that it compares score alike.
    status_name: ok | too_few_persons | not_converged | no_fit, for the person-level columns.
    message: what a reader should know; mostly empty.

    Raises DataError naming rows with a missing or infinite prediction, a missing or undeclared level,
    person or kind; ConfigError for an option that is not allowed or does not fit the factors.
    """
    return regress(table, factors, BetaRegression(**options))


def regress(table: pd.DataFrame, factors: Sequence[FactorLike], options: BetaRegression) -> pd.DataFrame:
    """As `analyse`, with options that were checked before."""
    subsets = fitted_subsets(table, factors, interactions=options.interactions, precision=options.precision)
    return pd.concat([_analyse_subset(subset, options) for subset in subsets], ignore_index=True)


def stars(p: float) -> str:
    """The paper's marks: *** below .01, ** below .05, * below .10; nothing for larger or missing p."""
    return "***" if p < 0.01 else "**" if p < 0.05 else "*" if p < 0.10 else ""  # noqa: PLR2004


def _analyse_subset(subset: Subset, options: BetaRegression) -> pd.DataFrame:
    """The rows of one fit, in both codings."""
    name = name_level(subset.fit, subset.scores.open, subset.cell, subset.model, subset.person)
    fractional = _fractional(subset)
    codings = (treatment_coding(subset.design), deviation_coding(subset.design))
    permuted, notes = _permuted(subset, codings, options, possible=name.status == "ok")
    icc = name_icc(subset.scores.closed, subset.cell, subset.person) if subset.fit.status == "ok" else np.nan
    parts = []
    for coding, p_perm in zip(codings, permuted, strict=True):
        part = _coding_table(subset, coding, name, fractional, options)
        part["p_perm"], part["icc_name"] = p_perm, icc
        messages = [subset.fit.message, name.message, *subset.notes, *notes]
        decisions = zip(part["p_cr1"], part["p_fractional"], strict=True)
        part["message"] = [
            "; ".join(filter(None, [*messages, disagreement(*pair, options.level)])) for pair in decisions
        ]
        parts.append(_without_invariant(part, subset, coding))
    return pd.concat(parts, ignore_index=True)


def _without_invariant(part: pd.DataFrame, subset: Subset, coding: Coding) -> pd.DataFrame:
    """Rows that compare only groups whose persons all score alike get that status and no estimate."""
    rows = invariant_rows(subset, coding.coefficients(subset.design)) & (part["status"] == "ok").to_numpy()
    if rows.any():
        estimates = [name for name in part.columns if part[name].dtype == np.float64 and name not in _OF_THE_FIT]
        part.loc[rows, estimates] = np.nan
        part.loc[rows, ["status", "status_name"]] = ["invariant", "no_fit"]
        note = "the persons of the groups compared have equal mean scores"
        part.loc[rows, "message"] = [f"{text}; {note}".removeprefix("; ") for text in part.loc[rows, "message"]]
    return part


def _coding_table(
    subset: Subset, coding: Coding, name: NameLevel, fractional: FractionalFit | None, options: BetaRegression
) -> pd.DataFrame:
    design, fit, scores, rows = subset.design, subset.fit, subset.scores, coding.coefficients(subset.design)
    return pd.DataFrame(
        {
            "eec": subset.eec,
            "subset": subset.name,
            **term_columns(design, coding),
            **iid_columns(fit, rows, options.level),
            **name_columns(fit, name, rows, options.level),
            **effect_columns(
                design,
                coding,
                fit,
                name,
                level=options.level,
                power=options.power,
                smallest_effect=options.smallest_effect,
            ),
            "raw_difference": contrast_of_means(coding.contrasts, scores.closed, subset.cell),
            **fractional_columns(rows, fractional),
            "n_rows": len(subset.rows),
            "n_persons": name.n_persons,
            "n_clipped": scores.n_clipped,
            "n_boundary": scores.n_boundary,
            "phi": fit.phi,
            "log_likelihood": fit.loglik,
            "level": options.level,
            "smallest_effect": np.nan if options.smallest_effect is None else options.smallest_effect,
            "status": fit.status,
            "status_name": name.status,
        },
        index=range(len(coding.terms)),
    )


def _fractional(subset: Subset) -> FractionalFit | None:
    if subset.fit.status != "ok" or not subset.scores.n_boundary:
        return None
    return fit_fractional(subset.scores.closed, subset.cell, subset.design.matrix, subset.person)


def _permuted(
    subset: Subset, codings: Sequence[Coding], options: BetaRegression, *, possible: bool
) -> tuple[list[Array], list[str]]:
    # One center for all cells, so that a person's sums can be moved from one to another.
    n_cells = len(subset.design.cells)
    center = np.full(n_cells, np.mean(subset.scores.open))
    sums = person_sums(subset.scores.open, subset.cell, subset.person, len(subset.persons), n_cells, center=center)
    return permutation_p(
        subset.fit,
        sums,
        subset.design,
        subset.model,
        codings,
        permutations=options.permutations if possible else 0,
        seed=options.seed,
    )
