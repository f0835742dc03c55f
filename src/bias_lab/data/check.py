"""Count and verify the SemEval-2018 files of a folder."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from bias_lab.data.reading import read_source
from bias_lab.data.semeval import DIMENSIONS, HOW_TO_GET, file_names, locate, parse, published
from bias_lab.data.task import EMOTIONS, LANGUAGES, SPLITS
from bias_lab.errors import DataError


@dataclass(frozen=True)
class Finding:
    """What a folder holds for one language, emotion and split.

    Attributes:
        path: the file, None where there is none.
        rows: rows of data; None where the file is missing or malformed.
        expected_rows: rows of the published file.
        checksum: whether the content is the published one ("unknown": no checksum is on record, or no file).
        problem: what makes the file unusable or incomplete; None where it can be used.
    """

    language: str
    emotion: str
    split: str
    path: Path | None
    rows: int | None
    expected_rows: int
    checksum: Literal["ok", "other", "unknown"]
    problem: str | None


def check_folder(data_dir: str | Path) -> list[Finding]:
    """Look at every file of EI-reg, and of V-reg for the languages of which the folder has any.

    Raises:
        DataError: there is no such folder.
    """
    findings = []
    for language in LANGUAGES:
        for emotion in DIMENSIONS:
            try:
                paths = locate(data_dir, language=language, emotion=emotion)
            except DataError as error:
                if not Path(data_dir).expanduser().is_dir():
                    raise
                findings += [_unusable(language, emotion, split, None, str(error)) for split in SPLITS]
                continue
            if paths or emotion in EMOTIONS:
                findings += [_inspect(language, emotion, split, paths.get(split)) for split in SPLITS]
    return findings


def render(findings: list[Finding], console: Console) -> bool:
    """Print findings as a table with a summary; True where nothing is missing, malformed or incomplete."""
    table = Table(title="SemEval-2018 Task 1, regression")
    for column in ("language", "emotion", "split", "found"):
        table.add_column(column)
    for column in ("rows", "expected"):
        table.add_column(column, justify="right")
    table.add_column("checksum")
    for one in findings:
        there = "[red]no[/]" if one.path is None else "yes"
        rows = "-" if one.rows is None else str(one.rows)
        style = "red" if one.problem else {"other": "yellow", "unknown": "dim", "ok": "green"}[one.checksum]
        checksum = f"[{style}]{'-' if one.rows is None else one.checksum}[/]"
        table.add_row(one.language, one.emotion, one.split, there, rows, str(one.expected_rows), checksum)
    console.print(table)
    problems = [one for one in findings if one.problem]
    for one in problems:
        _say(console, "red", "problem", f"{one.language} {one.emotion} {one.split}: {one.problem}")
    for one in findings:
        if one.checksum == "other" and not one.problem:
            _say(
                console,
                "yellow",
                "warning",
                f"{one.path}: the rows are complete, the content is not the published one",
            )
    found = sum(one.path is not None for one in findings)
    verified = sum(one.checksum == "ok" for one in findings)
    console.print(f"{found} of {len(findings)} files found, {verified} with the published content.", soft_wrap=True)
    if problems:
        console.print(escape(HOW_TO_GET), soft_wrap=True)
    return not problems


def _inspect(language: str, emotion: str, split: str, path: Path | None) -> Finding:
    if path is None:
        names = " or ".join(file_names(language, emotion, split))
        return _unusable(language, emotion, split, None, f"no file; looked for {names}")
    try:
        source = read_source(path)
        rows = len(parse(source, emotion=emotion))
    except DataError as error:
        return _unusable(language, emotion, split, path, str(error))
    facts = published(language, emotion, split)
    checksum: Literal["ok", "other", "unknown"] = "unknown"
    if facts.content_sha256 is not None:
        checksum = "ok" if source.content_sha256 == facts.content_sha256 else "other"
    problem = None if rows == facts.rows else f"{path} has {rows} rows; {facts.rows} were published"
    return Finding(language, emotion, split, path, rows, facts.rows, checksum, problem)


def _unusable(language: str, emotion: str, split: str, path: Path | None, problem: str) -> Finding:
    expected = published(language, emotion, split).rows
    return Finding(language, emotion, split, path, None, expected, "unknown", problem)


def _say(console: Console, style: str, word: str, text: str) -> None:
    console.print(f"[{style}]{word}:[/] {escape(text)}", soft_wrap=True, highlight=False)
