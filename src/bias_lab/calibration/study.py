"""The experiment on everything that a number of finished runs have scored."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from bias_lab.calibration.experiment import PERMUTATIONS, Rejections, shuffled_names
from bias_lab.errors import ConfigError, DataError
from bias_lab.run_folder import RunFolder, open_run


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How the experiment is made: shuffles a table and factor, their seed, deals for each permutation p, test level.

    Raises ConfigError for a value that is not allowed.
    """

    shuffles: int = 1000
    seed: int = 0
    permutations: int = PERMUTATIONS
    alpha: float = 0.05

    def __post_init__(self) -> None:
        for name, least in (("shuffles", 1), ("seed", 0), ("permutations", 0)):
            if (value := getattr(self, name)) < least:
                raise ConfigError(f"--{name} {value}: give a whole number from {least}")
        if not 0 < self.alpha < 1:
            raise ConfigError(f"--alpha {self.alpha:g}: give a number between 0 and 1, such as 0.05")


def finished_runs(folders: Sequence[Path]) -> tuple[list[RunFolder], list[str]]:
    """The finished runs in (or at) the folders, and why others are left out.

    Raises DataError for a folder that is not there or holds no run, and where no run has scored a corpus.
    """
    from bias_lab.summary.cells import find_cells

    runs, left_out = [], []
    for folder in find_cells(folders):
        try:
            run = open_run(folder)
        except DataError as error:
            left_out.append(str(error))
            continue
        if run.corpora:
            runs.append(run)
        else:
            left_out.append(f"{folder}: it scored no corpus")
    if not runs:
        raise DataError("no finished run has scored a corpus: " + "; ".join(left_out))
    return runs, left_out


def study(runs: Sequence[RunFolder], settings: Settings, *, jobs: int = 1) -> Iterator[list[tuple[str, Rejections]]]:
    """Every corpus of every run, one after the other: (label of the run, experiment) for each subset and factor.

    The result does not depend on jobs, the number of processes.
    """
    tasks = [(run, eec, settings) for run in runs for eec in run.corpora]
    if jobs < 2 or len(tasks) < 2:  # noqa: PLR2004
        yield from map(_one_table, tasks)
        return
    # Not forked: numpy's threads may have been started, which a fork would break.
    with ProcessPoolExecutor(max_workers=min(jobs, len(tasks)), mp_context=get_context("spawn")) as pool:
        yield from pool.map(_one_table, tasks)


def _one_table(task: tuple[RunFolder, str, Settings]) -> list[tuple[str, Rejections]]:
    run, eec, settings = task
    found = shuffled_names(
        run.table(eec),
        run.factors(eec),
        shuffles=settings.shuffles,
        seed=settings.seed,
        stream=f"{run.label} {run.manifest.get('identity')}",
        permutations=settings.permutations,
        regression=run.regression(),
    )
    return [(run.label, one) for one in found]
