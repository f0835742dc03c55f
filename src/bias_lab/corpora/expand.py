"""Expand a definition to sentences: every person in every item."""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

import pandas as pd

from bias_lab.corpora.corpus import COLUMNS_AFTER_FACTORS, COLUMNS_BEFORE_FACTORS, long_table
from bias_lab.corpora.definition import Definition
from bias_lab.corpora.fillers import Entry, Person, Word
from bias_lab.corpora.grammar import Slot, capitalise, pick
from bias_lab.corpora.templates import PERSON, Target, Template
from bias_lab.errors import ConfigError


def expand(definition: Definition) -> pd.DataFrame:
    """Return the long table of a corpus, ordered by template, emotion word and person.

    `item` is "<template>:<concept>", or the template alone where it is neutral; `emotion_word` is the word as
    the sentence has it, agreement included.

    Raises:
        ConfigError: A word lacks a form that some sentence needs; the message names word, form and sentence.
    """
    factors = [factor.name for factor in definition.factors]
    columns: dict[str, list[str | None]] = {
        name: [] for name in (*COLUMNS_BEFORE_FACTORS, *factors, *COLUMNS_AFTER_FACTORS)
    }
    polish = _polisher(definition.contractions)
    for template in definition.templates:
        for word in definition.words[template.word_slot] if template.word_slot else (None,):
            item = f"{template.id}:{word.id}" if word else template.id
            for person in definition.persons:
                sentence, surface = _sentence(definition, template, word, person)
                columns["sentence"].append(polish(sentence))
                columns["emotion_word"].append(surface)
            count = len(definition.persons)
            columns["eec"] += [definition.name] * count
            columns["template"] += [template.id] * count
            columns["item"] += [item] * count
            columns["emotion"] += [word.emotion if word else None] * count
            columns["person"] += [person.id for person in definition.persons]
            columns["person_kind"] += [person.kind for person in definition.persons]
            for factor in factors:
                columns[factor] += [person.values.get(factor) for person in definition.persons]
    return long_table(columns, definition.factors)


class _Scene(NamedTuple):
    """What stands in the slots of one sentence; `use` names the sentence in errors."""

    definition: Definition
    fillers: Mapping[str, Entry]
    use: str


def _sentence(definition: Definition, template: Template, word: Word | None, person: Person) -> tuple[str, str | None]:
    """Fill one pattern; return the raw sentence and the emotion word as it stands there."""
    fillers: dict[str, Entry] = {PERSON: person}
    if word and template.word_slot:
        fillers[template.word_slot] = word
    scene = _Scene(definition, fillers, f"template {template.id} with {person.id!r}")
    pattern = next(
        variant.pattern
        for variant in template.variants
        if all(_value(scene, target, None) in values for target, values in variant.when)
    )
    slots = [part for part in pattern if isinstance(part, Slot)]
    filled = {slot: _fill(scene, slot) for slot in slots if slot.name in fillers}
    # Function words come second: "a" or "an" depends on how the word beside it turned out.
    surfaces = {slot.name: surface for slot, surface in filled.items()}
    filled |= {slot: _agree(scene, slot, surfaces) for slot in slots if slot.name not in fillers}
    text = "".join(part if isinstance(part, str) else filled[part] for part in pattern)
    return text, surfaces[template.word_slot] if template.word_slot else None


def _fill(scene: _Scene, slot: Slot) -> str:
    """Return the form of a person or word: by defaults, its own values, what it agrees in, what is fixed."""
    filler = scene.fillers[slot.name]
    if isinstance(filler.forms, str):
        return filler.forms
    fixed = dict(slot.fixed)
    agreed = {
        feature: _value(scene, (PERSON, feature), None)
        for feature in scene.definition.agreement.get(slot.name, ())
        if feature not in fixed
    }
    values = {**scene.definition.defaults, **filler.values, **agreed, **fixed}
    return pick(filler.forms, values, where=filler.where, use=scene.use)


def _agree(scene: _Scene, slot: Slot, surfaces: Mapping[str, str]) -> str:
    """Return the form of a function word."""
    agreeing = scene.definition.agreeing[slot.name]
    fixed = dict(slot.fixed)
    values = {
        feature: fixed.get(feature) or _value(scene, (name, feature), surfaces.get(name))
        for name, feature in agreeing.targets
    }
    return pick(agreeing.forms, values, where=agreeing.where, use=scene.use)


def _value(scene: _Scene, target: Target, surface: str | None) -> str:
    """Return a feature of what stands in a slot: as stated, else by its spelling, else the default."""
    slot, name = target
    filler = scene.fillers[slot]
    feature = scene.definition.features.get(name)
    value = filler.values.get(name)
    if value is None and feature:
        value = feature.of(surface) if surface is not None else feature.default
    if value is None:
        raise ConfigError(
            f"{filler.where}: {filler.id!r} has no {name}, which {scene.use} needs; "
            "state it there or give the feature a default"
        )
    return value


def _polisher(contractions: Mapping[str, str]) -> Callable[[str], str]:
    """Return what makes a sentence of filled slots: contractions, single blanks, a capital at the start."""
    whole = dict(contractions)
    whole |= {capitalise(words): capitalise(merged) for words, merged in contractions.items()}
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, whole))})(?!\w)") if whole else None

    def polish(text: str) -> str:
        text = " ".join(text.split())
        return capitalise(pattern.sub(lambda match: whole[match[0]], text) if pattern else text)

    return polish
