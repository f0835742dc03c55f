"""A corpus from a CSV file of the user's; it reads the published files as they are."""

from dataclasses import dataclass
from pathlib import Path

from bias_lab.corpora.corpus import Corpus, Factor, long_table
from bias_lab.corpora.csv_rows import emotions, items, person_kinds, persons
from bias_lab.corpora.csv_table import Table, read_table
from bias_lab.corpora.factors import check_factor_name, parse_levels
from bias_lab.corpora.node import Node, unknown
from bias_lab.corpora.source import Source
from bias_lab.errors import ConfigError, DataError

# The names a column may have where the configuration does not say; the first is the published files'.
COLUMNS: dict[str, tuple[str, ...]] = {
    "sentence": ("sentence",),
    "person": ("person",),
    "person_kind": ("person_kind",),
    "template": ("template",),
    "item": ("item",),
    "concept": ("concept",),
    "emotion": ("emotion",),
    "emotion_word": ("emotion word", "emotion_word"),
}
# The published files treat a pronoun's case, and Spanish "el" for "él", as another person.
SAME_PERSON = {"him": "he", "her": "she", "el": "él"}
# Reference levels of the published factors, taken where the configuration declares no factors.
REFERENCES = {"race": ("European", "Anglo"), "gender": ("male",)}

OPTIONAL = (
    *("kind", "name", "delimiter", "columns", "factors", "same_person"),
    *("version", "licence", "source", "verified_by_native_speaker"),
)


@dataclass(frozen=True)
class CsvFactor:
    """A factor of a CSV corpus: column, levels (none: those in the file), references to try in turn."""

    name: str
    column: str
    levels: tuple[str, ...]
    references: tuple[str, ...]


def load_csv(source: Source) -> Corpus:
    """Read the CSV corpus that a corpus file describes; sentences and their order are kept as they are.

    Raises:
        ConfigError: A key is wrong, or a factor's reference level is not declared.
        DataError: The file is missing or a row is wrong; the message names file and line.
    """
    entries = source.node.record(("path", "language", *OPTIONAL), required=())
    for key, example in (("path", "FILE"), ("language", "en")):
        if key not in entries or entries[key].value == "???":
            raise source.node.error(f"{key} is not set; say {key}: {example} (eec.corpora.csv.{key}={example})")
    path = Path(entries["path"].text()).expanduser()
    name = entries["name"].file_name() if "name" in entries else path.stem
    table = read_table(path, delimiter=_delimiter(entries.get("delimiter")))
    columns = _columns(entries.get("columns"), table)
    declared = _factors(entries["factors"]) if "factors" in entries else _published_factors(source.node, table)
    factors = tuple(_factor(factor, table) for factor in declared)
    same = entries["same_person"].mapping() if "same_person" in entries else None
    aliases = SAME_PERSON if same is None else {key: node.text() for key, node in same.items()}
    about = {key: entries[key].text(empty=True) for key in ("version", "licence", "source") if key in entries}
    verified = entries.get("verified_by_native_speaker")
    return Corpus(
        name=name,
        language=entries["language"].text(),
        factors=factors,
        table=long_table(_long(name, table, columns, declared, aliases), factors),
        verified_by_native_speaker=verified.flag() if verified else False,
        files=(path, *source.files),
        **about,
    )


def _delimiter(node: Node | None) -> str:
    if node is None:
        return ","
    if not isinstance(node.value, str) or len(node.value) != 1:
        raise node.error(f'must be one character, such as "," or ";" or "\\t", got {node.value!r}')
    return node.value


def _columns(node: Node | None, table: Table) -> dict[str, int]:
    """Return the position of each column there is; those that the configuration names must be there."""
    given = node.record(tuple(COLUMNS)) if node else {}
    positions = {}
    for role, usual in COLUMNS.items():
        names = given[role].texts() if role in given else usual
        # The published files call their English gloss `sentence` as well; the first one is the sentence.
        position = next((at for at in (table.find(name, first=role == "sentence") for name in names) if at >= 0), -1)
        if position >= 0:
            positions[role] = position
        elif names != usual or role in ("sentence", "person"):
            raise table.error(1, f"no column {names[0]!r} for {role} (columns.{role}); {table.described()}")
    return positions


