"""Failures of callbacks, which Hydra only warns about: noted, so that what they were called for does not succeed."""

import warnings
from typing import Any

_noted: list[str] = []  # failures of other callbacks, in Hydra's words
_show_warning = warnings.showwarning


def note_failures() -> None:
    """From now on note Hydra's warnings that a callback raised: what it was called for did not succeed."""
    global _show_warning  # noqa: PLW0603  as often as something else took the hook
    warnings.filterwarnings("always", message=r"Callback \S+ raised", category=UserWarning)
    if warnings.showwarning is not _note:
        _show_warning = warnings.showwarning
        warnings.showwarning = _note


def noted_failure() -> Exception | None:
    """The failures noted since the last call, as one error."""
    failures, _noted[:] = list(_noted), []
    return RuntimeError("; ".join(failures)) if failures else None


def _note(message: Warning | str, category: type[Warning], *arguments: Any, **options: Any) -> None:
    if str(message).startswith("Callback "):
        _noted.append(str(message))
    else:
        _show_warning(message, category, *arguments, **options)
