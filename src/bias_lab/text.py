"""Cleaning of texts, the same for tweets and corpora, so that a model sees both in one spelling."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from html import unescape
from html.entities import html5
from typing import Any, Literal

from bias_lab.errors import ConfigError, DataError

MENTIONS = ("remove", "keep")
UNICODE_FORMS = ("NFC", "NFKC", "none")
ARABIC = ("diacritics", "tatweel", "hamza", "alef_maksura")

# The semicolon is asked for: without it "AT&T" or "?a=1&copy=2" would be decoded as HTML5's legacy entities.
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]*);")

# A handle is [A-Za-z0-9_]. A Latin letter or digit before the @ makes it an e-mail address or a Spanish
# "tod@s", an accented letter after it ("@josé") no handle; an Arabic letter may touch it on either side.
_LATIN = "A-Za-z0-9_\u00c0-\u024f\u0300-\u036f"
_MENTION = re.compile(rf"(?<![{_LATIN}])(?:[@\uff20][A-Za-z0-9_]+(?![{_LATIN}]))+")

_DIACRITICS = re.compile(
    "[\u0610-\u061a\u064b-\u0652\u0656-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed]"
)
_HAMZA = str.maketrans(
    {
        "أ": "ا",
        "إ": "ا",
        "آ": "ا",
        "ٱ": "ا",
        "ؤ": "و",
        "ئ": "ي",
        "\u0653": None,
        "\u0654": None,
        "\u0655": None,
    }
)


@dataclass(frozen=True)
class Cleaning:
    r"""Options of `clean`; part of every embedding's cache key and of the run's manifest.

    Attributes:
        mentions: "remove" user mentions (`@name`) or "keep" them.
        entities: decode HTML entities (`&amp;`, `&#39;`, `&nbsp;`), also when encoded twice.
        newlines: turn a literal backslash-n (as SemEval's files have it) into a blank. Real newlines are
            whitespace, which is always collapsed to single blanks.
        unicode: normal form, "NFC", "NFKC" (also folds full-width and Arabic presentation forms) or "none".
        arabic: which letters to fold, in any order: "diacritics" (short vowels, tanwin, shadda, Quranic marks
            removed), "tatweel" (U+0640 removed), "hamza" (taken off its carrier: alef, waw or yeh; the lone
            hamza stays), "alef_maksura" (U+0649 becomes yeh). Nothing by default: pre-trained models differ.

    Raises:
        ConfigError: a value is not among the choices.
    """

    mentions: Literal["remove", "keep"] = "remove"
    entities: bool = True
    newlines: bool = True
    unicode: Literal["NFC", "NFKC", "none"] = "NFC"
    arabic: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _require("mentions", self.mentions, MENTIONS)
        _require("unicode", self.unicode, UNICODE_FORMS)
        for key in ("entities", "newlines"):
            if not isinstance(getattr(self, key), bool):
                raise ConfigError(f"cleaning.{key}={getattr(self, key)!r} is not allowed; choose true or false")
        if isinstance(self.arabic, str) or not isinstance(self.arabic, (list, tuple)):
            raise ConfigError(f"cleaning.arabic={self.arabic!r} is not a list; choose any of [{', '.join(ARABIC)}]")
        for name in self.arabic:
            _require("arabic", name, ARABIC)
        # One order, so that two ways to write the same cleaning share their cached embeddings.
        object.__setattr__(self, "arabic", tuple(name for name in ARABIC if name in self.arabic))

    @classmethod
    def from_mapping(cls, options: Mapping[str, Any] | None) -> "Cleaning":
        """Build from plain options (None or empty: the defaults); unknown keys raise ConfigError."""
        options = {} if options is None else options
        known = [field.name for field in fields(cls)]
        for key in options:
            if key not in known:
                raise ConfigError(f"cleaning.{key} is not an option; choose from {', '.join(known)}")
        return cls(**options)

    def as_dict(self) -> dict[str, Any]:
        """Give the options as plain types, for cache keys and manifests."""
        return {**asdict(self), "arabic": list(self.arabic)}


def clean(text: str, cleaning: Cleaning) -> str:
    """Return `text` cleaned; cleaning a cleaned text changes nothing.

    Entities go first, since they may hide an @ or a blank; newline marks before mentions, since the n of a
    backslash-n right before an @ would look like the name in an e-mail address.

    Raises:
        DataError: `text` is not a str (such as the NaN of an empty table cell).
    """
    if not isinstance(text, str):
        raise DataError(f"a text must be a str, got {type(text).__name__} {text!r}")
    text = _letters(text, cleaning)
    if cleaning.newlines:
        text = text.replace("\\n", " ")
    if cleaning.mentions == "remove":
        text = _MENTION.sub(" ", text)
    return " ".join(text.split())


def _letters(text: str, cleaning: Cleaning) -> str:
    """Decode entities and fold letters until nothing changes: each step can make work for another."""
    while True:
        new = _ENTITY.sub(_decode, text) if cleaning.entities else text
        if cleaning.unicode != "none":
            new = unicodedata.normalize(cleaning.unicode, new)
        new = _fold_arabic(new, cleaning.arabic)
        if new == text:
            return text
        text = new


def _decode(match: re.Match[str]) -> str:
    entity = match.group()
    if entity[1] == "#":
        return unescape(entity)
    return html5.get(entity[1:], entity)


def _fold_arabic(text: str, options: tuple[str, ...]) -> str:
    if "diacritics" in options:
        text = _DIACRITICS.sub("", text)
    if "tatweel" in options:
        text = text.replace("\u0640", "")
    if "hamza" in options:
        text = text.translate(_HAMZA)
    if "alef_maksura" in options:
        text = text.replace("\u0649", "\u064a")
    return text


def _require(key: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ConfigError(f"cleaning.{key}={value!r} is not allowed; choose from {', '.join(choices)}")
