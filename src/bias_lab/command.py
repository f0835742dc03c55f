"""The frame of the commands beside the main one: a mistake of the user's is told in a line, not in a traceback."""

import os
import sys
from collections.abc import Callable

from bias_lab import garbage
from bias_lab.errors import BiasLabError

FINE, ERROR = 0, 1


def exit_code(work: Callable[[], int | None], *, error: int = ERROR) -> int:
    """Do a command's work: its exit code, 0 where it returns none; `error` where it raised a `BiasLabError`."""
    garbage.collect_rarely()
    try:
        return work() or FINE
    except BiasLabError as mistake:
        print(f"error: {mistake}", file=sys.stderr)
        return error
    except BrokenPipeError:
        discard_output()
        return FINE


def discard_output() -> None:
    """Let standard output go nowhere from now on: the reader, such as `head`, has seen enough."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
