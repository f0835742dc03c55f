"""Weights & Biases: with `bias_lab.dashboard`, all that knows it. Texts of the task are never sent."""

from bias_lab.tracking.connection import choose_mode
from bias_lab.tracking.names import bias_metrics, group_of
from bias_lab.tracking.summary_run import track_summary
from bias_lab.tracking.tracker import NoTracker, Tracker
from bias_lab.tracking.wandb_tracker import WandbTracker

__all__ = ["NoTracker", "Tracker", "WandbTracker", "bias_metrics", "choose_mode", "group_of", "track_summary"]
