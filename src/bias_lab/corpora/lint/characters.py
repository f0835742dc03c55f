"""Blanks, control characters, scripts and Unicode forms: what a tokenizer sees and a reader does not."""

import re
import unicodedata
from collections import Counter
from functools import lru_cache

from bias_lab.corpora.lint.finding import Finding, brief, in_rows, listed, told
from bias_lab.corpora.lint.subject import Row, Subject

_LEFT_OVER = re.compile(r"[{}<>\[\]|]|&(?:\w+|#\d+);|\\[nrt]|%[sd]\b|\ufffd|Ã[\x80-\xbf]|Ø[§-¹]|Ù[\x80-\x9f]")
_WORD = re.compile(r"[^\W\d_]+(?:[\u0300-\u036f\u0610-\u061a\u064b-\u065f\u0670]+[^\W\d_]*)*")
# Arabic presentation forms, Latin ligatures, full-width letters: other code points for the same letters.
_PRESENTATION = re.compile(r"[\ufb00-\ufb06\ufb50-\ufdff\ufe70-\ufefc\uff01-\uffef]")


def blanks(subject: Subject) -> list[Finding]:
    """Find double blanks, blanks at an end, and blanks that are not U+0020."""
    double = subject.matching(lambda sentence: "  " in sentence)
    ends = subject.matching(lambda sentence: sentence != sentence.strip())
    other = [row for row in subject.rows if any(map(_is_other_blank, row.sentence))]
    templates = Counter(brief(row.template) for row in double)
    kinds = Counter(_named(char) for row in other for char in sorted(set(row.sentence)) if _is_other_blank(char))
    return [
        *in_rows("EEC401", double, f"words are joined by one blank; mend the templates {told(templates)}"),
        *in_rows("EEC402", ends, "take the blank at the start or end of the sentence out"),
        *in_rows("EEC404", other, f"{told(kinds)}; write the plain blank U+0020"),
    ]


def control_characters(subject: Subject) -> list[Finding]:
    """Find control, zero-width and direction characters, tabs and line ends."""
    rows = [row for row in subject.rows if any(map(_is_invisible, row.sentence))]
    kinds = Counter(_named(char) for row in rows for char in sorted(set(row.sentence)) if _is_invisible(char))
    return in_rows("EEC403", rows, f"{told(kinds)}; take it out")


def left_overs(subject: Subject) -> list[Finding]:
    """Find slots that nobody filled, HTML, escapes, and UTF-8 that was read as Latin-1."""
    rows = subject.matching(_LEFT_OVER.search)
    found = Counter(match[0] for row in rows if (match := _LEFT_OVER.search(row.sentence)))
    return in_rows("EEC410", rows, f"{listed(found)} does not belong into a sentence: an unfilled slot or an escape?")


def unicode_forms(subject: Subject) -> list[Finding]:
    """Find sentences not in NFC, presentation forms, and tatweel."""
    composed = [row for row in subject.rows if not unicodedata.is_normalized("NFC", row.sentence)]
    forms = subject.matching(_PRESENTATION.search)
    tatweel = subject.matching(lambda sentence: "\u0640" in sentence)
    kinds = Counter(_named(char) for row in forms for char in sorted(set(_PRESENTATION.findall(row.sentence))))
    marks = Counter(word for row in composed for word in row.sentence.split() if _is_decomposed(word))
    return [
        *in_rows("EEC407", composed, f"letter and mark are two characters in {listed(marks)}; save the text in NFC"),
        *in_rows("EEC408", forms, f"{told(kinds)}; write the plain letters (NFKC)"),
        *in_rows("EEC409", tatweel, "tatweel (U+0640) stretches a word and has no meaning; take it out"),
    ]


def scripts(subject: Subject) -> list[Finding]:
    """Find words of two scripts, and words in another script than most words of the corpus."""
    words: dict[str, Row] = {}
    uses: Counter[str] = Counter()
    for row in subject.rows:
        for word in _words(row.sentence):
            words.setdefault(word, row)
            uses[word] += 1
    kinds = {word: {_script(char) for char in word} - {""} for word in words}
    mixed = {word for word, found in kinds.items() if len(found) > 1}
    totals: Counter[str] = Counter()
    for word, found in kinds.items():
        if len(found) == 1:
            totals[next(iter(found))] += uses[word]
    if not totals:
        return []
    usual = totals.most_common(1)[0][0]
    other = {word for word, found in kinds.items() if len(found) == 1 and usual not in found}
    two = Counter({f"{word} ({' + '.join(sorted(kinds[word]))})": uses[word] for word in sorted(mixed)})
    foreign = Counter({f"{word} ({next(iter(kinds[word])).title()})": uses[word] for word in sorted(other)})
    return [
        *in_rows("EEC405", _with(subject, mixed), f"{told(two)}: a letter looks right but is another one"),
        *in_rows("EEC406", _with(subject, other), f"{told(foreign)}; most words are {usual.title()}"),
    ]


def _with(subject: Subject, words: set[str]) -> list[Row]:
    if not words:
        return []
    return [row for row in subject.rows if not words.isdisjoint(_words(row.sentence))]


@lru_cache(maxsize=16384)
def _words(sentence: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(sentence))


@lru_cache(maxsize=4096)
def _script(char: str) -> str:
    """Return the first word of a letter's Unicode name, "" for what is no letter or belongs to all scripts."""
    if not unicodedata.category(char).startswith("L") or unicodedata.category(char) == "Lm":
        return ""
    script = unicodedata.name(char, "?").split()[0]
    return "JAPANESE" if script in ("HIRAGANA", "KATAKANA", "CJK") else script


@lru_cache(maxsize=4096)
def _is_invisible(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Cf", "Zl", "Zp", "Co", "Cn")


@lru_cache(maxsize=4096)
def _is_other_blank(char: str) -> bool:
    return char != " " and unicodedata.category(char) == "Zs"


def _is_decomposed(word: str) -> bool:
    return not unicodedata.is_normalized("NFC", word)


def _named(char: str) -> str:
    return f"U+{ord(char):04X} {unicodedata.name(char, 'control character')}"
