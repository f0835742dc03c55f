"""Spanish grammar where persons are put into templates: articles, pronouns, agreement, personal a."""

import re
from collections import Counter

from bias_lab.corpora.lint.finding import Finding, in_rows, listed, told
from bias_lab.corpora.lint.subject import PERSON, Row, Subject

_PREPOSITION = "a|con|de|para|por|sin|en|sobre|hacia|contra|hasta|desde|ante|tras"
# Words that cannot follow the article "el", so that an "el" before them is the pronoun.
_AFTER_PRONOUN = (
    "se|me|te|le|les|lo|nos|os|no|ya|también|tiene|tenía|fue|es|era|está|estaba|va|iba|ha|había|hizo|hace|dice|dijo|"
    "estudia|vive|siente|sintió|trabaja|quiere|puede|debe|contó|encontró|cree|sabe|vio|parece"
)
_EL_PRONOUN = re.compile(
    rf"\bel (?:{_AFTER_PRONOUN})\b|\b(?:{_PREPOSITION}) el(?=\s*[.,;!?]|\s*$|\s+(?:en|con|ayer|hoy|anoche|y)\b)"
)
_NOT_CONTRACTED = re.compile(r"\b(?:[Aa]|[Dd]e) el\b(?:\s+\w+)?")
_NOUN = re.compile(r"\b(?:del|al|un|este|nuestro|mi|su|(?:en|por|desde|hasta|con|sobre) el) (\w+)")
_NOUNS = {"mercado", "colegio", "parque", "trabajo", "cine", "hospital", "barrio", "día", "coche", "libro", "perro"}
_EL_ARTICLE = re.compile(r"\bél (\w+)")
_FORMS = re.compile(rf"\b(?:(?:{_PREPOSITION}) (?:yo|tú)|con (?:mí|ti|sí))\b")
_FEELS = re.compile(r"\bse (?:siente|sentía|sienta|sintió|sintiera|sintiese|sentirá) (?:muy |tan |más )?(\w+[oa]s?)\b")
# Words in -o or -a that no person's gender changes.
_INVARIANT = re.compile(
    r"(?:\w+ist|\w+crat|\w+pat|\w+cid|idiot|hipócrit)as?$|(?:como|algo|poco|mucho|demasiado|tanto|bajo|para|hasta|nada|"
    r"cuando|ahora|fuera|cerca|contra|sobre)$"
)
_OBJECT_VERB = "vi|vio|vimos|conocí|visité|llamé|abracé|ayudé|saludé|encontré|busqué|escuché|invité"
_NO_A = re.compile(rf"\b(?:{_OBJECT_VERB}) {PERSON}", re.IGNORECASE)
_NO_CLITIC = re.compile(rf"(?<!\blo )(?<!\bla )(?<!\ble )\b(?:{_OBJECT_VERB}) a (?:él|ella|el(?= en\b))(?!\w)")
_ENDINGS = {"female": "a", "male": "o"}


def _found(subject: Subject, pattern: re.Pattern[str], *, lower: bool = True) -> tuple[list[Row], Counter[str]]:
    """Return the rows that hold the pattern, and what it found; nothing in another language."""
    rows, found = [], Counter[str]()
    for row in subject.rows if subject.corpus.language == "es" else ():
        if match := pattern.search(row.sentence.lower() if lower else row.sentence):
            rows.append(row)
            found[match[0].lower()] += 1
    return rows, found


def contractions(subject: Subject) -> list[Finding]:
    """Find "a el" and "de el"; a capital ("de El Salvador") belongs to a name."""
    rows, found = _found(subject, _NOT_CONTRACTED, lower=False)
    return in_rows("EEC511", rows, f"{listed(found)}; the article contracts (al, del), the pronoun is a él, de él")


def el_accent(subject: Subject) -> list[Finding]:
    """Find "el" before a verb or alone after a preposition, and "él" before a noun.

    Nouns are those of a short list and those that the corpus itself has after al, del, un, este or "en el".
    """
    rows, found = _found(subject, _EL_PRONOUN)
    if subject.corpus.language == "es":
        verbs = set(_AFTER_PRONOUN.split("|"))
        nouns = _NOUNS | {word for row in subject.rows for word in _NOUN.findall(row.sentence.lower())} - verbs
        seen = {row.number for row in rows}
        for row in subject.rows:
            wrong = [word for word in _EL_ARTICLE.findall(row.sentence.lower()) if word in nouns]
            found.update(f"él {word}" for word in wrong)
            rows += [row] if wrong and row.number not in seen else []
    return in_rows("EEC512", rows, f"{listed(found)}; the pronoun is él, the article el")


def pronoun_forms(subject: Subject) -> list[Finding]:
    """Find "con yo", "a tú", "con mí"."""
    rows, found = _found(subject, _FORMS)
    return in_rows("EEC513", rows, f"{listed(found)}; after a preposition mí, ti; with con: conmigo, contigo, consigo")


def endings(subject: Subject) -> list[Finding]:
    """Find "se siente ...o" of female and "...a" of male persons.

    Only se siente, se sienta, se sintiera and the like are read: after "me hizo sentir" it is the speaker's state.
    """
    if subject.corpus.language != "es":
        return []
    rows, found = [], Counter[str]()
    for row in subject.rows:
        match = _FEELS.search(row.sentence.lower())
        sex = subject.sex(row)
        if match and sex and not _INVARIANT.match(match[1]) and match[1].rstrip("s")[-1] != _ENDINGS[sex]:
            rows.append(row)
            found[f"{match[1]} of a {sex} person"] += 1
    return in_rows("EEC514", rows, f"{told(found)}; the adjective agrees with the person")


def personal_a(subject: Subject) -> list[Finding]:
    """Find "vi María" without a, and "vi a él" without lo; a list of common verbs is known."""
    if subject.corpus.language != "es":
        return []
    pairs = zip(subject.rows, subject.frames, strict=True)
    without = [(row, match[0]) for row, frame in pairs if frame and (match := _NO_A.search(frame))]
    rows, found = _found(subject, _NO_CLITIC)
    verbs = Counter(phrase.replace(PERSON, "...").lower() for _, phrase in without)
    return [
        *in_rows("EEC515", [row for row, _ in without], f"{listed(verbs)}; a person as object takes a: vi a María"),
        *in_rows("EEC516", rows, f"{listed(found)}; with a pronoun the clitic is needed: lo vi a él, la vi a ella"),
    ]
