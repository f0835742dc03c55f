"""`python -m bias_lab.data`: get and check the SemEval-2018 files."""

import argparse
import sys
from collections.abc import Sequence

from bias_lab.command import ERROR, FINE, exit_code
from bias_lab.data import check, fetch
from bias_lab.terminal import Screen


def main(argv: Sequence[str] | None = None) -> int:
    """Run a subcommand; return 0 where all is well, 1 where a problem was told on stderr or in the table."""
    parser = argparse.ArgumentParser(prog="python -m bias_lab.data", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    getting = commands.add_parser("fetch", help="download the organisers' archive and unpack the verified files")
    getting.add_argument("--out", metavar="DIR", default="data/semeval2018", help="default: %(default)s")
    getting.add_argument("--url", default=fetch.URL, help="where the archive is (default: %(default)s)")
    checking = commands.add_parser("check", help="count and verify the files of a folder")
    checking.add_argument("dir", metavar="DIR")
    arguments = parser.parse_args(argv)
    if arguments.command == "fetch":
        return exit_code(lambda: _fetch(arguments.out, arguments.url))
    return exit_code(lambda: _check(arguments.dir))


def _check(folder: str) -> int:
    return FINE if check.render(check.check_folder(folder), Screen()) else ERROR


def _fetch(out: str, url: str) -> int:
    print(fetch.LICENCE)
    done = fetch.fetch(out=out, url=url)
    print(f"The files are {'now' if done else 'already'} in {out}; use them with: task.data_dir={out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
