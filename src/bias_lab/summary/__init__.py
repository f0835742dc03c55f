"""From the cells of one or more sweeps to tables: collect, lay out, write, show."""

from bias_lab.summary.collect import Summary, collect

__all__ = ["Summary", "collect"]
