"""Fixtures shared by the tests."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared() -> Path:
    """The developers' folder of real data and reference values; tests that need it skip where it is missing."""
    folder = Path(os.environ.get("BIAS_LAB_SHARED", Path(__file__).resolve().parents[2] / "shared"))
    if not (folder / "reference" / "beta_mle.json").is_file():
        pytest.skip(f"the shared data folder is not at {folder} (set BIAS_LAB_SHARED)")
    return folder
