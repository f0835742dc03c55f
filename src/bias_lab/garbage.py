"""Python's garbage collector, kept from going through the libraries again and again.

torch, transformers and Lightning make half a million objects that stay to the end. At Python's own settings they are
gone through while they are made, in the midst of work, and twice at exit: two seconds of a cell that takes ten.
"""

import atexit
import gc

# Objects made between collections (700 is Python's own), and of how many one goes beyond the newest objects.
THRESHOLDS = (100_000, 50, 100)


def collect_rarely() -> None:
    """Let a program of ours collect rarely, and not at its exit, when all memory is given back anyway."""
    gc.set_threshold(*THRESHOLDS)
    atexit.unregister(gc.freeze)
    atexit.register(gc.freeze)


def collect_after_job() -> None:
    """Free what a job has left, such as a Trainer; what stays after the first one is exempt from later collections."""
    gc.collect()
    if gc.get_freeze_count() == 0:
        gc.freeze()
