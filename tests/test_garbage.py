"""The garbage collector's settings, in a process of its own."""

import subprocess
import sys

PROGRAM = """
import gc, weakref
from bias_lab import garbage

class Node:
    pass

def cycle():
    node = Node()
    node.itself = node
    return weakref.ref(node)

garbage.collect_rarely()
first, kept = cycle(), Node()
kept.itself = kept
garbage.collect_after_job()
second = cycle()
frozen = gc.get_freeze_count()
garbage.collect_after_job()
print(gc.get_threshold()[0], first() is None, second() is None, frozen > 0, kept.itself is kept)
"""


def test_a_jobs_cycles_are_freed_after_it_and_what_stays_is_exempt_from_then_on():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["100000", "True", "True", "True", "True"]
