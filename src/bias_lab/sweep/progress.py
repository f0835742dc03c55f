"""Progress over a sweep's cells, read from their manifests, so that it is the same wherever the jobs run."""

import json
import sys
import threading
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from bias_lab.manifest import FAILED
from bias_lab.run_files import METRICS
from bias_lab.sweep.cells import ENDED, read_content
from bias_lab.sweep.plan import PlannedCell
from bias_lab.terminal import number

MOST_NAMED = 3  # running cells that the bar names
MINUTE, HOUR = 60.0, 3600.0


class Watch:
    """Within a `with` block, tells each cell's end in a line, and on a terminal shows a bar with the time left.

    `busy`: cells at work already; of the others only what starts from now on is told.
    """

    def __init__(
        self, cells: Sequence[PlannedCell], *, busy: Sequence[PlannedCell] = (), stream: TextIO | None = None
    ) -> None:
        self._all, self._busy = cells, {cell.folder for cell in busy}
        self._open = {cell.folder: cell for cell in cells if cell.reason is not None and cell.problem is None}
        self._total = len(self._open)
        # The stream itself: while a job runs in this process, sys.stderr is the job's.
        self._console = Console(file=stream or sys.stderr)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="progress", daemon=True)
        self._began = time.monotonic()
        self._seconds: dict[str, list[float]] = {}
        self._worked = 0.0  # seconds of the cells that ended while watching
        self._in_flight = 0.0  # seconds that the running cells have run so far
        self._ended = self._failed = 0

    def __enter__(self) -> "Watch":
        for cell in self._all:
            if cell.folder not in self._open:
                self._learn(cell, read_content(cell.folder))
        earlier = self._open.keys() - self._busy
        self._stale = {folder: read_content(folder).get("started") for folder in earlier}
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def say(self, text: str) -> None:
        """Print a line above the bar."""
        self._console.print(escape(text), highlight=False, soft_wrap=True)

    def _watch(self) -> None:
        columns = (BarColumn(20), MofNCompleteColumn(), TextColumn("cells"), TextColumn("{task.description}"))
        bar = Progress(*columns, console=self._console, disable=not self._console.is_terminal,
                       redirect_stdout=False, redirect_stderr=False)  # fmt: skip
        with bar:
            task = bar.add_task("", total=self._total)
            last = False
            while True:
                running = self._look()
                bar.update(task, completed=self._ended, description=self._described(running))
                if last:
                    return
                # Thousands of manifests on a network's disk are not read every second.
                last = self._stop.wait(max(0.5, 0.002 * len(self._open)))

    def _look(self) -> list[PlannedCell]:
        """Tell the cells that ended since the last look; returns those that run."""
        seen = {folder: read_content(folder) for folder in self._open}
        seen = {
            folder: told for folder, told in seen.items() if told and told.get("started") != self._stale.get(folder)
        }
        running = [folder for folder, content in seen.items() if content.get("status") not in ENDED]
        now = datetime.now(UTC).isoformat()
        self._in_flight = sum(duration({**seen[folder], "ended": now}) for folder in running)
        for folder, content in sorted(seen.items(), key=lambda entry: str(entry[1].get("ended"))):
            if folder not in running:
                cell = self._open.pop(folder)
                self._ended += 1
                self._failed += content["status"] == FAILED
                self._worked += self._learn(cell, content)
                self.say(self._line(cell, content))
        return [self._open[folder] for folder in running]

    def _learn(self, cell: PlannedCell, content: dict[str, Any]) -> float:
        """Note how long a finished cell took, for the estimate; returns the seconds."""
        seconds = duration(content)
        if content.get("status") not in (None, FAILED):
            self._seconds.setdefault(cell.model, []).append(seconds)
        return seconds

    def _line(self, cell: PlannedCell, content: dict[str, Any]) -> str:
        start = f"{datetime.now():%H:%M:%S} {self._ended}/{self._total} {cell.label} {content['status']}"
        left = f"; {self._left()}" if self._open else ""
        if content["status"] == FAILED:
            differs = f"  {' '.join(cell.line)}\n" if cell.label != " ".join(cell.line) else ""
            return f"{start}{left}\n{differs}  {content.get('error')}"
        took = f"in {spoken(duration(content))}, test Pearson {number(_test_pearson(cell.folder))}"
        return f"{start} {took}{left}"

    def _left(self) -> str:
        """Time left: what the cells of each model took so far, over as many cells as ran at a time."""
        known = [seconds for found in self._seconds.values() for seconds in found]
        if not known or not self._ended:
            return "time left unknown"
        mean = sum(known) / len(known)
        models = {model: sum(found) / len(found) for model, found in self._seconds.items()}
        work = sum(models.get(cell.model, mean) for cell in self._open.values())
        at_a_time = (self._worked + self._in_flight) / max(time.monotonic() - self._began, 0.001)
        return f"about {spoken(max(work - self._in_flight, 0.1 * work) / max(at_a_time, 0.1))} left"

    def _described(self, running: list[PlannedCell]) -> str:
        parts = [f"[red]{self._failed} failed[/red]"] if self._failed else []
        if self._open:
            parts.append(self._left())
        if running:
            more = len(running) - MOST_NAMED
            names = ", ".join(escape(cell.label) for cell in running[:MOST_NAMED])
            parts.append(f"running: {names}{f' and {more} more' if more > 0 else ''}")
        return " · ".join(parts)


def duration(content: dict[str, Any]) -> float:
    """Seconds from a manifest's start to its end, 0 where it does not tell."""
    try:
        return (datetime.fromisoformat(content["ended"]) - datetime.fromisoformat(content["started"])).total_seconds()
    except (KeyError, TypeError, ValueError):
        return 0.0


def spoken(seconds: float) -> str:
    """A time span as people say it: `8 s`, `12 min`, `3 h 20 min`."""
    if seconds < MINUTE:
        return f"{seconds:.0f} s"
    if seconds < HOUR:
        return f"{seconds / MINUTE:.0f} min"
    return f"{seconds // HOUR:.0f} h {seconds % HOUR / MINUTE:.0f} min"


def _test_pearson(folder: Path) -> float | None:
    try:
        return json.loads((folder / METRICS).read_text(encoding="utf-8"))["test"]["pearson"]
    except (OSError, ValueError, KeyError):
        return None
