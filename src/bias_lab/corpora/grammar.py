"""Grammar as data: features with values, words with forms, and sentence patterns with slots.

A *feature* (gender, number, case, onset) has values. A word has *forms*: one text, or a choice by the value
of a feature, which may lead to further choices. A *pattern* is a sentence with slots such as `{person}`,
`{person:object}` or `{situation:female,plural}`; what follows the colon fixes values of features.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bias_lab.corpora.node import Node, unknown
from bias_lab.errors import ConfigError

Values = Mapping[str, str]  # feature -> value

_SLOT = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True)
class Feature:
    """A grammatical feature.

    Attributes:
        name: Its name.
        values: The values it may have.
        default: The value of a word that says nothing.
        starts_with: For some values, the beginnings by which a word that says nothing is known to have them.
    """

    name: str
    values: tuple[str, ...]
    default: str | None = None
    starts_with: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def of(self, surface: str) -> str | None:
        """Return the value of a word that says nothing, by how it is written here."""
        return next((value for value, starts in self.starts_with if surface.lower().startswith(starts)), self.default)


Features = Mapping[str, Feature]


@dataclass(frozen=True)
class Choice:
    """Forms by the value of one feature."""

    feature: str
    options: Mapping[str, "Forms"]


Forms = str | Choice


def parse_forms(node: Node, features: Features, *, empty: bool = False) -> Forms:
    """Read the forms of a word: a text, or a mapping from values of one feature to forms.

    Args:
        node: The forms.
        features: The features forms may be chosen by.
        empty: Whether a form may be empty (a function word that some persons do without).

    Raises:
        ConfigError: A key is no value of these features, or the keys of one mapping belong to two features.
    """
    if not isinstance(node.value, Mapping):
        return node.text(empty=empty)
    entries = node.mapping()
    if not entries:
        raise node.error("has no forms")
    owner = {value: feature.name for feature in features.values() for value in feature.values}
    for key, child in entries.items():
        if key not in owner:
            raise child.error(unknown("feature value", key, owner))
    names = {owner[key] for key in entries}
    if len(names) > 1:
        raise node.error(f"mixes values of {' and '.join(sorted(names))}; nest one inside the other")
    return Choice(names.pop(), {key: parse_forms(child, features, empty=empty) for key, child in entries.items()})


def pick(forms: Forms, values: Values, *, where: str, use: str) -> str:
    """Return the form for these values.

    Args:
        forms: The forms of one word.
        values: The value of each feature in this sentence.
        where: The word's place, for the error.
        use: Template and person, for the error.

    Raises:
        ConfigError: The value is unknown here, or the word has no form for it.
    """
    while isinstance(forms, Choice):
        value = values.get(forms.feature)
        if value is None:
            raise ConfigError(
                f"{where}: its forms differ by {forms.feature} ({', '.join(forms.options)}), but nothing "
                f"says which one {use} needs; fix it in the template, as in "
                f"{{slot:{next(iter(forms.options))}}}, let the slot agree with the person (slots), "
                "or give the feature a default"
            )
        if value not in forms.options:
            raise ConfigError(
                f"{where}: no form for {forms.feature} {value!r}, which {use} needs; it has {', '.join(forms.options)}"
            )
        forms = forms.options[value]
    return forms


@dataclass(frozen=True)
class Slot:
    """A place in a pattern: what fills it, and the values of features that the template fixes."""

    name: str
    fixed: tuple[tuple[str, str], ...] = ()


Pattern = tuple[str | Slot, ...]


def parse_pattern(node: Node, slots: Iterable[str], features: Features) -> Pattern:
    """Read a sentence with slots.

    Raises:
        ConfigError: A brace is left over, a slot is unknown, or a fixed value belongs to no feature.
    """
    text = node.text()
    if set(_SLOT.sub("", text)) & {"{", "}"}:
        raise node.error(f"a brace has no partner in {text!r}; slots look like {{person}}")
    parts: list[str | Slot] = []
    for position, part in enumerate(_SLOT.split(text)):
        parts.append(_parse_slot(node, part, tuple(slots), features) if position % 2 else part)
    return tuple(part for part in parts if part != "")


def _parse_slot(node: Node, text: str, slots: tuple[str, ...], features: Features) -> Slot:
    name, _, selector = (piece.strip() for piece in text.partition(":"))
    if name not in slots:
        raise node.error(unknown("slot", name, slots))
    owner = {value: feature.name for feature in features.values() for value in feature.values}
    fixed: dict[str, str] = {}
    for value in (piece.strip() for piece in selector.split(",") if selector):
        if value not in owner:
            raise node.error(f"{{{text}}}: {unknown('feature value', value, owner)}")
        if owner[value] in fixed:
            raise node.error(f"{{{text}}}: fixes {owner[value]} twice")
        fixed[owner[value]] = value
    return Slot(name, tuple(fixed.items()))


def capitalise(sentence: str) -> str:
    """Give the sentence's first letter its title case; scripts without case are left alone."""
    for position, char in enumerate(sentence):
        if char.isalnum():
            return sentence[:position] + char.title() + sentence[position + 1 :]
    return sentence
