"""The diagnostics of everything a run has scored, as tables."""

from dataclasses import dataclass, fields, replace

import pandas as pd

from bias_lab.errors import DataError
from bias_lab.run_folder import RunFolder
from bias_lab.stats import boundary_counts, leave_one_name_out, name_spread, precision_by_group, quantile_residuals


@dataclass(frozen=True, eq=False)
class Diagnostics:
    """All corpora of a run, one below the other; `bias_lab.stats` says what each column means.

    Attributes:
        influence: every term without each name (`leave_one_name_out`).
        names: each name's mean score beside its group (`name_spread`).
        groups: scores and precision of each group, and scores at and beyond the ends of the scale
            (`precision_by_group`, `boundary_counts`).
        residuals: one row a sentence (`quantile_residuals`).
        effects: the analysis that is diagnosed (`analyse`, without permutations).
    """

    influence: pd.DataFrame
    names: pd.DataFrame
    groups: pd.DataFrame
    residuals: pd.DataFrame
    effects: pd.DataFrame

    def of(self, eec: str, subset: str) -> "Diagnostics":
        """The rows of one fit."""
        parts = {field.name: getattr(self, field.name) for field in fields(self)}
        mine = {name: part[(part["eec"] == eec) & (part["subset"] == subset)] for name, part in parts.items()}
        return Diagnostics(**{name: part.reset_index(drop=True) for name, part in mine.items()})

    @property
    def fits(self) -> list[tuple[str, str]]:
        """(eec, subset) of each fit."""
        return [(str(eec), str(subset)) for eec, subset in self.effects.groupby(["eec", "subset"], sort=False).groups]


def diagnose(run: RunFolder) -> Diagnostics:
    """Diagnose a finished run's analysis; raises DataError where it scored no corpus."""
    if not run.corpora:
        raise DataError(f"{run.folder}: it scored no corpus, so there is nothing to diagnose")
    regression = replace(run.regression(), permutations=0)
    options = {"interactions": regression.interactions, "precision": regression.precision}
    parts = []
    for eec in run.corpora:
        table, factors = run.table(eec), run.factors(eec)
        groups = precision_by_group(table, factors, **options)
        ends = boundary_counts(table, factors, **options)[["below_0", "at_0", "at_1", "above_1"]]
        parts.append(
            Diagnostics(
                influence=leave_one_name_out(table, factors, level=regression.level, **options),
                names=name_spread(table, factors, **options),
                groups=pd.concat([groups, ends], axis=1),  # both have one row a group, in the same order
                residuals=quantile_residuals(table, factors, **options),
                effects=regression(table, factors),
            )
        )
    stacked = {
        field.name: pd.concat([getattr(part, field.name) for part in parts], ignore_index=True)
        for field in fields(Diagnostics)
    }
    return Diagnostics(**stacked)
