"""The default analysis as the configuration names it: its options, checked before anything slow is imported."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from bias_lab.stats.formula import ALL, Interactions, check_interactions
from bias_lab.stats.options import check_count, check_precision, check_share, check_smallest_effect

if TYPE_CHECKING:
    import pandas as pd

    from bias_lab.stats.design import FactorLike


@dataclass(frozen=True, kw_only=True)
class BetaRegression:
    """The default analysis, as a configurable callable: (long table, factors) -> table of coefficients.

    level: coverage of the intervals, between 0 and 1; tests are at 1 - level.
    permutations: deals of the names for p_perm; 0 for none. seed: of these deals.
    smallest_effect: difference of mean scores, in (0, 1), that `p_equivalence` asks an effect to be smaller
        than; None for no such test.
    power: with which the minimum detectable effect would be found, between 0 and 1.
    interactions: "all", an order (1: main effects only), or a formula such as "race * gender + age".
    precision: "constant", or "by_group" for one precision a group (cell).
    Raises ConfigError for a value that is not allowed.
    """

    level: float = 0.95
    permutations: int = 2000
    seed: int = 0
    smallest_effect: float | None = None
    power: float = 0.8
    interactions: Interactions = ALL
    precision: Literal["constant", "by_group"] = "constant"

    def __post_init__(self) -> None:
        check_share("level", self.level, 0.95)
        check_share("power", self.power, 0.8)
        check_smallest_effect(self.smallest_effect)
        check_count("permutations", self.permutations, "a whole number (such as 2000) is needed, 0 for none")
        check_count("seed", self.seed, "a whole number from 0 is needed")
        check_interactions(self.interactions)
        check_precision(self.precision)

    def __call__(self, table: "pd.DataFrame", factors: "Sequence[FactorLike]") -> "pd.DataFrame":
        """See `analyse`."""
        from bias_lab.stats.analysis import regress

        return regress(table, factors, self)
