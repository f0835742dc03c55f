"""A benchmark in a process of its own.

What one leaves in memory would count for the next: a program that a large process starts is said to have been as large.
"""

import argparse
import importlib
import multiprocessing
from concurrent.futures import ProcessPoolExecutor

from benchmarks.timing import Figure


def measured_apart(name: str, options: argparse.Namespace) -> list[Figure]:
    """The figures of the benchmark of this name."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as process:
        return process.submit(measured, name, options).result()


def measured(name: str, options: argparse.Namespace) -> list[Figure]:
    """The same, in this process."""
    figures: list[Figure] = importlib.import_module(f"benchmarks.{name}").measure(options)
    return figures
