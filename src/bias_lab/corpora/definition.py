"""A generated corpus as its file defines it, checked but not yet expanded."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from bias_lab.corpora.corpus import Factor
from bias_lab.corpora.factors import as_features, parse_factors, parse_features
from bias_lab.corpora.fillers import Person, Word, parse_persons, parse_words
from bias_lab.corpora.grammar import Feature
from bias_lab.corpora.node import Node
from bias_lab.corpora.templates import (
    PERSON,
    Agreeing,
    Template,
    parse_agreeing,
    parse_agreement,
    parse_templates,
)

REQUIRED = (
    "name",
    "language",
    "version",
    "licence",
    "source",
    "verified_by_native_speaker",
    "factors",
    "templates",
)
OPTIONAL = ("kind", "features", "slots", "agreeing", "contractions", "words", "noun_phrases", "persons")


@dataclass(frozen=True)
class Definition:
    """Everything a generated corpus is made of.

    Attributes:
        name: The corpus' name.
        language: Language code.
        version: Version of the corpus.
        licence: Licence of the corpus.
        source: Where its words and names come from.
        verified_by_native_speaker: Whether a native speaker has read this edition.
        factors: The identity dimensions.
        features: The grammatical features by name.
        agreement: For a word slot, the features in which its words follow the person.
        agreeing: Function words by slot name.
        contractions: Words that merge where they meet, such as Spanish "a el" to "al".
        words: Emotion words by slot.
        persons: Names first, then noun phrases.
        templates: The sentence patterns.
    """

    name: str
    language: str
    version: str
    licence: str
    source: str
    verified_by_native_speaker: bool
    factors: tuple[Factor, ...]
    features: Mapping[str, Feature]
    agreement: Mapping[str, tuple[str, ...]]
    agreeing: Mapping[str, Agreeing]
    contractions: Mapping[str, str]
    words: Mapping[str, tuple[Word, ...]]
    persons: tuple[Person, ...]
    templates: tuple[Template, ...]

    @cached_property
    def defaults(self) -> dict[str, str]:
        """The features that have a default value."""
        return {name: f.default for name, f in self.features.items() if f.default is not None}


def parse_definition(node: Node) -> Definition:
    """Check a merged corpus file and read it.

    Raises:
        ConfigError: Names the file, the key, what was got and what is allowed.
    """
    entries = node.record((*REQUIRED, *OPTIONAL), required=REQUIRED)

    def part(key: str) -> Node:
        return entries.get(key, node.child(key, {}))

    if not entries.keys() & {"persons", "noun_phrases"}:
        raise node.error("has no persons: give names (persons), noun_phrases, or both")
    factors = parse_factors(entries["factors"])
    features = parse_features(part("features"), factors)
    everything = {**as_features(factors), **features}
    words = parse_words(part("words"), features)
    if PERSON in words:
        raise part("words").error("'person' is the slot of the persons; name this slot otherwise")
    agreeing = parse_agreeing(part("agreeing"), (PERSON, *words), everything)
    persons = parse_persons(entries["factors"], entries.get("persons"), entries.get("noun_phrases"), factors, features)
    return Definition(
        name=entries["name"].file_name(),
        language=entries["language"].text(),
        version=entries["version"].text(),
        licence=entries["licence"].text(),
        source=entries["source"].text(),
        verified_by_native_speaker=entries["verified_by_native_speaker"].flag(),
        factors=factors,
        features=features,
        agreement=parse_agreement(part("slots"), tuple(words), features),
        agreeing=agreeing,
        contractions={key: child.text() for key, child in part("contractions").mapping().items()},
        words=words,
        persons=persons,
        templates=parse_templates(entries["templates"], tuple(words), agreeing, features, everything),
    )
