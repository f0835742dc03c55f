"""The corpus as everything after it sees it: factors and one row a sentence."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd

NAME = "name"
NOUN_PHRASE = "noun_phrase"
COLUMNS_BEFORE_FACTORS = ("eec", "sentence", "template", "item", "person", "person_kind")
COLUMNS_AFTER_FACTORS = ("emotion", "emotion_word")
_PART = 10_000
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
        before = {
            "columns": list(self.table.columns),
            "factors": [[factor.name, factor.levels, factor.reference] for factor in self.factors],
            "language": self.language,
            "licence": self.licence,
            "name": self.name,
        }
        after = {
            "source": self.source,
            "verified_by_native_speaker": self.verified_by_native_speaker,
            "version": self.version,
        }
        # The rows stand between the two, in the order of keys; as one text, a big corpus would be in memory again.
        digest = hashlib.sha256(f'{_json(before)[:-1]},"rows":['.encode())
        for number, column in enumerate(self.table.columns):
            digest.update(b",[" if number else b"[")
            for part in _json_parts(self.table[column]):
                digest.update(part.encode())
            digest.update(b"]")
        digest.update(f"],{_json(after)[1:]}".encode())
        return digest.hexdigest()


def _json(content: object) -> str:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def _json_parts(column: pd.Series) -> Iterator[str]:
    """Yield the JSON of a column's cells, missing ones as null, in parts without brackets."""
    for start in range(0, len(column), _PART):
        part = column.iloc[start : start + _PART].astype(object)
        text = _json(part.where(part.notna(), None).tolist())[1:-1]
        yield f",{text}" if start else text


def long_table(columns: dict[str, list[str | None]], factors: tuple[Factor, ...]) -> pd.DataFrame:
    """Build the long table from columns of n strings each, None where something does not apply."""
    order = (*COLUMNS_BEFORE_FACTORS, *(factor.name for factor in factors), *COLUMNS_AFTER_FACTORS)
    return pd.DataFrame({name: pd.array(columns[name], dtype="str") for name in order})
