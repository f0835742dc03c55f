"""One self-contained page that shows the results of many runs."""

from bias_lab.report.page import write_report

__all__ = ["write_report"]
