"""The study's result on the screen and in files."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd
from rich.markup import escape
from rich.table import Table

import bias_lab
from bias_lab.calibration.experiment import METHODS, Rejections
from bias_lab.calibration.rates import ALL_TERMS, pooled_rates, table_rates
from bias_lab.calibration.study import Settings
from bias_lab.errors import DataError
from bias_lab.files import write_json, write_text
from bias_lab.run_folder import RunFolder
from bias_lab.terminal import print_tables

_TITLES = {"p_iid": "p_iid (paper)", "p_cr1": "p_cr1", "p_name": "p_name (headline)", "p_perm": "p_perm"}
Found = Sequence[tuple[str, Rejections]]


def show(found: Found, settings: Settings, *, n_runs: int) -> None:
    """Print the pooled rates and what could not be shuffled."""
    shuffled = [one for _, one in found if one.status == "ok"]
    if shuffled:
        print_tables(_table(pooled_rates(found, alpha=settings.alpha), settings, n_runs=n_runs))
    for line in _untold(found):
        print(line)


def write(found: Found, settings: Settings, runs: Sequence[RunFolder], left_out: Sequence[str], out: Path) -> None:
    """Write rates.csv (every table, term, coding), pooled.csv and calibration.json; DataError where that fails."""
    tables, pooled = table_rates(found, alpha=settings.alpha), pooled_rates(found, alpha=settings.alpha)
    content = {
        "bias_lab": bias_lab.__version__,
        **asdict(settings),
        "runs": [_who(run) for run in runs],
        "left_out": list(left_out),
        "not_shuffled": _untold(found),
        "pooled": _records(pooled),
        "rates": _records(tables),
    }
    try:
        for name, table in (("rates", tables), ("pooled", pooled)):
            write_text(out / f"{name}.csv", table.to_csv(index=False, lineterminator="\n"))
        write_json(out / "calibration.json", content)
    except OSError as error:
        raise DataError(f"--out {out}: cannot be written ({error.strerror or error})") from error


def _table(pooled: pd.DataFrame, settings: Settings, *, n_runs: int) -> Table:
    level = f"{100 * settings.alpha:g} %"
    table = Table(
        title=f"Names shuffled, nothing to find: a sound test at {level} rejects {level}\n"
        f"{settings.shuffles:,} shuffles of each table and factor; {n_runs} {'run' if n_runs == 1 else 'runs'}",
        caption="share of tests with p below the level [95 % interval]; terms in treatment coding, the paper's",
        title_justify="left",
        caption_justify="left",
    )
    table.add_column("shuffled")
    table.add_column("terms")
    table.add_column("tables", justify="right")
    methods = [method for method in METHODS if method != "p_perm" or settings.permutations]
    for method in methods:
        table.add_column(_TITLES[method], justify="right")
    for (shuffled, factors), rows in pooled.groupby(["shuffled", "factors"], sort=False):
        rates = rows.set_index("method")
        if shuffled == ALL_TERMS:
            table.add_section()
        cells = [_rate(rates.loc[method]) for method in methods]
        terms = "" if shuffled == ALL_TERMS else str(factors)
        table.add_row(escape(str(shuffled)), escape(terms), str(rates["tables"].max()), *cells)
    return table


def _rate(row: pd.Series) -> str:
    if not row["tests"]:
        return "–"
    rate, low, high = (f"{row[name]:.3f}".removeprefix("0") for name in ("rate", "low", "high"))
    return f"{rate}\n\\[{low}, {high}]"


def _untold(found: Found) -> list[str]:
    """A line for each experiment that could not be made."""
    return [
        f"not shuffled: {label}, {one.eec}, {one.subset.replace('_', ' ')}, {one.shuffled}: {one.status}"
        + (f" ({one.message})" if one.message else "")
        for label, one in found
        if one.status != "ok"
    ]


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows as plain types, None where there is no number."""
    return table.astype(object).where(table.notna(), None).to_dict("records")


def _who(run: RunFolder) -> dict[str, Any]:
    return {"folder": str(run.folder), "label": run.label, "identity": run.manifest.get("identity")}
