"""manifest.json: what a run folder holds, where it came from, and how the run ended."""

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

import bias_lab
from bias_lab.files import write_json

MANIFEST = "manifest.json"
RUNNING, PREDICTED, FINISHED, FAILED = "running", "predicted", "finished", "failed"
PACKAGES = (
    "torch", "pytorch-lightning", "transformers", "tokenizers", "hydra-core", "omegaconf", "scikit-learn",
    "fasttext-community", "statsmodels", "wandb", "pandas", "numpy", "scipy",
)  # fmt: skip


class Manifest:
    """The growing manifest of one run folder; every `save` replaces the file in one step."""

    def __init__(self, folder: Path, content: dict[str, Any]) -> None:
        self.folder = folder
        self.content = content

    @classmethod
    def start(cls, folder: Path, *, overrides: list[str], provenance: bool = True) -> "Manifest":
        """Begin a run: status `running` until the run itself says otherwise, so that a killed one is known.

        provenance: whether `add_provenance` is called, which takes longer than finding a mistake in a configuration.
        """
        manifest = cls(
            folder,
            {
                "status": RUNNING,
                "overrides": overrides,
                "started": _now(),
                "command": sys.argv,
                "host": platform.node(),
                "pid": os.getpid(),
                "timings": {},
            },
        )
        if provenance:
            manifest.add_provenance()
        else:
            manifest.save()
        return manifest

    @classmethod
    def read(cls, folder: Path) -> "Manifest":
        """The manifest of an existing run folder."""
        return cls(folder, json.loads((folder / MANIFEST).read_text(encoding="utf-8")))

    def add_provenance(self) -> None:
        """Add the versions and the git revision, which are those of this process's first run, and save."""
        found, revision = _provenance()
        self.update(versions=dict(found), git_revision=revision)

    def update(self, **entries: Any) -> None:
        """Set entries (plain types) and save."""
        self.content.update(entries)
        self.save()

    def end(self, status: str, error: str | None = None) -> None:
        """Set the final status and the reason of a failure, and save."""
        self.update(status=status, error=error, ended=_now())

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Add the wall-clock seconds of a block to `timings`."""
        start = time.perf_counter()
        yield
        self.content["timings"][stage] = round(time.perf_counter() - start, 3)

    def save(self) -> None:
        """Write the file."""
        write_json(self.folder / MANIFEST, self.content)


@lru_cache(maxsize=1)
def _provenance() -> tuple[dict[str, str], str | None]:
    return versions(), git_revision()


def versions() -> dict[str, str]:
    """Versions of Python, bias_lab and the packages that can change a number."""
    import importlib.metadata

    found = {
        "python": platform.python_version(),
        "bias_lab": bias_lab.__version__,
        "platform": platform.platform(),
    }
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = "not installed"
    return found


def git_revision() -> str | None:
    """Commit of the checkout the code runs from, with `+changes` where files differ from it; `None` elsewhere."""
    here = Path(__file__).resolve().parent
    commit = _git(here, "rev-parse", "HEAD")
    if commit is None or _git(here, "ls-files", "--error-unmatch", Path(__file__).name) is None:
        return None  # an installed package inside somebody else's repository
    return commit + ("+changes" if _git(here, "status", "--porcelain", "--untracked-files=no") else "")


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=True, timeout=10)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
