"""Everything the cells of one or more sweeps have to say, in a few tables: pure reading, no file is written."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from bias_lab.errors import DataError
from bias_lab.stats import adjust_families, verdict
from bias_lab.summary.cells import UNREADABLE, Cell, find_cells, name_variants, read_cell, settle_repeats
from bias_lab.summary.counting import repeats_notes
from bias_lab.summary.groups import COEFFICIENT_COLUMNS, NAME_COLUMNS, GroupResult, Regression, read_groups
from bias_lab.summary.plan import missing_lines, planned_lines

FAMILY = ("eec", "subset", "coding")
ALPHA = 0.05
WHO = ("model", "language", "emotion")
CELL_COLUMNS = ("folder", "label", *WHO, "seed", "status", "error", "overrides")
METRIC_COLUMNS = (*WHO, "seed", "split", "n", "n_high", "pearson", "pearson_high", "spearman", "mse")
CORPUS_COLUMNS = (
    "name", "language", "version", "licence", "source", "verified_by_native_speaker", "digest", "rows", "factors",
)  # fmt: skip
ADDED_COLUMNS = (
    "n_seeds", "seed_sd_coefficient", "seed_sd_effect", "seed_sign_agreement", "q", "family", "family_size",
    "verdict", "paper_only", "same_as",
)  # fmt: skip
LANGUAGES = ("en", "es", "ar")  # the paper's order; others follow by name
SAMPLE_NOTE = (
    "no basis for findings: models here were trained on the small sample of texts that ships with bias_lab, made to "
    "show how it works"
)


@dataclass(frozen=True, eq=False)
class Summary:
    """The tables of a summary, each sorted by model, language, emotion, so that the order of the runs does not show.

    cells: one row a run folder: folder, label, model, language, emotion, seed (Int64), status (finished | failed |
        running | predicted | unreadable | superseded), error (missing for finished ones), overrides (the line,
        joined by blanks).
    metrics: model, language, emotion, seed, split, n, n_high, pearson, pearson_high, spearman, mse; NaN = undefined.
    coefficients: one row per (model, language, emotion, eec, subset, coding, term): the columns of
        `bias_lab.stats.analyse` for predictions averaged per sentence over the seeds, and n_seeds,
        seed_sd_coefficient, seed_sd_effect, seed_sign_agreement, q (Benjamini-Hochberg over all models, emotions and
        terms of one eec, subset and coding), family, family_size, verdict (words, by q), paper_only (the published
        test claims a finding, p_iid < .05, and the name-level one does not, p_name >= .05), same_as (the first corpus
        that has the same sentences, so that the test counts once; empty for the first, and where none has).
    names: model, language, emotion, eec, person, person_kind, the factors, mean, sd, n of the averaged scores;
        tokens and, of them, unknown to the model's vocabulary (names only).
    missing: cells that were asked for but have no folder: sweep, line.
    corpora: name, language, version, licence, source, verified_by_native_speaker, digest, rows, factors (such as
        "race: Anglo (reference), Arab; gender: male (reference), female").
    notes: what a reader must know besides.
    """

    cells: pd.DataFrame
    metrics: pd.DataFrame
    coefficients: pd.DataFrame
    names: pd.DataFrame
    missing: pd.DataFrame
    corpora: pd.DataFrame
    notes: tuple[str, ...]


def collect(folders: Sequence[Path], *, regression: Regression | None = None, jobs: int = 1) -> Summary:
    """Read the cells in (or at) the given folders.

    `regression`: the analysis; None for the one of each cell's own configuration. `jobs`: processes to use; with more
    than one, a script of your own needs `if __name__ == "__main__":`, as for all of Python's process pools.

    Cells that failed or cannot be read are listed and left out of the other tables. Of several runs of one cell the
    last that finished counts. Cells of one label that differ in more than the seed are told apart in the model's
    name. With one seed the coefficients are those that the run wrote, if its version of bias_lab was this one. Where
    they would need an analysis of the user's own that is not given as `regression`, they are left out, with a note.

    Raises DataError where there is no run, where the cells scored different versions of a corpus,
    or where runs that differ only in seed scored different sentences; ConfigError for settings of the analysis that it
    does not have.
    """
    paths = [Path(folder) for folder in folders]
    cells = name_variants(settle_repeats([read_cell(folder) for folder in find_cells(paths)]))
    _check_versions(cells)
    groups = _groups(cells)
    results = read_groups(groups, regression=regression, jobs=jobs)
    unreadable = dict(entry for result in results for entry in result.unreadable)
    cells = [replace(c, status=UNREADABLE, error=unreadable[c.folder]) if c.folder in unreadable else c for c in cells]
    cells.sort(key=_order)
    counted = [cell for cell in cells if cell.succeeded]
    coefficients = _judged(_labelled(groups, results, "coefficients"))
    return Summary(
        cells=_cells(cells),
        metrics=_metrics(counted),
        coefficients=coefficients,
        names=_labelled(groups, results, "names"),
        missing=_missing(paths, cells),
        corpora=_corpora(counted),
        notes=(*_notes(counted), *_foreign_notes(groups, results), *repeats_notes(coefficients)),
    )


def _order(cell: Cell) -> tuple[Any, ...]:
    seed = -1 if cell.seed is None else cell.seed
    return (cell.model, language_order(cell.language), cell.emotion, seed, str(cell.folder))


def language_order(language: str) -> tuple[int, str]:
    """Sorting key of a language."""
    return (LANGUAGES.index(language) if language in LANGUAGES else len(LANGUAGES), language)


def _check_versions(cells: Sequence[Cell]) -> None:
    """Refuse to compare scores of different sentences under one corpus' name."""
    seen: dict[str, tuple[str, Cell]] = {}
    for cell in cells:
        for corpus in cell.corpora if cell.succeeded else ():
            digest, first = seen.setdefault(corpus["name"], (corpus["digest"], cell))
            if digest != corpus["digest"]:
                raise DataError(
                    f"corpus {corpus['name']}: {first.folder} scored another version of it ({digest[:8]}) than "
                    f"{cell.folder} ({corpus['digest'][:8]}); summarise these apart, or run the older cells again"
                )


