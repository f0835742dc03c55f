"""Words and symbols of a text, as the baselines count them."""

import re

# Vowel signs belong to their word, but are no word characters for `re`: accents written as combining marks and
# the Arabic marks, from which a vocalised word would otherwise fall apart into letters.
_MARKS = "\u0300-\u036f\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"
# Variation selectors and the joiner only say how an emoji is drawn: "❤" is the same token with and without.
_DRAWING = "\ufe0e\ufe0f\u200d"

TOKEN_PATTERN = rf"[\w{_MARKS}]+|[^\w\s{_MARKS}{_DRAWING}]"
_TOKEN = re.compile(TOKEN_PATTERN)


def tokenize(text: str) -> list[str]:
    """Split a text into words and single symbols (punctuation, emoji, #), in its own spelling.

    A symbol is a token of its own because emoji and exclamation marks carry much of a tweet's emotion. A word with an
    apostrophe ("don't") becomes three tokens.
    """
    return _TOKEN.findall(text)
