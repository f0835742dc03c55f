"""Which command has which folder of a sweep's, so that commands in one folder leave each other's cells alone.

A command plans under a lock on the sweep's folder, and writes down what it planned each folder for. What it wrote
counts for as long as it lives, which another lock tells: the kernel frees it however the command ends.
"""

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from uuid import uuid4

from filelock import FileLock, Timeout

from bias_lab.errors import DataError
from bias_lab.files import write_json
from bias_lab.sweep.cells import ENDED, LOCKS, read_content
from bias_lab.sweep.plan import PlannedCell
from bias_lab.sweep.worker import is_held, is_locked

CLAIMS = "claims.json"


@dataclass(frozen=True)
class Claim:
    """A folder, by its name in the sweep's, and what a command planned it for.

    identity: of the cell's configuration; `None` where that is not valid. line: the cell's overrides.
    """

    name: str
    command: str
    identity: str | None
    line: tuple[str, ...]


class Claims:
    """What the commands at work in a sweep's folder have claimed; `command` is this one's name among them."""

    def __init__(self, sweep: Path) -> None:
        self.command = f"command-{uuid4().hex[:12]}"
        self._sweep = sweep
        self._folder = sweep / LOCKS
        self._alive = FileLock(self._lock_of(self.command))

    def open(self) -> None:
        """From now on this command counts as alive. Raises DataError where the sweep's folder cannot be written to."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._alive.acquire()
        except OSError as error:
            raise DataError(f"{self._sweep} cannot be written to: {error}") from error

    def close(self) -> None:
        """Give up what this command claimed; may be called twice."""
        self._alive.release()
        self._lock_of(self.command).unlink(missing_ok=True)

    @contextmanager
    def planning(self) -> Iterator[None]:
        """Within the block no other command plans in the sweep's folder."""
        lock = FileLock(self._folder / "plan.lock")
        try:
            lock.acquire(timeout=0)
        except Timeout:
            print(f"another command plans in {self._sweep}: waiting for it", file=sys.stderr)
            lock.acquire()
        try:
            yield
        finally:
            lock.release()

    def living(self) -> dict[str, Claim]:
        """By folder name: the claims of commands that live, and of ended ones those that a process still works on."""
        return {claim.name: claim for claim in self._living()}

    def commands(self) -> set[str]:
        """The commands that live."""
        return {claim.command for claim in self._living() if is_held(self._lock_of(claim.command))}

    def take(self, cells: Iterable[PlannedCell]) -> None:
        """Claim the folders of planned cells; only while planning."""
        mine = [
            Claim(cell.name, self.command, cell.settings.identity if cell.settings else None, cell.line)
            for cell in cells
        ]
        write_json(self._folder / CLAIMS, [asdict(claim) for claim in (*self._living(), *mine)])
        for lock in self._folder.glob(self._lock_of("command-*").name):
            if not is_held(lock):  # of a command that was killed
                lock.unlink(missing_ok=True)

    def at_work(self, names: Iterable[str]) -> list[str]:
        """Those folders that other commands have not done with."""
        waiting = {claim.name for claim in self._living() if claim.command != self.command}
        return [name for name in names if is_at_work(self._sweep / name, claimed=name in waiting)]

    def _living(self) -> list[Claim]:
        claims = self._read()
        alive = {command: is_held(self._lock_of(command)) for command in {claim.command for claim in claims}}
        return [claim for claim in claims if alive[claim.command] or is_locked(self._sweep / claim.name)]

    def _read(self) -> list[Claim]:
        path = self._folder / CLAIMS
        try:
            told = json.loads(path.read_text(encoding="utf-8"))
            return [Claim(**{**entry, "line": tuple(entry["line"])}) for entry in told]
        except FileNotFoundError:
            return []
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise DataError(
                f"{path} cannot be read ({error}); delete it when no command is at work in {self._sweep}"
            ) from error

    def _lock_of(self, command: str) -> Path:
        return self._folder / f"{command}.lock"


def is_at_work(folder: Path, *, claimed: bool) -> bool:
    """Whether another command has not done with a cell: a process works on it, or it is claimed and has not ended."""
    return is_locked(folder) or (claimed and read_content(folder).get("status") not in ENDED)