def _factors(node: Node) -> tuple[CsvFactor, ...]:
    factors = []
    for name, child in node.mapping().items():
        check_factor_name(child, name)
        fields = child.record(("column", "levels", "reference"), required=("reference",))
        column = fields["column"].text() if "column" in fields else name
        levels = parse_levels(fields["levels"]) if "levels" in fields else ()
        factors.append(CsvFactor(name, column, levels, fields["reference"].texts()))
    if not factors:
        raise node.error("has no factors; a corpus compares at least one, such as gender: {reference: male}")
    return tuple(factors)


def _published_factors(node: Node, table: Table) -> tuple[CsvFactor, ...]:
    """Return race and gender, where the file has them."""
    found = [name for name in REFERENCES if name in table.header and any(table.column(table.find(name)))]
    if not found:
        raise node.error(
            f"factors is not set and the file has neither race nor gender; {table.described()}; "
            "say factors: {<column>: {reference: <level>}}"
        )
    return tuple(CsvFactor(name, name, (), REFERENCES[name]) for name in found)


def _factor(factor: CsvFactor, table: Table) -> Factor:
    """Find a factor's levels in the file; where none are declared, the reference comes first.

    Raises:
        DataError: The column is missing or empty, or does not hold the declared levels.
        ConfigError: No reference is a level: which group the others are compared with must be a choice.
    """
    position = table.find(factor.column)
    if position < 0:
        raise table.error(1, f"no column {factor.column!r} for the factor {factor.name}; {table.described()}")
    values = table.column(position)
    if not any(values):
        raise table.error(1, f"the column {factor.column!r} is empty in every row; it cannot be a factor")
    _check_levels(factor, values, table)
    levels = factor.levels or tuple(sorted(set(values) - {""}))
    reference = next((level for level in factor.references if level in levels), None)
    if reference is None:
        wanted = " or ".join(factor.references)
        raise ConfigError(
            f"{table.path}: the factor {factor.name} has no level {wanted} to compare the others with; its "
            f"levels are {', '.join(levels)}. Choose one, and name every factor of the corpus, as in "
            f"factors: {{{factor.name}: {{reference: {levels[0]}}}}}"
        )
    found = (reference, *(level for level in levels if level != reference))
    return Factor(factor.name, factor.levels or found, reference)


def _check_levels(factor: CsvFactor, values: list[str], table: Table) -> None:
    """Check that the file has the declared levels and no other."""
    if not factor.levels:
        return
    there = set(values)
    if other := there.difference(factor.levels, [""]):
        line, value = next((line, value) for line, value in zip(table.lines, values, strict=True) if value in other)
        raise table.error(line, f"{factor.column}: {unknown('level', value, factor.levels)}")
    if missing := [level for level in factor.levels if level not in there]:
        raise DataError(f"{table.path}: {factor.column}: no row has the level {missing[0]!r}")


def _long(
    name: str, table: Table, columns: dict[str, int], factors: tuple[CsvFactor, ...], aliases: dict[str, str]
) -> dict[str, list[str | None]]:
    """Return the columns of the long table."""
    cells = {factor.name: table.column(table.find(factor.column)) for factor in factors}
    emotion, word = emotions(table, columns)
    template, item = items(table, columns, emotion, word)
    people = persons(table, columns["person"], aliases, cells)
    long: dict[str, list[str | None]] = {
        "eec": [name] * len(table),
        "sentence": [*table.cells[columns["sentence"]]],
        "template": [*template],
        "item": [*item],
        "person": [*people],
        "person_kind": [*person_kinds(table, columns.get("person_kind"), people, cells)],
        "emotion": [value or None for value in emotion],
        "emotion_word": [value or None for value in word],
    }
    return long | {factor: [value or None for value in values] for factor, values in cells.items()}
