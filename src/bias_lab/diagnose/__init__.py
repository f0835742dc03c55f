"""Does the model of a run's scores fit, and who drives its effects: tables and figures to look at."""

from bias_lab.diagnose.tables import Diagnostics, diagnose

__all__ = ["Diagnostics", "diagnose"]
