"""Frozen encoders: locate a checkpoint, turn texts into vectors, keep the vectors on disk."""
