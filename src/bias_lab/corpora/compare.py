"""What is only in one of two corpora, and why."""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass

from bias_lab.corpora.corpus import Corpus


def _case(text: str) -> str:
    return text.casefold()


def _punctuation(text: str) -> str:
    return "".join(char for char in text if unicodedata.category(char)[0] not in "PS")


def _accents(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text)
    return unicodedata.normalize("NFC", "".join(char for char in plain if not unicodedata.combining(char)))


def _spacing(text: str) -> str:
    return " ".join(text.split())


# Each aspect with what takes it out of a sentence. Spacing comes last: taking a mark out may leave two blanks.
ASPECTS: dict[str, Callable[[str], str]] = {
    "case": _case,
    "punctuation": _punctuation,
    "accents": _accents,
    "spacing": _spacing,
}
EXAMPLES = 3
LABELS = ("person_kind", "emotion")
_WORD = re.compile(r"\S+")
_HOLE = "\ufffc"  # stands for the word in which two sentences differ


@dataclass(frozen=True)
class Pair:
    """Two sentences that correspond, one of each corpus, and what they differ in."""

    left: str
    right: str
    reasons: tuple[str, ...]  # names in ASPECTS, "word", or "label <column>"


@dataclass(frozen=True)
class Single:
    """A sentence without a counterpart; `copy` where the other corpus has it too, but less often."""

    sentence: str
    copy: bool


@dataclass(frozen=True)
class Comparison:
    """Two corpora side by side; a sentence counts as often as it stands there.

    Attributes:
        equal: How many sentences are in both, labels included.
        pairs: Sentences that correspond but differ.
        only_left: Sentences of the left corpus without a counterpart.
        only_right: Sentences of the right corpus without a counterpart.
    """

    equal: int
    pairs: tuple[Pair, ...]
    only_left: tuple[Single, ...]
    only_right: tuple[Single, ...]

    @property
    def same(self) -> bool:
        """Whether both hold the same sentences, equally often, with the same labels."""
        return not (self.pairs or self.only_left or self.only_right)


Line = tuple[str, ...]  # a sentence and its labels


def compare(left: Corpus, right: Corpus) -> Comparison:
    """Pair the sentences of two corpora: equal ones, then those alike but for some aspects, then but for one word.

    Labels are the factors that both have, person_kind and emotion; items, emotion words and ids of persons are
    not compared, as two corpora may well name them otherwise. Partners of the same labels come first.
    """
    shared = [factor.name for factor in left.factors if factor.name in {other.name for other in right.factors}]
    columns = ["sentence", *shared, *LABELS]
    lines, others = (_lines(corpus, columns) for corpus in (left, right))
    equal = lines & others
    rest, rest_others = sorted((lines - equal).elements()), sorted((others - equal).elements())
    sentences, other_sentences = {line[0] for line in lines}, {line[0] for line in others}
    pairs: list[tuple[Line, Line]] = []
    for keys in (_as_written, _plain_labelled, _plain_only, _gapped_labelled, _gapped_only):
        pairs += _take(rest, rest_others, keys)
    return Comparison(
        equal.total(),
        tuple(
            Pair(one[0], other[0], (*_reasons(one[0], other[0]), *_labels(one, other, columns))) for one, other in pairs
        ),
        tuple(Single(line[0], line[0] in other_sentences) for line in rest),
        tuple(Single(line[0], line[0] in sentences) for line in rest_others),
    )


def _lines(corpus: Corpus, columns: Sequence[str]) -> Counter[Line]:
    cells = [corpus.table[column].fillna("").tolist() for column in columns]
    return Counter(zip(*cells, strict=True))


