"""A corpus as the checks read it: rows, and each sentence with a mark in the person's place."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from bias_lab.corpora.corpus import NAME, Corpus

PERSON = "⟨person⟩"
_SEX = dict.fromkeys(("female", "woman", "women", "girl", "feminine", "f", "w"), "female")
_SEX |= dict.fromkeys(("male", "man", "men", "boy", "masculine", "m"), "male")
# Factors in which a sentence may agree with its person; differences by any other factor are flaws.
GRAMMATICAL = ("gender", "sex", "number", "pronoun", "pronouns")
_FOLDED = str.maketrans("أإآٱة", "ااااه", "ـ")


class Row(NamedTuple):
    """One sentence of a corpus; missing values are None."""

    number: int  # from 1, in the order of the long table; a CSV file has it one line further down
    sentence: str
    template: str
    item: str
    person: str
    kind: str
    levels: tuple[str | None, ...]  # in the order of the corpus' factors
    emotion: str | None
    word: str | None
    gloss: str | None  # the English sentence that some files put beside


Cell = tuple[str, tuple[str | None, ...]]  # (person_kind, levels)


@dataclass(frozen=True, eq=False)
class Subject:
    """A corpus under examination.

    Attributes:
        corpus: The corpus.
        glosses: English sentences beside its n sentences, where the file has them.
    """

    corpus: Corpus
    glosses: tuple[str, ...] | None = None

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """Every sentence, in order."""
        table = self.corpus.table.astype(object).where(self.corpus.table.notna(), None)
        one = {name: table[name].tolist() for name in table.columns}
        levels = list(zip(*(one[factor.name] for factor in self.corpus.factors), strict=True))
        return tuple(
            map(
                Row,
                range(1, len(table) + 1),
                one["sentence"],
                one["template"],
                one["item"],
                one["person"],
                one["person_kind"],
                levels or [()] * len(table),
                one["emotion"],
                one["emotion_word"],
                self.glosses or [None] * len(table),
            )
        )

    @cached_property
    def persons(self) -> dict[str, Row]:
        """The first row of each person."""
        first: dict[str, Row] = {}
        for row in self.rows:
            first.setdefault(row.person, row)
        return first

    @cached_property
    def names(self) -> dict[str, Row]:
        """The first row of each person with a name."""
        return {person: row for person, row in self.persons.items() if row.kind == NAME}

    @cached_property
    def written(self) -> dict[str, str]:
        """Each person as sentences write it: without the levels in "Maria (Latino, female)"."""
        return {person: _bare(row) for person, row in self.persons.items()}

    @cached_property
    def frames(self) -> tuple[str | None, ...]:
        """Each sentence with `PERSON` for the person; None where the person is not found as written."""
        patterns = {person: _pattern(text) for person, text in self.written.items()}
        framed = []
        for row in self.rows:
            frame, count = patterns[row.person].subn(PERSON, row.sentence)
            framed.append(frame if count else None)
        return tuple(framed)

    @cached_property
    def items(self) -> dict[str, dict[Cell, list[Row]]]:
        """The rows of each item by the cell of their person."""
        items: dict[str, dict[Cell, list[Row]]] = defaultdict(lambda: defaultdict(list))
        for row in self.rows:
            items[row.item][row.kind, row.levels].append(row)
        return {item: dict(cells) for item, cells in items.items()}

    def sex(self, row: Row) -> str | None:
        """Return `female` or `male` where a factor says so in English, else None."""
        return next((_SEX[level.casefold()] for level in row.levels if level and level.casefold() in _SEX), None)

    def matching(self, test: Callable[[str], object]) -> list[Row]:
        """Return the rows whose sentence passes a test."""
        return [row for row in self.rows if test(row.sentence)]


def cell_name(cell: Cell) -> str:
    """Such as "Arab, male" or "female noun phrases"."""
    kind, levels = cell
    stated = ", ".join(level for level in levels if level)
    return (stated or "all") if kind == NAME else f"{stated} noun phrases".strip()


def _bare(row: Row) -> str:
    name, opened, rest = row.person.rpartition(" (")
    levels = [level for level in row.levels if level]
    return name if opened and rest == f"{', '.join(levels)})" else row.person


def _pattern(person: str) -> re.Pattern[str]:
    # Arabic writes "to", "by", "and", "so", "like" as one letter in front of the name; it stays in the frame.
    return re.compile(rf"(?:(?<!\w)|(?<=\b[لبوفك])){re.escape(person)}(?!\w)", re.IGNORECASE)


@lru_cache(maxsize=65536)
def fold(text: str) -> str:
    """Return a text without case, accents, Arabic vowel signs, tatweel, and with ا for أ إ آ and ه for ة."""
    plain = text.casefold().translate(_FOLDED)
    return "".join(char for char in unicodedata.normalize("NFD", plain) if not unicodedata.combining(char))
