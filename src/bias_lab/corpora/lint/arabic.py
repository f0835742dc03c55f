"""Spelling and agreement in Arabic. Heuristics; each docstring says which words they take for a mistake."""

import re
from collections import Counter, defaultdict
from itertools import pairwise

from bias_lab.corpora.lint.finding import Finding, in_rows, listed, told
from bias_lab.corpora.lint.subject import PERSON, Subject, cell_name, fold

_MARKS = re.compile(r"[\u064b-\u0652\u0670]")
_LETTERS = re.compile(r"[\u0621-\u064a\u064b-\u0652\u0670]+")
# Definite nouns that end in ه by right: all other "ال...ه" are ال...ة, as a definite noun takes no possessive.
_HA = {
    *("الله", "الوجه", "المياه", "الشفاه", "الاتجاه", "الانتباه", "الفقه", "الاله", "الجاه", "التيه", "النزيه"),
    *("الفقيه", "المكروه", "الفواكه", "الشبيه", "التنبيه", "التوجيه", "الترفيه", "المشبوه", "الكره", "المتنزه"),
    *("الشبه", "الابله", "التافه", "الوجيه", "المنتزه", "التوجه", "التشابه", "المعتوه", "السفيه", "المنبه"),
}
# Two words, not two spellings of one: أن and إن, ألا and إلا, أما and إما, أنه and إنه, with what is attached.
_TWO_WORDS = {"ان", "بان", "فان", "وان", "الا", "اما", "انه", "انها", "انهم", "انني", "انك", "اننا", "انا"}
_FOREIGN = {"ی": "ي or ى", "ک": "ك", "ہ": "ه", "ھ": "ه", "ۀ": "ة", "ے": "ي", "ٹ": "ت", "ڈ": "د", "ں": "ن"}
_DETACHED = re.compile(r"(?<!\S)(?:ال|بال|لل|وال|فال|كال)(?!\S)")
# What may follow a person at the start of a sentence, by the person's gender.
_AFTER = {
    "male": "يشعر يذهب وجد جعل جعلني أخبر أخبرنا اخبرنا خبرنا حكى قال كان لديه عنده يعيش يعمل يسكن رأى زار ذهب تحدث",
    "female": "تشعر تذهب وجدت جعلت جعلتني أخبرت أخبرتنا اخبرتنا خبرتنا حكت قالت كانت لديها عندها تعيش تعمل تسكن رأت "
    "زارت ذهبت تحدثت",
}
_GENDER = {word: gender for gender, words in _AFTER.items() for word in words.split()}
_SELF = {"نفسه": "male", "نفسها": "female"}
_ATTACHED = re.compile(rf"(?<!\w)(?:جعل|جعلت|رأيت|رايت|قابلت|شاهدت|زرت|سألت|ساعدت)(?:ه|ها) {PERSON}")
_PRONOUNS = {"هو", "هي", "هم", "هما", "هن"}


def _is_arabic(subject: Subject) -> bool:
    return subject.corpus.language == "ar"


def vowel_signs(subject: Subject) -> list[Finding]:
    """Find names with vowel signs among names without: they fall into other tokens than the others."""
    signed = [row for person, row in subject.names.items() if _MARKS.search(subject.written[person])]
    if not signed or len(signed) == len(subject.names):
        return []
    groups = Counter(cell_name((row.kind, row.levels)) for row in signed)
    where = ", ".join(f"{group} {count}" for group, count in groups.items())
    names = listed([row.person for row in signed])
    message = f"{names} ({where} of {len(subject.names)} names); write all names without vowel signs, or all with"
    return [Finding("EEC421", len(signed), "persons", message, signed[0])]


