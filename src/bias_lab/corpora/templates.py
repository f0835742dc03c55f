"""Read the sentence patterns and the function words that agree with what stands in their slots."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bias_lab.corpora.grammar import Features, Forms, Pattern, Slot, parse_forms, parse_pattern
from bias_lab.corpora.node import Node, unknown

PERSON = "person"

Target = tuple[str, str]  # (slot, feature)


@dataclass(frozen=True)
class Agreeing:
    """A function word whose form follows features of what stands in other slots."""

    targets: tuple[Target, ...]
    forms: Forms
    where: str


@dataclass(frozen=True)
class Variant:
    """A pattern, and the values under which it is used (every target must have one of its values)."""

    when: tuple[tuple[Target, tuple[str, ...]], ...]
    pattern: Pattern


@dataclass(frozen=True)
class Template:
    """A sentence pattern.

    Attributes:
        id: Its id.
        word_slot: The slot of its emotion word; None for a neutral template.
        variants: Patterns in the order they are tried; the last one has no conditions.
    """

    id: str
    word_slot: str | None
    variants: tuple[Variant, ...]


def parse_targets(node: Node, slots: Sequence[str], features: Features) -> tuple[Target, ...]:
    """Read `with`: one `slot.feature` or a list of them.

    Raises:
        ConfigError: The slot or feature is unknown, or a feature is followed twice.
    """
    targets = tuple(parse_target(node, text, slots, features) for text in node.texts())
    followed = [feature for _, feature in targets]
    if len(set(followed)) < len(followed):
        raise node.error("follows the same feature in two slots")
    return targets


def parse_target(node: Node, text: str, slots: Sequence[str], features: Features) -> Target:
    """Read one `slot.feature`."""
    slot, dot, feature = text.partition(".")
    if not dot:
        raise node.error(f"must look like person.gender, got {text!r}")
    if slot not in slots:
        raise node.error(unknown("slot", slot, slots))
    if feature not in features:
        raise node.error(unknown("feature", feature, features))
    return slot, feature


def parse_agreement(node: Node, slots: Sequence[str], features: Features) -> dict[str, tuple[str, ...]]:
    """Read `slots`: for each word slot, the features in which its words follow the person."""
    agreement = {}
    for name, child in node.mapping().items():
        if name not in slots:
            raise child.error(unknown("slot", name, slots))
        entries = child.record(("with",), required=("with",))
        agreement[name] = tuple(feature for _, feature in parse_targets(entries["with"], (PERSON,), features))
    return agreement


def parse_agreeing(node: Node, slots: Sequence[str], features: Features) -> dict[str, Agreeing]:
    """Read the function words; a form may be empty where some persons do without the word."""
    agreeing = {}
    for name, child in node.mapping().items():
        if name in slots:
            raise child.error(f"{name!r} is the name of another slot already")
        entries = child.record(("with", "forms"), required=("with", "forms"))
        targets = parse_targets(entries["with"], slots, features)
        followed = {feature: features[feature] for _, feature in targets}
        forms = parse_forms(entries["forms"], followed, empty=True)
        agreeing[name] = Agreeing(targets, forms, entries["forms"].where)
    return agreeing


def parse_templates(
    node: Node,
    word_slots: Sequence[str],
    agreeing: Mapping[str, Agreeing],
    features: Features,
    everything: Features,
) -> tuple[Template, ...]:
    """Read the templates, in the order given.

    Args:
        node: Template ids to a pattern, or to `{text: pattern, variants: [{when: ..., text: pattern}]}`.
        word_slots: The slots emotion words fill.
        agreeing: The function words.
        features: The grammatical features, whose values a slot may fix.
        everything: These and the factors, by which variants may be chosen.
    """
    templates = []
    for id_, child in node.mapping().items():
        patterns = _patterns(child, (*word_slots, *agreeing), word_slots, features, everything)
        word_slot = _word_slot(child, [variant for _, variant in patterns], word_slots)
        for place, variant in patterns:
            _check_agreement(place, variant, word_slot, agreeing)
        templates.append(Template(id_, word_slot, tuple(variant for _, variant in patterns)))
    if not templates:
        raise node.error("has no templates")
    return tuple(templates)


def _patterns(
    node: Node, slots: Sequence[str], word_slots: Sequence[str], features: Features, everything: Features
) -> list[tuple[Node, Variant]]:
    """Read the variants of one template with their places; the one without conditions comes last."""
    entries = {"text": node}
    if isinstance(node.value, Mapping):
        entries = node.record(("text", "variants"), required=("text",))
    patterns = []
    for variant in entries["variants"].items() if "variants" in entries else []:
        fields = variant.record(("when", "text"), required=("when", "text"))
        when = _conditions(fields["when"], (PERSON, *word_slots), everything)
        patterns.append((fields["text"], Variant(when, parse_pattern(fields["text"], (PERSON, *slots), features))))
    text = entries["text"]
    return [*patterns, (text, Variant((), parse_pattern(text, (PERSON, *slots), features)))]


def _conditions(node: Node, slots: Sequence[str], features: Features) -> tuple[tuple[Target, tuple[str, ...]], ...]:
    conditions = []
    for key, child in node.mapping().items():
        target = parse_target(child, key, slots, features)
        values = child.texts()
        for value in values:
            if value not in features[target[1]].values:
                raise child.error(unknown(target[1], value, features[target[1]].values))
        conditions.append((target, values))
    return tuple(conditions)


def _word_slot(node: Node, variants: Sequence[Variant], word_slots: Sequence[str]) -> str | None:
    """Return the one word slot that all patterns of a template share."""
    used = [tuple({slot.name for slot in _slots(variant.pattern)} & set(word_slots)) for variant in variants]
    if any(len(names) > 1 for names in used):
        several = next(names for names in used if len(names) > 1)
        raise node.error(f"a template has one emotion word at most, got {', '.join(sorted(several))}")
    if len(set(used)) > 1:
        raise node.error("its variants must all have the emotion word, and the same one")
    return used[0][0] if used[0] else None


def _check_agreement(node: Node, variant: Variant, word_slot: str | None, agreeing: Mapping[str, Agreeing]) -> None:
    """Check that what a pattern's function words agree with is there, and that the person shows."""
    names = [slot.name for slot in _slots(variant.pattern)]
    followed = [(name, target) for name in names if name in agreeing for target, _ in agreeing[name].targets]
    followed += [("when", target) for (target, _), _ in variant.when]
    for name, target in followed:
        if target not in (PERSON, word_slot):
            raise node.error(f"{name!r} depends on {{{target}}}, which this template does not have")
    if PERSON not in (*names, *(target for _, target in followed)):
        raise node.error("has no {person}: every person would get the same sentence")


def _slots(pattern: Pattern) -> list[Slot]:
    return [part for part in pattern if isinstance(part, Slot)]
