"""`python -m bias_lab.corpora`: list, show, export, check and compare corpora; get the published ones.

A corpus is named as in a run (black_white_en), or is a file: a corpus file (.yaml) or a CSV of sentences.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bias_lab.command import FINE, exit_code
from bias_lab.errors import BiasLabError, ConfigError, DataError

if TYPE_CHECKING:
    from bias_lab.corpora.opening import Opened

FOUND, TROUBLE = 1, 2
EXIT_CODES = "exit code: 0 fine, 1 check found errors or compare differences, 2 it could not be done"


def main(argv: Sequence[str] | None = None) -> int:
    """Run a subcommand; return 0 where all is well, 1 where it found something, 2 where it could not be done."""
    arguments = _parser().parse_args(argv)
    chosen = {
        "list": _list,
        "show": _show,
        "export": _export,
        "check": _check,
        "compare": _compare,
        "fetch": _fetch,
    }[arguments.command]
    return exit_code(lambda: chosen(arguments, _search(arguments)), error=TROUBLE)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bias_lab.corpora",
        description=__doc__,
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    folders, reading = _shared_options()
    commands = parser.add_subparsers(dest="command", required=True)

    def command(name: str, what: str, *parents: argparse.ArgumentParser) -> argparse.ArgumentParser:
        return commands.add_parser(name, help=what, description=what, parents=parents, epilog=EXIT_CODES)

    command("list", "the corpora there are", folders)
    command("show", "counts and some sentences of a corpus", reading).add_argument("corpus", metavar="NAME|FILE")
    exporting = command("export", "write a corpus' long table", reading)
    exporting.add_argument("corpus", metavar="NAME|FILE")
    exporting.add_argument("--out", metavar="FILE", type=Path, required=True, help=".csv, .jsonl or .parquet")
    checking = command("check", "look for flaws in a corpus", reading)
    checking.add_argument("corpus", metavar="NAME|FILE")
    checking.add_argument("--json", action="store_true", help="print the findings as JSON")
    comparing = command("compare", "what is only in one of two corpora, and why", reading)
    comparing.add_argument("left", metavar="A")
    comparing.add_argument("right", metavar="B")
    getting = command("fetch", "download the five published corpora and verify them")
    getting.add_argument("--out", metavar="DIR", default="data/eec_published", help="default: %(default)s")
    getting.add_argument("--url", help="where they are, with {file} for the file's name (default: their authors')")
    return parser


def _shared_options() -> tuple[argparse.ArgumentParser, argparse.ArgumentParser]:
    """Return the options of commands that look for corpora, and of those that read one."""
    folders = argparse.ArgumentParser(add_help=False)
    folders.add_argument("--search", metavar="DIR", action="append", default=[], help="a folder of corpus files")
    folders.add_argument(
        "--config-dir", metavar="DIR", action="append", default=[], help="a folder with eec/ in it, as in a run"
    )
    reading = argparse.ArgumentParser(add_help=False, parents=[folders])
    reading.add_argument("--language", metavar="xx", help="language of a CSV file (default: a guess)")
    reading.add_argument(
        "--factor",
        metavar="NAME=REFERENCE",
        action="append",
        default=[],
        help="a factor's column in a CSV file and the level to compare with (default: race and gender)",
    )
    return folders, reading


def _search(arguments: argparse.Namespace) -> list[Path]:
    given = [Path(folder) for folder in getattr(arguments, "search", [])]
    given += [Path(folder) / "eec" for folder in getattr(arguments, "config_dir", [])]
    folders = [folder.expanduser() for folder in given]
    for folder in folders:
        if not folder.is_dir():
            raise ConfigError(f"--search {folder}: there is no such folder (--config-dir DIR means DIR/eec)")
    return folders


def _open(text: str, arguments: argparse.Namespace, search: list[Path]) -> "Opened":
    from bias_lab.corpora.opening import open_corpus

    factors = {}
    for factor in arguments.factor:
        name, equals, reference = factor.partition("=")
        if not (name and equals and reference):
            raise ConfigError(f"--factor {factor}: must look like gender=male, a column and its reference level")
        factors[name] = reference
    return open_corpus(text, language=arguments.language, factors=factors, search=search)


def _list(arguments: argparse.Namespace, search: list[Path]) -> int:
    from bias_lab.corpora.show import listing

    lines, sound = listing(search)
    _print(lines)
    return FINE if sound else TROUBLE


def _show(arguments: argparse.Namespace, search: list[Path]) -> int:
    from bias_lab.corpora.show import described

    _print(described(_open(arguments.corpus, arguments, search).corpus))
    return FINE


def _export(arguments: argparse.Namespace, search: list[Path]) -> int:
    from bias_lab.corpora.export import export

    corpus = _open(arguments.corpus, arguments, search).corpus
    export(corpus, arguments.out.expanduser())
    print(f"{len(corpus.table):,} sentences are in {arguments.out}")
    return FINE


def _check(arguments: argparse.Namespace, search: list[Path]) -> int:
    from bias_lab.corpora.lint import Finding, lint
    from bias_lab.corpora.lint.report import as_json, as_text, totals
    from bias_lab.corpora.opening import is_defined

    opened: Opened | None = None
    try:
        opened = _open(arguments.corpus, arguments, search)
        findings = lint(opened.corpus, glosses=opened.glosses)
    except BiasLabError as error:
        # A flaw of the corpus is a finding like others; a missing file or a wrong option is not.
        in_csv = isinstance(error, DataError) and Path(arguments.corpus).expanduser().is_file()
        options = arguments.language or arguments.factor
        if not (in_csv or (is_defined(arguments.corpus, search) and not options)):
            raise
        findings = [Finding("EEC001", 1, "files", str(error))]
    about = (arguments.corpus, findings, opened.corpus if opened else None)
    guessed = opened.guessed if opened else False
    if arguments.json:
        print(json.dumps(as_json(*about, guessed=guessed), ensure_ascii=False, indent=2))
    else:
        _print(as_text(*about, guessed=guessed))
    return FOUND if totals(findings)["error"] else FINE


def _compare(arguments: argparse.Namespace, search: list[Path]) -> int:
    from bias_lab.corpora.compare import compare, told

    names = (arguments.left, arguments.right)
    comparison = compare(*(_open(name, arguments, search).corpus for name in names))
    _print(told(comparison, *names))
    return FINE if comparison.same else FOUND


def _fetch(arguments: argparse.Namespace, search: list[Path]) -> int:
    from bias_lab.corpora.fetch import LICENCE, fetch

    print(LICENCE)
    for one in fetch(out=arguments.out, url=arguments.url):
        state = "as published" if one.verified else "no checksum is on record: only its sentences were counted"
        print(f"{one.path}: {'now' if one.new else 'already'} there, {state}")
    print(f"Use one with: eec=csv eec.corpora.csv.path={arguments.out}/ar.csv eec.corpora.csv.language=ar")
    return FINE


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        print(line)


if __name__ == "__main__":
    sys.exit(main())
