"""Forward passes side by side on a CPU, each on a core of its own."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

# Beyond this many passes at a time Python, which starts each operation under one lock, would hold them up.
MOST_AT_ONCE = 32


@contextmanager
def parallel_map(device_type: str) -> Iterator[Any]:
    """A `map` that works on several items at once where the device is a CPU with several cores, torch's threads.

    A core that computes a whole batch never waits for another, which those that share each operation do. And a batch's
    sums do not depend on the number of cores. torch's own number of threads is as before after the block.
    """
    import torch

    cores = torch.get_num_threads()
    if device_type != "cpu" or cores == 1:
        yield map
        return
    workers = min(cores, MOST_AT_ONCE)
    pool = ThreadPoolExecutor(workers, "encode", initializer=torch.set_num_threads, initargs=(cores // workers,))
    try:
        with pool:
            yield pool.map
    finally:
        torch.set_num_threads(cores)  # the pool's threads have set it for threads to come, too
