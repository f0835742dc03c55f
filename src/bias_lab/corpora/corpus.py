"""The corpus as everything after it sees it: factors and one row a sentence."""

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd

NAME = "name"
NOUN_PHRASE = "noun_phrase"
COLUMNS_BEFORE_FACTORS = ("eec", "sentence", "template", "item", "person", "person_kind")
COLUMNS_AFTER_FACTORS = ("emotion", "emotion_word")
RESERVED_COLUMNS = (*COLUMNS_BEFORE_FACTORS, *COLUMNS_AFTER_FACTORS, "prediction")


@dataclass(frozen=True)
class Factor:
    """An identity dimension, such as gender.

    Attributes:
        name: Its column in the long table.
        levels: Its values, in the order tables show them.
        reference: The level the others are compared with; one of `levels`.
    """

    name: str
    levels: tuple[str, ...]
    reference: str


@dataclass(frozen=True, eq=False)
class Corpus:
    """An Equity Evaluation Corpus, expanded.

    Attributes:
        name: The corpus' name, the value of the column `eec`.
        language: Language code, such as `en`.
        factors: The identity dimensions, in the order the regression enters them.
        table: The long table without predictions, one row a sentence: eec, sentence, template, item, person,
            person_kind (`name` or `noun_phrase`), one column per factor (missing where it does not apply),
            emotion and emotion_word (missing in neutral sentences). Every column has pandas' `str` dtype.
        version: Version of the corpus.
        licence: Licence of the corpus.
        source: Where templates, words and names come from.
        verified_by_native_speaker: Whether a native speaker has read this edition.
        files: The files it was read from, most specific first.
    """

    name: str
    language: str
    factors: tuple[Factor, ...]
    table: pd.DataFrame
    version: str = ""
    licence: str = ""
    source: str = ""
    verified_by_native_speaker: bool = False
    files: tuple[Path, ...] = ()

    @cached_property
    def digest(self) -> str:
        """SHA-256 (hex) of table and metadata as canonical JSON; where the files lie does not count."""
        rows = self.table.astype(object).where(self.table.notna(), None)
        content = {
            "name": self.name,
            "language": self.language,
            "version": self.version,
            "licence": self.licence,
            "source": self.source,
            "verified_by_native_speaker": self.verified_by_native_speaker,
            "factors": [[factor.name, factor.levels, factor.reference] for factor in self.factors],
            "columns": list(rows.columns),
            "rows": [rows[column].tolist() for column in rows.columns],
        }
        canonical = json.dumps(content, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
        return hashlib.sha256(canonical.encode()).hexdigest()


def long_table(columns: dict[str, list[str | None]], factors: tuple[Factor, ...]) -> pd.DataFrame:
    """Build the long table from columns of n strings each, None where something does not apply."""
    order = (*COLUMNS_BEFORE_FACTORS, *(factor.name for factor in factors), *COLUMNS_AFTER_FACTORS)
    return pd.DataFrame({name: pd.array(columns[name], dtype="str") for name in order})
