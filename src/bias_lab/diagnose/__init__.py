"""Does the model of a run's scores fit, and who drives its effects: tables and figures to look at."""

from typing import TYPE_CHECKING

from bias_lab.lazy import offered

if TYPE_CHECKING:
    from bias_lab.diagnose.tables import Diagnostics, diagnose

__all__ = ["Diagnostics", "diagnose"]
__getattr__ = offered(__name__, tables=["Diagnostics", "diagnose"])
