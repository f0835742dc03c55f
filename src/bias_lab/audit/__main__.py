"""`python -m bias_lab.audit`: does any other system score emotion differently because of who a sentence is about?

Takes a CSV of scores of a corpus' sentences (by an API, a language model, a lexicon, a person) and gives what a run
gives: coefficients, figures, a page. --sentences FILE writes the sentences to be scored, with their ids.
"""

import argparse
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from bias_lab.command import exit_code
from bias_lab.errors import ConfigError

EXAMPLES = """examples:
  python -m bias_lab.audit --eec black_white_en --emotion anger --sentences to_score.csv
  python -m bias_lab.audit scores.csv --eec black_white_en --out audits/lexicon
  python -m bias_lab.audit scores.csv --eec arab_anglo_ar --range -1 1 --score-column valence"""


def main(argv: Sequence[str] | None = None) -> int:
    """Audit a file of scores; return 0 where it was done, 1 where it could not be."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    if (arguments.scores is None) == (arguments.sentences is None):
        parser.error("give a file of scores, or --sentences FILE to write the sentences to be scored")
    if arguments.sentences is not None:
        return exit_code(lambda: _write_sentences(arguments))
    return exit_code(lambda: _audit(arguments, sys.argv if argv is None else ["bias_lab.audit", *argv]))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bias_lab.audit",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("scores", metavar="scores.csv", nargs="?", type=Path, help="a sentence, or its id, and a score in each line")
    add("--sentences", metavar="FILE", type=Path, help="write the sentences to be scored to this CSV, and stop")
    _corpus_options(parser)
    files = parser.add_argument_group("the file of scores")
    add = files.add_argument
    add(
        "--range", metavar=("LOW", "HIGH"), nargs=2, type=float, help="lowest and highest possible score (default: 0 1)"
    )
    add("--score-column", metavar="NAME", help="default: score or prediction")
    add("--sentence-column", metavar="NAME", help="default: sentence or text")
    add("--id-column", metavar="NAME", help="match by id (default: by id or sentence_id where there are no sentences)")
    add("--allow-missing", action="store_true", help="leave out sentences without a score")
    add("--allow-unknown", action="store_true", help="leave out scores of sentences that are in no corpus")
    add(
        "--average", action="store_true", help="average the scores of a sentence that stands in the file more than once"
    )
    results = parser.add_argument_group("the result")
    add = results.add_argument
    add("--out", metavar="DIR", type=Path, help="folder for the results (default: outputs/<date>/<time>)")
    add("--name", metavar="NAME", help="of the system, in tables and figures (default: the file's)")
    add(
        "--stats",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="a setting of the analysis as in a run, such as smallest_effect=0.01; may be given more than once",
    )
    return parser


def _corpus_options(parser: argparse.ArgumentParser) -> None:
    corpora = parser.add_argument_group("the corpus")
    add = corpora.add_argument
    add("--eec", metavar="NAME|FILE", action="append", required=True, help="may be given more than once")
    rows = corpora.add_mutually_exclusive_group()
    what = "the sentences of this emotion, as a run has them (default: of every emotion with any score)"
    rows.add_argument("--emotion", metavar="NAME", help=what)
    rows.add_argument("--rows", choices=["all"], help="every sentence")
    add("--search", metavar="DIR", action="append", default=[], type=Path, help="a folder of corpus files")
    add("--language", metavar="xx", help="language of a CSV corpus (default: a guess)")
    add(
        "--factor",
        metavar="NAME=REFERENCE",
        action="append",
        default=[],
        help="a factor's column in a CSV corpus and the level to compare with (default: race and gender)",
    )


def _corpora(arguments: argparse.Namespace) -> list[Any]:
    from bias_lab.corpora.opening import open_corpus

    factors = dict(_pair("--factor", text, "gender=male") for text in arguments.factor)
    options = {"language": arguments.language, "factors": factors, "search": arguments.search}
    return [open_corpus(text, **options).corpus for text in dict.fromkeys(arguments.eec)]


def _pair(option: str, text: str, example: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise ConfigError(f"{option} {text}: must look like {example}")
    return name, value


def _regression(arguments: argparse.Namespace) -> Any:
    """The analysis, from the same settings as conf/stats/beta.yaml."""
    from dataclasses import fields

    import yaml

    from bias_lab.stats import BetaRegression
    from bias_lab.strict import suggestion

    known, options = [field.name for field in fields(BetaRegression)], {}
    for text in arguments.stats:
        name, value = _pair("--stats", text, "smallest_effect=0.01")
        if name not in known:
            raise ConfigError(f"--stats {name} is not a setting{suggestion(name, known)}")
        try:
            options[name] = yaml.safe_load(value)
        except yaml.YAMLError:
            options[name] = value
    return BetaRegression(**options)


def _write_sentences(arguments: argparse.Namespace) -> None:
    from bias_lab.audit.matching import sentence_sheet
    from bias_lab.errors import DataError
    from bias_lab.files import write_text

    sheet = sentence_sheet(_corpora(arguments), emotion=arguments.emotion)
    try:
        write_text(arguments.sentences.expanduser(), sheet.to_csv(index=False, lineterminator="\n"))
    except OSError as error:
        raise DataError(f"--sentences {arguments.sentences}: cannot be written ({error.strerror or error})") from error
    print(f"{len(sheet):,} sentences are in {arguments.sentences}; add a column score")


def _audit(arguments: argparse.Namespace, command: Sequence[str]) -> None:
    from bias_lab.audit.matching import match_scores
    from bias_lab.audit.reading import read_scores
    from bias_lab.audit.writing import audit, write_page

    regression, corpora = _regression(arguments), _corpora(arguments)
    file = read_scores(
        arguments.scores.expanduser(),
        scale=tuple(arguments.range) if arguments.range else None,
        sentence_column=arguments.sentence_column,
        id_column=arguments.id_column,
        score_column=arguments.score_column,
    )
    matched = match_scores(
        file,
        corpora,
        emotion=arguments.rows or arguments.emotion,
        allow_missing=arguments.allow_missing,
        allow_unknown=arguments.allow_unknown,
        average=arguments.average,
    )
    out = arguments.out.expanduser() if arguments.out else Path(datetime.now().strftime("outputs/%Y-%m-%d/%H-%M-%S-%f"))
    found = audit(file, matched, out, name=arguments.name, regression=regression, command=command)
    trouble = write_page(out, title=f"Audit of {arguments.name or file.path.stem}")
    for note in (*matched.notes, *filter(None, [trouble])):
        print(f"note: {note}", file=sys.stderr)
    _show(file, matched, found)
    print(f"audit folder: {out}")


def _show(file: Any, matched: Any, coefficients: Any) -> None:
    from bias_lab.terminal import coefficients_table, findings, print_tables

    low, high = file.scale
    scored = " and ".join(
        f"{len(table):,} sentences of {corpus.name}"
        for corpus, table in zip(matched.corpora, matched.tables, strict=True)
    )
    print(f"{scored} (emotion: {matched.emotion}), scored by {file.column} in {file.path}\n")
    print_tables(coefficients_table(coefficients))
    print("In words:", *findings(coefficients), sep="\n  ")
    if (low, high) != (0, 1):
        there = f"{0.01 * (high - low):g}"
        print(f"\nScores from {low:g} to {high:g} were mapped to 0 to 1; an effect of .010 is {there} there.")


if __name__ == "__main__":
    sys.exit(main())
