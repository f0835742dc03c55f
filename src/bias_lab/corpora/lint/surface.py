"""Whether the sentences of an item are the same but for the person and what agrees with them."""

import json
from collections import Counter
from functools import lru_cache
from pathlib import Path

from bias_lab.corpora.lint.finding import Finding, brief, in_rows, told
from bias_lab.corpora.lint.groups import Difference, differences, outliers
from bias_lab.corpora.lint.subject import GRAMMATICAL, PERSON, Row, Subject, fold

_CONCEPTS = Path(__file__).with_name("concept_words.json")
_PREFIXES = ("بال", "وال", "كال", "فال", "لل", "ال", "ب", "ل")
_STEM, _SURE = 3, 4  # letters that two forms of one word must share at least


def group_surface(subject: Subject) -> list[Finding]:
    """Find items whose sentences differ between groups in more than the person.

    Sentences are compared with the person taken out; where the person is not found as written (a pronoun in
    another case), a sentence is left aside. A difference by gender may be agreement and is a note; by any other
    factor it confounds the effect of the group.
    """
    findings = []
    for at, factor in enumerate(subject.corpus.factors):
        if items := differences(subject, subject.frames, at):
            code = "EEC802" if factor.name in GRAMMATICAL else "EEC801"
            message = f"by {factor.name} in {told([brief(one.item) for one in items], limit=3)}: {_pair(items[0], at)}"
            if code == "EEC801":
                message += "; the difference counts as an effect of the group: use the same words"
            findings.append(Finding(code, len(items), "items", message, items[0].other))
    return findings


def _pair(one: Difference, at: int) -> str:
    return f"{one.row.levels[at]} {one.trait!r}, {one.other.levels[at]} {one.other_trait!r}"


def odd_sentences(subject: Subject) -> list[Finding]:
    """Find names whose sentence is not the one that most names of their group have."""
    odd: list[Row] = []
    for cells in subject.items.values():
        for rows in cells.values():
            if rows[0].person in subject.names:
                odd += outliers(rows, subject.frames)
    cases = Counter(f"{row.person} in {brief(row.template)}" for row in odd)
    return in_rows("EEC803", odd, f"{told(cases)}; the others of the group have another sentence")


def names_in_sentences(subject: Subject) -> list[Finding]:
    """Find names that are not written in their sentence as in the column of persons."""
    rows, cases = [], Counter[str]()
    for row, frame in zip(subject.rows, subject.frames, strict=True):
        if frame is None and row.person in subject.names:
            rows.append(row)
            name = subject.written[row.person]
            other = next((word for word in row.sentence.split() if fold(word).strip(".,") == fold(name)), None)
            cases[f"{name}, written {other}" if other else name] += 1
    return in_rows("EEC804", rows, f"{told(cases, limit=8)}; write the name alike, or the sentence says another person")


def emotion_words(subject: Subject) -> list[Finding]:
    """Find sentences without their emotion word in any form, apart those with another word of the corpus.

    Two words are forms of one where they share a beginning of at least three letters that leaves at most two
    letters of the shorter one, without the Arabic article and ة; that another word stands there needs four letters
    and leaves one.
    """
    vocabulary = tuple(sorted({row.word for row in subject.rows if row.word}))
    other, without = [], []
    others, words = Counter[str](), Counter[str]()
    for row, frame in zip(subject.rows, subject.frames, strict=True):
        if not row.word or row.word.casefold() in row.sentence.casefold():
            continue
        text = (frame or row.sentence).replace(PERSON, "")
        if _holds(text, row.word, _STEM):
            continue
        if instead := _first_held(text, vocabulary):
            other.append(row)
            others[f"{instead} for {row.word}"] += 1
        else:
            without.append(row)
            words[f"{row.word} in {brief(row.template)}"] += 1
    return [
        *in_rows("EEC805", other, f"{told(others)}; the words are shifted, or the column is wrong"),
        *in_rows("EEC806", without, f"{told(words)}; the sentence says another word than the column"),
    ]


def concepts(subject: Subject) -> list[Finding]:
    """Find emotion words that mean another concept than their item's or their English sentence's.

    The concept is that of a generated item ("7:grim") or the one word of the English sentence beside it that is a
    concept. Words and their concepts are a list of this project, Spanish only; unknown words pass.
    """
    meanings = _concept_words().get(subject.corpus.language, {})
    if not meanings:
        return []
    known: dict[str, set[str]] = {}
    for concept, words in meanings.items():
        for word in words:
            known.setdefault(_lemma(word), set()).add(concept)
    rows, cases = [], Counter[str]()
    for row in subject.rows:
        stated = _concept(row, meanings) if row.word else None
        meant = known.get(_lemma(row.word or ""))
        if stated and meant and stated not in meant:
            rows.append(row)
            cases[f"{row.word} for {stated}, but means {' or '.join(sorted(meant))}"] += 1
    return in_rows("EEC807", rows, f"{told(cases)}; are the words shifted against the concepts?")


def _concept(row: Row, meanings: dict[str, list[str]]) -> str | None:
    said = row.item.rpartition(":")[2]
    if said in meanings:
        return said
    words = [word for word in (row.gloss or "").lower().rstrip(".").split() if word in meanings]
    return words[0] if len(words) == 1 else None


def _lemma(word: str) -> str:
    """Return a Spanish adjective without its ending: aterrador, aterradoras -> aterrador; serias -> seri."""
    stem = fold(word).removesuffix("s")
    return stem[:-1] if stem.endswith(("a", "o", "e")) else stem


@lru_cache(maxsize=65536)
def _holds(text: str, word: str, least: int) -> bool:
    parts = [part for part in (_stem(one) for one in word.split()) if len(part) >= _STEM]
    tokens = [_stem(token) for token in text.split()]
    return any(_alike(part, token, least) for part in parts for token in tokens)


@lru_cache(maxsize=65536)
def _first_held(text: str, words: tuple[str, ...]) -> str | None:
    return next((word for word in words if _holds(text, word, _SURE)), None)


@lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    plain = fold(word).strip(".,;:!?¡¿؟\"'")
    prefix = next((one for one in _PREFIXES if plain.startswith(one) and len(plain) - len(one) >= _STEM), "")
    return plain.removeprefix(prefix).removesuffix("ه")


def _alike(one: str, other: str, least: int) -> bool:
    shorter = min(len(one), len(other))
    shared = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), shorter)
    return one == other or shared >= max(least, shorter - (2 if least == _STEM else 1))


@lru_cache(maxsize=1)
def _concept_words() -> dict[str, dict[str, list[str]]]:
    return json.loads(_CONCEPTS.read_text(encoding="utf-8"))
