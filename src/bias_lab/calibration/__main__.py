"""`python -m bias_lab.calibration`: how often does each test find bias where there is none, on your own predictions?

The labels of each factor are dealt anew over the persons (names and noun phrases apart), within the levels of the other
factors, so that there is nothing to find; then every test is asked again. A sound test at the 5 % level rejects 5 %.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from bias_lab.command import exit_code


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study; return 0 where it was done, 1 where it could not be."""
    arguments = _parser().parse_args(argv)
    return exit_code(lambda: _study(arguments))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bias_lab.calibration",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )

    def whole(flag: str, default: int, what: str) -> None:
        parser.add_argument(flag, metavar="N", type=int, default=default, help=f"{what} (default: %(default)s)")

    parser.add_argument("runs", metavar="RUN", nargs="+", type=Path, help="a run's folder, an audit's, or a sweep's")
    whole("--shuffles", 1000, "of every table and factor")
    whole("--seed", 0, "of the shuffles")
    whole("--permutations", 200, "for each permutation p; 0 leaves it out")
    whole("--jobs", os.cpu_count() or 1, "processes to use")
    parser.add_argument("--alpha", type=float, default=0.05, help="level of the tests (default: %(default)s)")
    parser.add_argument("--out", metavar="DIR", type=Path, help="write rates.csv, pooled.csv and calibration.json here")
    return parser


def _study(arguments: argparse.Namespace) -> None:
    from rich.console import Console
    from rich.progress import track

    from bias_lab.calibration.show import show, write
    from bias_lab.calibration.study import Settings, finished_runs, study

    settings = Settings(
        shuffles=arguments.shuffles,
        seed=arguments.seed,
        permutations=arguments.permutations,
        alpha=arguments.alpha,
    )
    runs, left_out = finished_runs(arguments.runs)
    for reason in left_out:
        print(f"left out: {reason}", file=sys.stderr)
    console = Console(stderr=True)
    tables = track(
        study(runs, settings, jobs=arguments.jobs),
        description="shuffling",
        total=sum(len(run.corpora) for run in runs),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    found = [one for table in tables for one in table]
    show(found, settings, n_runs=len(runs))
    if arguments.out:
        write(found, settings, runs, left_out, arguments.out.expanduser())
        print(f"every table and term: {arguments.out}")


if __name__ == "__main__":
    sys.exit(main())
