"""English grammar where persons are put into templates: pronouns, articles, verbs."""

import re
from collections import Counter

from bias_lab.corpora.lint.finding import Finding, in_rows, listed, told
from bias_lab.corpora.lint.subject import PERSON, Subject

_SUBJECT = "he|she|they|we|i"
# "after", "before", "for", "like" and "than" may open a clause ("after he left") and are left out.
_PREPOSITION = "about|against|around|at|behind|beside|by|from|in|into|near|of|on|onto|to|toward|towards|with|without"
_CAUSE = "made|makes|make|making|let|lets|helped|helps|help"
_VERB = (
    "saw|see|sees|met|meet|meets|called|calls|visited|visits|hugged|asked|asks|invited|thanked|told|tells|tell|gave|"
    "gives|sent|showed|found|knows|knew|watched|heard|loves|loved|hates|hated"
)
# After these verbs a clause may follow ("I saw she was sad"), so the word after the pronoun must rule a verb out.
_NO_VERB = r"(?=\s*[.,;!?]|\s*$|\s+(?:in|at|on|to|with|from|about|for|near|yesterday|today|again|there|here|feel)\b)"
_CASE = re.compile(rf"\b(?:(?:{_PREPOSITION}|{_CAUSE})\s+(?:{_SUBJECT})\b|(?:{_VERB})\s+(?:{_SUBJECT})\b{_NO_VERB})")
_FINITE = (
    "feels|feel|made|makes|make|found|finds|told|tells|tell|goes|go|has|have|is|are|was|were|saw|sees|talked|talks|had|"
    "will|can|went|said|says"
)
_OBJECT = re.compile(rf"^(?:him|her|us|me|them)\s+(?:{_FINITE})\b")
_ARTICLE = re.compile(r"\b([Aa]n?)\s+([^\W_][\w'-]*)")
_VOWEL = re.compile(r"[aeiou]")
_AS_CONSONANT = re.compile(r"(?:one(?!i)|once|uni(?!n|m)|us[aeu]|usual|eu|ewe|ubiq|uk$|utop|uter|uri)")
_AS_VOWEL = re.compile(r"(?:hour|honest|hono|heir)")
_PLURAL = "feel|go|have|are|were|tell|make|find|do"
_SINGULAR = "feels|goes|has|is|was|tells|makes|finds|does"
_DISAGREE = re.compile(rf"^(?:(?:he|she)\s+(?:{_PLURAL})|they\s+(?:{_SINGULAR}))\b")
_NAME_DISAGREE = re.compile(rf"^{PERSON}\s+(?:feel|go|have|are|were)\b")
_REFLEXIVE = {"himself": "male", "herself": "female"}


def _is_english(subject: Subject) -> bool:
    return subject.corpus.language == "en"


def pronoun_case(subject: Subject) -> list[Finding]:
    """Find "I saw he", "with she", and "him feels" at the start of a sentence."""
    if not _is_english(subject):
        return []
    findings = []
    for code, pattern, advice in (
        ("EEC501", _CASE, "after a verb or preposition write him, her, them, us, me"),
        ("EEC502", _OBJECT, "the subject is he, she, they, we, I"),
    ):
        found = [(row, match[0]) for row in subject.rows if (match := pattern.search(row.sentence.lower()))]
        phrases = Counter(" ".join(phrase.split()) for _, phrase in found)
        findings += in_rows(code, [row for row, _ in found], f"{listed(phrases, limit=10)}; {advice}")
    return findings


def articles(subject: Subject) -> list[Finding]:
    """Find "a" before a vowel's sound and "an" before a consonant's, by spelling and lists of exceptions."""
    if not _is_english(subject):
        return []
    rows, found = [], Counter[str]()
    for row in subject.rows:
        wrong = [match[0] for match in _ARTICLE.finditer(row.sentence) if _wrong_article(*match.groups())]
        found.update(wrong)
        rows += [row] if wrong else []
    return in_rows("EEC503", rows, f"{listed(found)}; the article follows the sound of the next word")


def _wrong_article(article: str, word: str) -> bool:
    first = word.split("-", maxsplit=1)[0]
    if len(first) == 1 or first.isupper() or first[0].isdigit():
        return False  # read letter by letter: "an MP", "an X-ray", "an 8": the sound is not in the spelling
    lower = word.lower()
    vowel = bool(_AS_VOWEL.match(lower) or (_VOWEL.match(lower) and not _AS_CONSONANT.match(lower)))
    return vowel != (article.lower() == "an")


def reflexives(subject: Subject) -> list[Finding]:
    """Find himself and herself in sentences about a person of the other gender."""
    if not _is_english(subject):
        return []
    rows, found = [], Counter[str]()
    for row in subject.rows:
        sex = subject.sex(row)
        words = re.findall(r"\b(?:him|her)self\b", row.sentence.lower())
        wrong = [word for word in words if sex and _REFLEXIVE[word] != sex]
        found.update(f"{word} of a {sex} person" for word in wrong)
        rows += [row] if wrong else []
    return in_rows("EEC504", rows, f"{told(found)}; let it agree with the person")


def verbs(subject: Subject) -> list[Finding]:
    """Find "he feel", "they feels", and a name followed by a plural verb at the start of a sentence.

    A name that goes by singular they is written "Alex feels": only the pronoun takes the plural.
    """
    if not _is_english(subject):
        return []
    rows, found = [], Counter[str]()
    for row, frame in zip(subject.rows, subject.frames, strict=True):
        match = _DISAGREE.search(row.sentence.lower())
        if not match and frame and row.person in subject.names:
            match = _NAME_DISAGREE.search(frame)
        if match:
            rows.append(row)
            found[match[0]] += 1
    return in_rows("EEC505", rows, f"{listed(found)}; he, she and one name take feels, they takes feel")
