"""Sweeps: which cells to run, where, how they are watched, and how each ended."""