def _take(left: list[Line], right: list[Line], keys: Callable[[Line], Iterable[Hashable]]) -> list[tuple[Line, Line]]:
    """Take pairs of lines with a key in common out of both lists."""
    waiting: dict[Hashable, list[Line]] = defaultdict(list)
    for line in dict.fromkeys(right):
        for key in keys(line):
            waiting[key].append(line)
    left_over = Counter(right)
    pairs, unpaired = [], []
    for line in left:
        candidates = (other for key in keys(line) for other in waiting.get(key, ()) if left_over[other])
        partner = next(candidates, None)
        if partner is None:
            unpaired.append(line)
        else:
            left_over[partner] -= 1
            pairs.append((line, partner))
    left[:] = unpaired
    right[:] = sorted(left_over.elements())
    return pairs


def _as_written(line: Line) -> list[Hashable]:
    return [line[0]]


def _plain_labelled(line: Line) -> list[Hashable]:
    return [(_plain(line[0]), line[1:])]


def _plain_only(line: Line) -> list[Hashable]:
    return [_plain(line[0])]


def _gapped_labelled(line: Line) -> list[Hashable]:
    return [(key, line[1:]) for key in _gapped_only(line)]


def _gapped_only(line: Line) -> list[Hashable]:
    """Return the words of a sentence with each of them left out in turn."""
    words = _plain(line[0]).split()
    return [(*words[:at], _HOLE, *words[at + 1 :]) for at in range(len(words))]


def _plain(text: str) -> str:
    for strip in ASPECTS.values():
        text = strip(text)
    return text


def _labels(left: Line, right: Line, columns: Sequence[str]) -> tuple[str, ...]:
    cells = zip(columns[1:], left[1:], right[1:], strict=True)
    return tuple(f"label {column}" for column, one, other in cells if one != other)


def _reasons(left: str, right: str) -> tuple[str, ...]:
    """Return what two sentences differ in: an aspect counts where taking out all the others leaves them unequal."""
    if _plain(left) != _plain(right):
        return ("word", *_reasons(*_without_other_word(left, right)))
    found = []
    for aspect in ASPECTS:
        one, other = left, right
        for name, strip in ASPECTS.items():
            if name != aspect:
                one, other = strip(one), strip(other)
        if one != other:
            found.append(aspect)
    return tuple(found)


def _without_other_word(left: str, right: str) -> tuple[str, str]:
    """Put one letter for the word in which two sentences differ; the marks around it stay to be compared."""
    pairs = zip(_WORD.finditer(left), _WORD.finditer(right), strict=False)
    for one, other in pairs:
        if _plain(one[0]) != _plain(other[0]):
            left = left[: one.start()] + _hole(one[0]) + left[one.end() :]
            right = right[: other.start()] + _hole(other[0]) + right[other.end() :]
            break
    return (left, right) if _plain(left) == _plain(right) else ("", "")


def _hole(word: str) -> str:
    """Put the letter x for a word within its marks: "(sad)." becomes "(x)."."""
    letters = [at for at, char in enumerate(word) if char.isalnum()]
    return f"{word[: letters[0]]}x{word[letters[-1] + 1 :]}" if letters else word


def told(comparison: Comparison, left: str, right: str) -> list[str]:
    """Return the lines that tell a comparison: counts by reason, each with an example."""
    lines = [f"{comparison.equal:,} sentences are in both"]
    by_reasons: dict[tuple[str, ...], list[Pair]] = defaultdict(list)
    for pair in comparison.pairs:
        by_reasons[pair.reasons].append(pair)
    for reasons, pairs in sorted(by_reasons.items(), key=lambda item: -len(item[1])):
        lines.append(f"{len(pairs):,} differ in {', '.join(reasons)}")
        lines += [f"    {left}: {pairs[0].left}", f"    {right}: {pairs[0].right}"]
    for name, other, singles in ((left, right, comparison.only_left), (right, left, comparison.only_right)):
        copies = [one for one in singles if one.copy]
        for some, what in (
            ([one for one in singles if not one.copy], f"only in {name}"),
            (copies, f"more often in {name} than in {other}"),
        ):
            if some:
                lines += [f"{len(some):,} {what}", *(f"    {one.sentence}" for one in some[:EXAMPLES])]
    return lines
