"""What the linter finds: codes that stay the same from version to version, and findings."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from bias_lab.corpora.lint.subject import Row

Severity = Literal["error", "warning", "note"]

# code -> (severity, title). An error biases a comparison of groups, breaks the regression or is no correct sentence;
# a warning may be right and needs a look; a note is true of a sound corpus as well and belongs into the paper.
CODES: dict[str, tuple[Severity, str]] = {
    "EEC001": ("error", "cannot be read as a corpus"),
    "EEC002": ("note", "no grammar checks for this language"),
    "EEC101": ("error", "the same sentence twice within an emotion"),
    "EEC102": ("error", "the same sentence under two emotions"),
    "EEC103": ("error", "the same sentence for two persons"),
    "EEC201": ("error", "unequal rows per person"),
    "EEC202": ("error", "person missing from an item"),
    "EEC203": ("error", "item without a whole group"),
    "EEC204": ("warning", "item without a whole gender"),
    "EEC205": ("error", "person twice in an item"),
    "EEC206": ("warning", "unequal items per emotion"),
    "EEC207": ("warning", "emotion without a task"),
    "EEC208": ("warning", "items that do not match"),
    "EEC301": ("error", "unknown level"),
    "EEC302": ("error", "empty level"),
    "EEC303": ("error", "level without a person"),
    "EEC304": ("error", "one level in two spellings"),
    "EEC305": ("error", "empty cell"),
    "EEC306": ("error", "factors that cannot be told apart"),
    "EEC307": ("warning", "group of one person"),
    "EEC308": ("note", "groups of different size"),
    "EEC309": ("warning", "factor with one level"),
    "EEC401": ("error", "two blanks in a row"),
    "EEC402": ("error", "blank at an end"),
    "EEC403": ("error", "control or invisible character"),
    "EEC404": ("error", "blank other than the plain one"),
    "EEC405": ("error", "two scripts in one word"),
    "EEC406": ("warning", "word in another script"),
    "EEC407": ("error", "letters and marks not composed (NFC)"),
    "EEC408": ("error", "presentation form or ligature"),
    "EEC409": ("warning", "tatweel"),
    "EEC410": ("error", "placeholder or markup left over"),
    "EEC421": ("warning", "vowel signs on some names only"),
    "EEC422": ("warning", "one word in two spellings"),
    "EEC423": ("error", "ه for ة at the end of a word"),
    "EEC424": ("error", "letter of another language's Arabic script"),
    "EEC501": ("error", "subject pronoun after a verb or preposition"),
    "EEC502": ("error", "object pronoun as a subject"),
    "EEC503": ("error", "a for an, or an for a"),
    "EEC504": ("error", "pronoun of another gender than the person's"),
    "EEC505": ("error", "verb does not agree with its subject"),
    "EEC511": ("error", "a el, de el"),
    "EEC512": ("error", "el for él, or él for el"),
    "EEC513": ("error", "yo, tú, mí, ti, sí after the wrong preposition"),
    "EEC514": ("error", "ending of another gender than the person's"),
    "EEC515": ("error", "person as an object without a"),
    "EEC516": ("error", "a él, a ella without lo, la"),
    "EEC521": ("error", "verb or pronoun of another gender than the person's"),
    "EEC522": ("error", "article or preposition apart from its word"),
    "EEC523": ("error", "attached pronoun beside the person it stands for"),
    "EEC601": ("warning", "no sentence has an end mark"),
    "EEC602": ("error", "some sentences have no end mark"),
    "EEC603": ("error", "end marks differ between groups"),
    "EEC604": ("warning", "small letter at the start"),
    "EEC605": ("error", "capitals at the start differ between groups"),
    "EEC606": ("error", "misplaced or doubled punctuation"),
    "EEC607": ("warning", "quotation mark, bracket, ¿ or ¡ without a partner"),
    "EEC608": ("error", "name with a small letter"),
    "EEC701": ("warning", "name in two groups"),
    "EEC702": ("note", "name that is a common word"),
    "EEC703": ("warning", "name that is a word of feeling"),
    "EEC704": ("warning", "two names that differ by accents or case only"),
    "EEC801": ("error", "sentence differs between groups beyond the person"),
    "EEC802": ("note", "sentence agrees with the person's gender"),
    "EEC803": ("warning", "sentence differs within a group beyond the person"),
    "EEC804": ("warning", "name not written in its sentence"),
    "EEC805": ("error", "sentence with another emotion word"),
    "EEC806": ("warning", "sentence without its emotion word"),
    "EEC807": ("warning", "emotion word that means another concept"),
}


@dataclass(frozen=True)
class Finding:
    """One kind of flaw in a corpus.

    Attributes:
        code: Stable, such as `EEC101`; its severity and title are in `CODES`.
        count: How many `unit`s have it, at least 1.
        unit: What is counted: `sentences`, `persons`, `items`, ...
        message: What is wrong, where, and how to mend it.
        example: The first sentence that has it, where it is a matter of sentences.
    """

    code: str
    count: int
    unit: str
    message: str
    example: Row | None = None

    @property
    def severity(self) -> Severity:
        """`error`, `warning` or `note`."""
        return CODES[self.code][0]

    @property
    def title(self) -> str:
        """What the code stands for."""
        return CODES[self.code][1]


def in_rows(code: str, rows: Sequence[Row], message: str) -> list[Finding]:
    """Return the finding that these sentences share, or nothing where there are none."""
    return [Finding(code, len(rows), "sentences", message, rows[0])] if rows else []


def listed(words: Counter[str] | Sequence[str], *, limit: int = 6) -> str:
    """Quote the most frequent words with their counts, or the first of a list; the rest is counted."""
    counts = dict(words.most_common()) if isinstance(words, Counter) else dict.fromkeys(words)
    told = [f"{word!r}{f' ({count}x)' if count else ''}" for word, count in counts.items()]
    return _first(told, limit, ", ")


def told(cases: Counter[str] | Sequence[str], *, limit: int = 4) -> str:
    """Give cases that are phrases of their own as `listed` does, without quotes."""
    counts = dict(cases.most_common()) if isinstance(cases, Counter) else dict.fromkeys(cases)
    return _first([f"{case}{f' ({count}x)' if count else ''}" for case, count in counts.items()], limit, "; ")


def brief(text: str, width: int = 60) -> str:
    """Cut a long template or item."""
    return text if len(text) <= width else f"{text[: width - 1]}…"


def _first(texts: list[str], limit: int, separator: str) -> str:
    return separator.join(texts[:limit]) + (f" and {len(texts) - limit} more" if len(texts) > limit else "")
