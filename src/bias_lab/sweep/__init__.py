"""Sweeps: which cells to run, where, how they are watched, and how each ended."""

from bias_lab.sweep.cells import Cell, read_cells, show_cells

__all__ = ["Cell", "read_cells", "show_cells"]
