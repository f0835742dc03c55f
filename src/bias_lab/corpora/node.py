"""A value of a corpus file that knows its place, so that every error can name file and key."""

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from bias_lab.errors import ConfigError

Keys = tuple[str, ...]

# Two blanks, a tab or a control character inside a word would end up in every sentence made of it.
_UNCLEAN = re.compile(r"^\s|\s$|\s\s|[^\S ]|[\x00-\x1f\x7f-\x9f]")
_FILE_NAME = re.compile(r"\w[\w.-]*")


def unknown(what: str, got: object, choices: Iterable[str]) -> str:
    """Say that `got` is unknown, what it may have been meant to be, and what is allowed."""
    allowed = [str(choice) for choice in choices]
    close = difflib.get_close_matches(str(got), allowed, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else "."
    return f"unknown {what} {got!r}{hint} Choices: {', '.join(allowed) or 'none'}"


def repeated(words: Iterable[str]) -> list[str]:
    """Return the words that occur more than once, in order of appearance."""
    return [word for word, count in Counter(words).items() if count > 1]


@dataclass(frozen=True)
class Node:
    """One value of a merged corpus file.

    Attributes:
        value: What YAML (or Hydra) gave.
        keys: The path to it; list positions look like `[0]`.
        origins: For each key path, the file that set it last.
    """

    value: object
    keys: Keys = ()
    origins: Mapping[Keys, str] = field(default_factory=dict, repr=False)

    @property
    def where(self) -> str:
        """File and dotted key."""
        longest = next((self.keys[:n] for n in range(len(self.keys), -1, -1) if self.keys[:n] in self.origins), ())
        file = self.origins.get(longest, "corpus")
        dotted = "".join(key if key.startswith("[") else f".{key}" for key in self.keys).lstrip(".")
        return f"{file}: {dotted}" if dotted else file

    def error(self, message: str) -> ConfigError:
        """Make the error that says `message` about this place."""
        return ConfigError(f"{self.where}: {message}")

    def child(self, key: str, value: object) -> "Node":
        """Return the node of `value` one step below this one."""
        return Node(value, (*self.keys, key), self.origins)

    def text(self, *, empty: bool = False) -> str:
        """Return the value as a clean word or sentence.

        Raises:
            ConfigError: It is not a string (an unquoted `no` or `1`), is empty without `empty`, or holds
                blanks at an end, double blanks or control characters.
        """
        self.check_word(self.value, "the value")
        text = str(self.value)
        if not text and not empty:
            raise self.error("is empty")
        if _UNCLEAN.search(text):
            raise self.error(
                f"{text!r} has a blank at an end, two blanks in a row or a control character; "
                "words are joined by single blanks"
            )
        return text

    def file_name(self) -> str:
        """Return a text that can be part of a file's name, as a corpus' name is."""
        text = self.text()
        if not _FILE_NAME.fullmatch(text):
            raise self.error(f"{text!r} must be letters, digits, _, - and dots: results are stored under it")
        return text

    def check_word(self, value: object, what: str) -> None:
        """Raise ConfigError where YAML made something else than a string of a word."""
        if isinstance(value, str):
            return
        if value is None:
            raise self.error(
                f"{what} is null; a word that looks like it needs quotes, and a null that is to take out "
                "a key of the base file must have that key's name"
            )
        kind = {bool: "boolean", int: "number", float: "number"}.get(type(value), type(value).__name__)
        raise self.error(
            f"{what} must be a text, but YAML reads it as the {kind} {value!r}; "
            "put it in quotes (no, off, on, yes and numbers need them)"
        )

    def flag(self) -> bool:
        """Return the value as true or false."""
        if not isinstance(self.value, bool):
            raise self.error(f"must be true or false, got {self.value!r}")
        return self.value

    def items(self) -> list["Node"]:
        """Return the entries of a list."""
        if isinstance(self.value, str) or not isinstance(self.value, Sequence):
            raise self.error(f"must be a list, got {self.value!r}")
        return [self.child(f"[{position}]", value) for position, value in enumerate(self.value)]

    def texts(self) -> tuple[str, ...]:
        """Return a list of words, or one word as a list of one."""
        return tuple(node.text() for node in self.items()) if not isinstance(self.value, str) else (self.text(),)

    def mapping(self) -> dict[str, "Node"]:
        """Return the entries of a mapping whose keys are free (words, names, template ids)."""
        if not isinstance(self.value, Mapping):
            raise self.error(f"must be a mapping of keys to values, got {self.value!r}")
        for key in self.value:
            self.check_word(key, "a key")
        return {key: self.child(key, value) for key, value in self.value.items()}

    def record(self, allowed: Sequence[str], *, required: Sequence[str] = ()) -> dict[str, "Node"]:
        """Return the entries of a mapping whose keys are fixed; an entry that is null counts as absent.

        Raises:
            ConfigError: A key is not allowed, or a required one is missing.
        """
        entries = self.mapping()
        for key, node in entries.items():
            if key not in allowed:
                raise node.error(unknown("key", key, allowed))
        present = {key: node for key, node in entries.items() if node.value is not None}
        if missing := [key for key in required if key not in present]:
            raise self.error(f"missing {', '.join(missing)}")
        return present


def choice(node: Node, what: str, choices: Sequence[str]) -> str:
    """Return the text of a node that must be one of `choices`."""
    text = node.text()
    if text not in choices:
        raise node.error(unknown(what, text, choices))
    return text
