"""All checks, in the order of their codes."""

from collections.abc import Callable

from bias_lab.corpora.corpus import Corpus
from bias_lab.corpora.lint import (
    arabic,
    balance,
    characters,
    duplicates,
    english,
    factors,
    names,
    sentence_form,
    spanish,
    surface,
)
from bias_lab.corpora.lint.finding import Finding
from bias_lab.corpora.lint.subject import Subject

Check = Callable[[Subject], list[Finding]]

# The languages that grammar checks know.
GRAMMARS = {"en": "English", "es": "Spanish", "ar": "Arabic"}

CHECKS: tuple[Check, ...] = (
    duplicates.duplicated_sentences,
    balance.rows_per_person,
    balance.missing_persons,
    balance.missing_groups,
    balance.unmatched_items,
    balance.repeated_persons,
    balance.items_per_emotion,
    balance.known_emotions,
    factors.unknown_levels,
    factors.empty_levels,
    factors.level_use,
    factors.group_sizes,
    characters.blanks,
    characters.control_characters,
    characters.scripts,
    characters.unicode_forms,
    characters.left_overs,
    arabic.vowel_signs,
    arabic.two_spellings,
    arabic.ha_for_ta,
    arabic.foreign_letters,
    english.pronoun_case,
    english.articles,
    english.reflexives,
    english.verbs,
    spanish.contractions,
    spanish.el_accent,
    spanish.pronoun_forms,
    spanish.endings,
    spanish.personal_a,
    arabic.agreement,
    arabic.detached,
    arabic.doubled_object,
    sentence_form.end_marks,
    sentence_form.capitals,
    sentence_form.punctuation,
    names.shared_names,
    names.meaningful_names,
    surface.group_surface,
    surface.odd_sentences,
    surface.names_in_sentences,
    surface.emotion_words,
    surface.concepts,
)


def lint(corpus: Corpus, *, glosses: tuple[str, ...] | None = None) -> list[Finding]:
    """Run every check on a corpus.

    Args:
        corpus: The corpus; its language chooses the grammar.
        glosses: An English sentence beside each of the n sentences, where there are any.

    Returns:
        The findings in the order of their codes; an empty list for a corpus without any flaw that is looked for.
    """
    subject = Subject(corpus, glosses)
    findings = [] if corpus.language in GRAMMARS else [_no_grammar(corpus)]
    for check in CHECKS:
        findings += check(subject)
    return sorted(findings, key=lambda finding: finding.code)


def _no_grammar(corpus: Corpus) -> Finding:
    known = ", ".join(f"{name} ({code})" for code, name in GRAMMARS.items())
    return Finding("EEC002", 1, "languages", f"the language is {corpus.language!r}; grammar is known for {known}")