def two_spellings(subject: Subject) -> list[Finding]:
    """Find words that differ by hamza, ة or ه at the end, vowel signs or tatweel only."""
    spellings: dict[str, set[str]] = defaultdict(set)
    for word in {word for row in subject.rows for word in _LETTERS.findall(row.sentence)}:
        spellings[fold(word)].add(word)
    several = {key: found for key, found in spellings.items() if len(found) > 1 and key not in _TWO_WORDS}
    if not several:
        return []
    cases = sorted(" / ".join(sorted(found)) for found in several.values())
    rare = {word for found in several.values() for word in found}
    row = next(row for row in subject.rows if not rare.isdisjoint(_LETTERS.findall(row.sentence)))
    message = f"{told(cases, limit=8)}; write each word in one way"
    return [Finding("EEC422", len(several), "words", message, row)]


def ha_for_ta(subject: Subject) -> list[Finding]:
    """Find ه for ة: in ال...ه, and in feminine emotion words whose masculine is the same without ه."""
    if not _is_arabic(subject):
        return []
    words = {part for row in subject.rows if row.word for part in row.word.split()}
    feminine = {word for word in words if word.endswith("ه") and word[:-1] in words}
    rows, found = [], Counter[str]()
    for row in subject.rows:
        wrong = [
            word
            for word in _LETTERS.findall(row.sentence)
            if word.endswith("ه") and (word in feminine or (word.startswith("ال") and fold(word) not in _HA))
        ]
        found.update(wrong)
        rows += [row] if wrong else []
    return in_rows("EEC423", rows, f"{listed(found)}; the feminine ending is ة")


def foreign_letters(subject: Subject) -> list[Finding]:
    """Find Persian and Urdu letters that look like Arabic ones."""
    if not _is_arabic(subject):
        return []
    rows = subject.matching(lambda sentence: not _FOREIGN.keys().isdisjoint(sentence))
    letters = Counter(char for row in rows for char in sorted(set(row.sentence)) if char in _FOREIGN)
    advice = ", ".join(f"U+{ord(char):04X} for {_FOREIGN[char]}" for char in letters)
    return in_rows("EEC424", rows, f"{advice}; type them with an Arabic keyboard")


def agreement(subject: Subject) -> list[Finding]:
    """Find verbs after the person, and نفسه or نفسها, of the other gender; a list of common words is known."""
    if not _is_arabic(subject):
        return []
    rows, found = [], Counter[str]()
    for row, frame in zip(subject.rows, subject.frames, strict=True):
        sex = subject.sex(row)
        if not sex:
            continue
        words = (frame or row.sentence).rstrip(".؟!").split()
        # After a verb it is the reflexive; after a noun it means "the same" (المكان نفسه).
        pairs = pairwise(words)
        said = [(word, _SELF[word]) for verb, word in pairs if word in _SELF and verb in _GENDER]
        if words[:1] == [PERSON] and len(words) > 1 and words[1] in _GENDER:
            said.append((words[1], _GENDER[words[1]]))
        wrong = [word for word, gender in said if gender != sex]
        found.update(f"{word} of a {sex} person" for word in wrong)
        rows += [row] if wrong else []
    return in_rows("EEC521", rows, f"{told(found)}; the verb follows the person's gender")


def detached(subject: Subject) -> list[Finding]:
    """Find ال, بال, لل and the like standing apart from their word."""
    rows = subject.matching(_DETACHED.search) if _is_arabic(subject) else []
    found = Counter(match[0] for row in rows if (match := _DETACHED.search(row.sentence)))
    return in_rows("EEC522", rows, f"{listed(found)}; write it together with its word")


def doubled_object(subject: Subject) -> list[Finding]:
    """Find a pronoun attached to a verb or preposition with the person it stands for right after it."""
    if not _is_arabic(subject):
        return []
    rows, found = [], Counter[str]()
    for row, frame in zip(subject.rows, subject.frames, strict=True):
        match = _ATTACHED.search(frame) if frame and subject.written[row.person] not in _PRONOUNS else None
        if match:
            rows.append(row)
            found[match[0].split()[0]] += 1
    return in_rows("EEC523", rows, f"{listed(found)} before the person; say it once: جعل مريم, or جعلها alone")
