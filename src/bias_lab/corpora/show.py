"""What a corpus holds: counts and a few sentences, as text."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas as pd

from bias_lab.corpora.corpus import NAME, Corpus
from bias_lab.corpora.load import load_corpus
from bias_lab.corpora.source import list_corpora
from bias_lab.errors import BiasLabError

# Of each template: how far down the persons, and the words of each, a sentence is taken. Corpora list names of one
# group after the other and noun phrases last, so that these are three kinds of person.
SAMPLED = (0.0, 0.5, 0.84)


def listing(search: Sequence[Path] = ()) -> tuple[list[str], bool]:
    """Return a line for each corpus there is, and whether all of them can be loaded."""
    lines, sound = [], True
    files = list_corpora(search=search)
    width = max(map(len, files), default=0)
    for name in files:
        try:
            lines.append(f"{name:{width}}  {_summary(load_corpus(name, search=search))}")
        except BiasLabError as error:
            sound = False
            lines.append(f"{name:{width}}  cannot be loaded: {error}")
    return lines, sound


def _summary(corpus: Corpus) -> str:
    table = corpus.table
    factors = " x ".join(f"{factor.name} ({'/'.join(factor.levels)})" for factor in corpus.factors)
    return (
        f"{corpus.language}  {len(table):>6,} sentences  {table['person'].nunique():>3} persons  "
        f"{table['item'].nunique():>4} items  {factors}"
    )


def described(corpus: Corpus) -> Iterator[str]:
    """Yield the lines that tell what a corpus is, how many sentences each part has, and what they look like."""
    table = corpus.table
    yield f"{corpus.name}: {_summary(corpus)}"
    verified = "read" if corpus.verified_by_native_speaker else "not read"
    stated = (("version", corpus.version), ("licence", corpus.licence), ("source", corpus.source))
    yield from (f"  {key}: {' '.join(value.split())}" for key, value in stated if value)
    yield f"  {verified} by a native speaker"
    yield f"  sha256 {corpus.digest}"
    yield ""
    yield from _groups(corpus)
    yield ""
    yield "sentences by emotion"
    counts = table["emotion"].fillna("(neutral)").value_counts(sort=False)
    yield from (f"  {count:>6,}  {emotion}" for emotion, count in counts.items())
    yield ""
    yield "sentences by template, each with some persons"
    for template, rows in table.groupby("template", sort=False):
        yield f"  {len(rows):>6,}  {template}"
        yield from (f"          {sentence}" for sentence in _samples(rows))


def _groups(corpus: Corpus) -> Iterator[str]:
    """Yield the number of persons and sentences in each cell of each kind of person."""
    names = [factor.name for factor in corpus.factors]
    yield "persons and sentences by group"
    for kind in dict.fromkeys(corpus.table["person_kind"]):
        rows = corpus.table[corpus.table["person_kind"] == kind]
        stated = [name for name in names if rows[name].notna().any()]
        cells = rows.groupby(stated, sort=False) if stated else [((), rows)]
        for levels, cell in cells:
            group = ", ".join([*levels, "names" if kind == NAME else "noun phrases"])
            persons = dict.fromkeys(cell["person"])
            some = ", ".join(list(persons)[:4]) + (", ..." if len(persons) > 4 else "")  # noqa: PLR2004
            yield f"  {len(persons):>3} {len(cell):>6,}  {group}: {some}"


def _samples(rows: pd.DataFrame) -> list[str]:
    """Return sentences of a template that differ in item, person and kind of person where they can."""
    persons = list(dict.fromkeys(rows["person"]))
    chosen = []
    for part in SAMPLED:
        sentences = rows.loc[rows["person"] == persons[int(part * len(persons))], "sentence"].tolist()
        chosen.append(sentences[int(part * len(sentences))])
    return list(dict.fromkeys(chosen))
