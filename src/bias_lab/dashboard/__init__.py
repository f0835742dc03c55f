"""Saved W&B workspaces and reports that compare runs, from the names that `bias_lab.tracking` gives to what it logs."""
