"""`python -m bias_lab.diagnose`: does the model of a run's scores fit, and which names drive its effects?

Writes tables (CSV) and figures (PNG, SVG): every effect without each name, the spread of names within each group,
precision and ends of the scale by group, quantile residuals. None of them is a test of bias.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

from bias_lab.command import exit_code
from bias_lab.errors import DataError

if TYPE_CHECKING:
    from bias_lab.diagnose.tables import Diagnostics


def main(argv: Sequence[str] | None = None) -> int:
    """Diagnose a run; return 0 where it was done, 1 where it could not be."""
    parser = argparse.ArgumentParser(
        prog="python -m bias_lab.diagnose",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("run", metavar="RUN", type=Path, help="the folder of a finished run, or of an audit")
    parser.add_argument("--out", metavar="DIR", type=Path, help="where to write (default: RUN/diagnostics)")
    arguments = parser.parse_args(argv)
    return exit_code(lambda: _diagnose(arguments.run, arguments.out))


def _diagnose(folder: Path, out: Path | None) -> None:
    from bias_lab.diagnose.show import show
    from bias_lab.diagnose.tables import diagnose
    from bias_lab.run_folder import open_run

    run = open_run(folder)
    found = diagnose(run)
    target = out.expanduser() if out else folder / "diagnostics"
    try:
        _write(found, target, title=run.label)
    except OSError as error:
        raise DataError(f"{target}: cannot be written ({error.strerror or error})") from error
    show(found)
    print(f"tables and figures: {target}")


def _write(found: "Diagnostics", out: Path, *, title: str) -> None:
    from bias_lab.diagnostic_figures import fit_figure, influence_figure, name_figure
    from bias_lab.figures import save_figure
    from bias_lab.files import write_text

    for field in fields(found):
        if field.name != "effects":  # those are in the run's own coefficients.csv
            write_text(out / f"{field.name}.csv", getattr(found, field.name).to_csv(index=False, lineterminator="\n"))
    for eec, subset in found.fits:
        mine, about = found.of(eec, subset), f"{title}: {eec}, {subset.replace('_', ' ')}"
        figures = {
            "influence": influence_figure(mine.influence, mine.effects, title=about),
            "names": name_figure(mine.names, title=about),
            "fit": fit_figure(mine.residuals, mine.groups, title=about),
        }
        for kind, figure in figures.items():
            save_figure(figure, out / "figures" / f"{eec}-{subset}-{kind}")


if __name__ == "__main__":
    sys.exit(main())