def _groups(cells: Sequence[Cell]) -> list[list[Cell]]:
    groups: dict[tuple[str, str, str], list[Cell]] = {}
    for cell in sorted(cells, key=_order):
        if cell.succeeded:
            groups.setdefault((cell.model, cell.language, cell.emotion), []).append(cell)
    return list(groups.values())


def _cells(cells: Sequence[Cell]) -> pd.DataFrame:
    rows = [
        {name: getattr(cell, name) for name in CELL_COLUMNS}
        | {"folder": str(cell.folder), "overrides": " ".join(cell.overrides)}
        for cell in cells
    ]
    return pd.DataFrame(rows, columns=list(CELL_COLUMNS)).astype({"seed": "Int64", "error": "str"})


def _metrics(cells: Sequence[Cell]) -> pd.DataFrame:
    rows = [
        {**{name: getattr(cell, name) for name in (*WHO, "seed")}, "split": split, **found}
        for cell in cells
        for split, found in cell.metrics.items()
    ]
    table = pd.DataFrame(rows, columns=list(METRIC_COLUMNS)).astype({"seed": "Int64"})
    return table.astype(dict.fromkeys(METRIC_COLUMNS[7:], "float64"))


def _labelled(groups: Sequence[Sequence[Cell]], results: Sequence[GroupResult], table: str) -> pd.DataFrame:
    parts = []
    for (first, *_), result in zip(groups, results, strict=True):
        part = getattr(result, table)
        if len(part):
            for position, name in enumerate(WHO):
                part.insert(position, name, getattr(first, name))
            parts.append(part)
    if parts:
        return pd.concat(parts, ignore_index=True)
    columns = COEFFICIENT_COLUMNS if table == "coefficients" else ("eec", *NAME_COLUMNS)
    return pd.DataFrame(columns=[*WHO, *columns])


def _judged(table: pd.DataFrame) -> pd.DataFrame:
    """Add q within families, the verdict in words, and whether only the published test claims a finding."""
    if table.empty:
        return table.reindex(columns=[*table.columns, *ADDED_COLUMNS])
    judged = adjust_families(table, by=FAMILY)
    claimed = (judged["p_iid"] < ALPHA) & (judged["p_name"] >= ALPHA) & (judged["term"] != "Intercept")
    return judged.assign(verdict=[verdict(row) for row in judged.to_dict("records")], paper_only=claimed)


def _missing(folders: Sequence[Path], cells: Sequence[Cell]) -> pd.DataFrame:
    seen = [cell.overrides for cell in cells]
    rows = [
        {"sweep": str(folder), "line": " ".join(line)}
        for folder in dict.fromkeys(path.resolve() for path in folders)
        for line in missing_lines(planned_lines(folder), seen)
    ]
    return pd.DataFrame(rows, columns=["sweep", "line"])


def _corpora(cells: Sequence[Cell]) -> pd.DataFrame:
    found = {corpus["name"]: corpus for cell in cells for corpus in cell.corpora}
    rows = [
        {name: corpus.get(name) for name in CORPUS_COLUMNS} | {"factors": "; ".join(map(_factor, corpus["factors"]))}
        for corpus in sorted(found.values(), key=lambda corpus: (language_order(corpus["language"]), corpus["name"]))
    ]
    return pd.DataFrame(rows, columns=list(CORPUS_COLUMNS))


def _factor(factor: dict[str, Any]) -> str:
    levels = [f"{level} (reference)" if level == factor["reference"] else level for level in factor["levels"]]
    return f"{factor['name']}: {', '.join(levels)}"


def _notes(cells: Sequence[Cell]) -> list[str]:
    notes = [SAMPLE_NOTE] if any(cell.settings.get("task.kind") == "sample" for cell in cells) else []
    data: dict[tuple[str, str], set[str]] = {}
    for cell in cells:
        if cell.settings.get("task.kind") != "audit":  # which learnt from no texts of ours
            data.setdefault((cell.language, cell.emotion), set()).add(str(cell.settings.get("data")))
    if mixed := [f"{language} {emotion}" for (language, emotion), digests in data.items() if len(digests) > 1]:
        notes.append(f"not all models saw the same texts, so their scores cannot be compared: {', '.join(mixed)}")
    if len(versions := sorted({cell.version for cell in cells})) > 1:
        notes.append(f"the cells were run by different versions of bias_lab: {', '.join(versions)}")
    return notes


def _foreign_notes(groups: Sequence[Sequence[Cell]], results: Sequence[GroupResult]) -> list[str]:
    """A note for each analysis of a user's own for want of which coefficients are lacking."""
    cells: dict[str, dict[tuple[str, str], list[str]]] = {}
    for (first, *_), result in zip(groups, results, strict=True):
        if result.foreign:
            emotions = cells.setdefault(result.foreign, {}).setdefault((first.model, first.language), [])
            emotions.append(first.emotion)
    return [
        f"no comparable coefficients of {'; '.join(_shown(*entry) for entry in found.items())}: their analysis is "
        f"{target}, which is not called from a configuration file; their own coefficients.csv are untouched, and "
        "bias_lab.summary.collect(folders, regression=...) from Python takes any analysis"
        for target, found in cells.items()
    ]


def _shown(who: tuple[str, str], emotions: Sequence[str]) -> str:
    return f"{' '.join(who)} ({', '.join(emotions)})"
