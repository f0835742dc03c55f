"""Where the files that ship with the package lie."""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


def conf_dir() -> Path:
    """Return the shipped conf/ folder.

    An installed wheel carries it inside the package; a checkout has it at the root of the repository.
    """
    inside = PACKAGE / "conf"
    return inside if inside.exists() else PACKAGE.parents[1] / "conf"
