"""Times of contenders that take turns, and the ratios that a busy machine does not spoil."""

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

Seconds = dict[str, list[float]]


@dataclass(frozen=True)
class Figure:
    """One row of the result: `ratio` is the median over rounds, from `low` to `high`.

    `ratio` says how `ours` stands to `against` (both are short texts with units, such as "MiniLM 1.2 s"). `at_least` or
    `at_most` is what it has to reach, where there is such a thing.
    """

    case: str
    ours: str
    against: str
    ratio: float
    low: float
    high: float
    at_least: float | None = None
    at_most: float | None = None

    @property
    def target(self) -> str:
        """What the ratio has to reach, in words; empty where nothing was set."""
        if self.at_least is not None:
            return f"at least {self.at_least:g}"
        return "" if self.at_most is None else f"at most {self.at_most:g}"

    @property
    def reached(self) -> bool | None:
        """Whether it does; `None` where nothing was set."""
        if self.at_least is not None:
            return self.ratio >= self.at_least
        return None if self.at_most is None else self.ratio <= self.at_most


def take_turns(contenders: Mapping[str, Callable[[], object]], *, rounds: int, warm_up: bool = True) -> Seconds:
    """Seconds of each contender in each of `rounds` rounds; every round runs each once, so that all meet one noise.

    The order turns round from one round to the next. `warm_up` runs each once before, untimed.
    """
    if warm_up:
        for action in contenders.values():
            action()
    seconds: Seconds = {name: [] for name in contenders}
    for number in range(rounds):
        names = list(contenders) if number % 2 == 0 else list(contenders)[::-1]
        for name in names:
            seconds[name].append(seconds_of(contenders[name]))
    return seconds


def seconds_of(action: Callable[[], object]) -> float:
    """Wall time of one call."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def ratios(over: Sequence[float], under: Sequence[float]) -> tuple[float, float, float]:
    """Median, lowest and highest of over / under by round: what `Figure` takes as `ratio`, `low`, `high`."""
    by_round = [a / b for a, b in zip(over, under, strict=True)]
    return statistics.median(by_round), min(by_round), max(by_round)


def told(seconds: Sequence[float]) -> str:
    """The median in a unit that fits: "12 ms", "1.23 s", "4 min 5 s"."""
    median = statistics.median(seconds)
    if median < 1:
        return f"{median * 1e3:.3g} ms"
    return f"{median:.3g} s" if median < 120 else f"{median // 60:.0f} min {median % 60:.0f} s"  # noqa: PLR2004
