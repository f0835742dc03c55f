"""How often each test claims a finding where there is none: names shuffled over the groups of real predictions."""

from typing import TYPE_CHECKING

from bias_lab.lazy import offered

if TYPE_CHECKING:
    from bias_lab.calibration.experiment import METHODS, Rejections, shuffled_names
    from bias_lab.calibration.rates import pooled_rates, table_rates

__all__ = ["METHODS", "Rejections", "pooled_rates", "shuffled_names", "table_rates"]
__getattr__ = offered(
    __name__, experiment=["METHODS", "Rejections", "shuffled_names"], rates=["pooled_rates", "table_rates"]
)
