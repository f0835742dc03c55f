"""Read what fills the slots: emotion words and persons."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bias_lab.corpora.corpus import NAME, NOUN_PHRASE, Factor
from bias_lab.corpora.factors import as_features
from bias_lab.corpora.grammar import Features, Forms, Values, parse_forms
from bias_lab.corpora.node import Node, choice, repeated, unknown
from bias_lab.errors import ConfigError


@dataclass(frozen=True)
class Entry:
    """A word or a person's name or noun phrase.

    Attributes:
        id: The English concept of a word, the identity of a person.
        forms: Its forms.
        values: The features it states of itself; those of a person include its factor levels.
        where: Its file and key.
    """

    id: str
    forms: Forms
    values: Values
    where: str


@dataclass(frozen=True)
class Word(Entry):
    """An emotion word."""

    emotion: str


@dataclass(frozen=True)
class Person(Entry):
    """Who a sentence is about; `kind` is `name` or `noun_phrase`."""

    kind: str


def parse_words(node: Node, features: Features) -> dict[str, tuple[Word, ...]]:
    """Read the emotion words of each slot, ordered by emotion as given.

    Raises:
        ConfigError: A concept stands twice in a slot: its two items could not be told apart.
    """
    slots: dict[str, tuple[Word, ...]] = {}
    for slot, child in node.mapping().items():
        words = [
            Word(entry.id, entry.forms, entry.values, entry.where, emotion=emotion)
            for emotion, entries in child.mapping().items()
            for entry in parse_entries(entries, stated=features, features=features)
        ]
        if doubles := repeated(word.id for word in words):
            raise child.error(f"the word {doubles[0]!r} stands under two emotions; give each its own concept")
        slots[slot] = tuple(words)
    return slots


def parse_entries(node: Node, *, stated: Features, features: Features) -> list[Entry]:
    """Read a list of words, or a mapping from ids to words.

    Args:
        node: The list or mapping.
        stated: The features an entry may state of itself.
        features: The grammatical features its forms may differ by.
    """
    if not node.value:
        raise node.error("is empty")
    if not isinstance(node.value, Mapping):
        texts = node.items()
        if doubles := repeated(child.text() for child in texts):
            raise node.error(f"{doubles[0]!r} is given twice")
        return [Entry(child.text(), child.text(), {}, child.where) for child in texts]
    return [_entry(id_, child, stated, features) for id_, child in node.mapping().items()]


def _entry(id_: str, node: Node, stated: Features, features: Features) -> Entry:
    """Read one word: a text, its forms, or `{forms: ..., <feature>: <value>}`; the id is the default form."""
    if not isinstance(node.value, Mapping):
        return Entry(id_, node.text(), {}, node.where)
    values = {value for feature in features.values() for value in feature.values}
    children = node.mapping()
    if children.keys() <= values:
        return Entry(id_, parse_forms(node, features), {}, node.where)
    for key, child in children.items():
        if key != "forms" and key not in stated:
            raise child.error(unknown("key", key, ("forms", *stated, *sorted(values))))
    forms = parse_forms(children.pop("forms"), features) if "forms" in children else id_
    return Entry(id_, forms, _values(children, stated), node.where)


def _values(children: Mapping[str, Node], stated: Features) -> dict[str, str]:
    return {name: choice(child, name, stated[name].values) for name, child in children.items()}


def parse_persons(
    declared: Node, groups: Node | None, phrases: Node | None, factors: Sequence[Factor], features: Features
) -> tuple[Person, ...]:
    """Read the names (`groups`) and the noun phrases (`phrases`); ids are unique, see `_distinct`.

    Args:
        declared: Where the factors are declared, for the errors about them.
        groups: A list of `{<factor>: <level>, ..., names: ...}`.
        phrases: Noun phrases with the factors that apply to them.
        factors: The factors.
        features: The grammatical features.

    Raises:
        ConfigError: A name lacks a factor or has an unknown level, a person stands twice in one group, a
            level has no person at all, or noun phrases state different factors.
    """
    # A level is a value of the long table: where a factor is a feature as well, its levels alone will do.
    stated = {**features, **as_features(factors)}
    names = tuple(factor.name for factor in factors)
    persons: list[Person] = []
    for group in groups.items() if groups is not None else []:
        persons += _named(group, names, features, stated)
    if phrases is not None:
        for entry in parse_entries(phrases, stated=stated, features=features):
            persons.append(Person(entry.id, entry.forms, entry.values, entry.where, kind=NOUN_PHRASE))
    _check_cells(declared, persons, factors)
    return _distinct(persons, names)


def _check_cells(declared: Node, persons: Sequence[Person], factors: Sequence[Factor]) -> None:
    """Check that every level has a person, and that all noun phrases state the same factors."""
    for factor in factors:
        used = {person.values.get(factor.name) for person in persons}
        if empty := [level for level in factor.levels if level not in used]:
            raise declared.child(factor.name, None).error(f"no person has the level {empty[0]!r}")
    phrases = [person for person in persons if person.kind == NOUN_PHRASE]
    for person in phrases:
        stated, first = ([f.name for f in factors if f.name in p.values] for p in (person, phrases[0]))
        if stated != first:
            raise ConfigError(
                f"{person.where}: states {' and '.join(stated) or 'no factor'}, but {phrases[0].id!r} states "
                f"{' and '.join(first) or 'no factor'}; noun phrases must all state the same factors"
            )


def _named(group: Node, factors: Sequence[str], features: Features, stated: Features) -> list[Person]:
    """Read one group of names: the levels they share, features they share, and the names."""
    entries = group.record(("names", *stated), required=(*factors, "names"))
    names = entries.pop("names")
    shared = _values(entries, stated)
    own = {name: feature for name, feature in features.items() if name not in factors}
    return [
        Person(entry.id, entry.forms, {**shared, **entry.values}, entry.where, kind=NAME)
        for entry in parse_entries(names, stated=own, features=features)
    ]


def _distinct(persons: list[Person], factors: Sequence[str]) -> tuple[Person, ...]:
    """Make ids unique: a name used in several groups gets its levels, as in "Maria (Latino, female)"."""
    shared = set(repeated(person.id for person in persons))
    named = []
    for person in persons:
        cell = ", ".join(person.values[name] for name in factors if name in person.values)
        named.append(replace(person, id=f"{person.id} ({cell})") if person.id in shared and cell else person)
    doubles = repeated(person.id for person in named)
    if doubles:
        again = [person for person in named if person.id == doubles[0]]
        raise ConfigError(
            f"{again[-1].where}: the person {doubles[0]!r} stands twice in one group; the other is {again[0].where}"
        )
    return tuple(named)
