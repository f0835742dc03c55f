"""The linter on sentence form and names: each code on a flawed table and on a sound one."""

import json

import pytest

from bias_lab.corpora import Factor
from bias_lab.corpora.lint.names import _WORDS
from lint_tables import Line, found, one, summary, table

L = Line
TIM = ("Tim", "Anglo male")
MONA = ("Mona", "Arab female")


def test_no_sentence_has_an_end_mark() -> None:
    assert summary(one("EEC601", table("Ann feels glad", "Ann feels sad"))) == (
        2,
        "alike for all groups; texts that a model knows mostly have a full stop",
        1,
    )
    assert not found("EEC602", table("Ann feels glad", "Ann feels sad"))
    ends = (
        "Ann is glad.",
        "Is Ann glad?",
        "Ann says “hello.”",
        "Ann says (hello!)",
        "هل مريم هنا؟",
        "Ann is…",
        "安心。",
    )
    sound = table(*(L(sentence) for sentence in ends))
    assert not found("EEC601", sound) and not found("EEC602", sound)


def test_some_sentences_have_no_end_mark() -> None:
    assert summary(one("EEC602", table("Ann is glad.", L("Tim is glad", *TIM), L("Mia is glad", *TIM)))) == (
        2,
        "Anglo, male 2; the other 1 have one",
        2,
    )


def test_end_marks_and_capitals_that_differ_between_groups() -> None:
    flawed = table("Ann is glad!", L("tim is glad.", *TIM), L("mona is glad!", *MONA))
    assert summary(one("EEC603", flawed)) == (
        1,
        "by gender: in 1:glad female has '!', male has '.'; give all groups the same mark",
        2,
    )
    by_race, by_gender = found("EEC605", flawed)
    assert summary(by_race) == (
        1,
        "by race: in 1:glad Anglo has 'capital', Arab has 'small letter'; start every sentence with a capital",
        3,
    )
    assert by_gender.message.startswith("by gender: in 1:glad female has 'capital', male has 'small letter'")
    assert summary(one("EEC604", flawed)) == (2, "Anglo, male 1, Arab, female 1; of 3 sentences", 2)
    # One slip among three is no difference of groups.
    slip = table("Ann is glad!", "Ann is glad.", "Ann was glad.", L("Tim is glad.", *TIM))
    assert not found("EEC603", slip)
    # Scripts without capitals have nothing to differ in.
    arabic = table(L("مريم هنا."), L("Tim is.", *TIM))
    assert not found("EEC604", arabic) and not found("EEC605", arabic)


@pytest.mark.parametrize(
    ("sentence", "message"),
    [
        ("Ann is glad .", "' .' (1x); no blank before a mark, and one mark at a time"),
        ("Ann is glad..", "'..' (1x); no blank before a mark, and one mark at a time"),
        ("Ann,, is glad.", "',,' (1x); no blank before a mark, and one mark at a time"),
        ("¿ Es Ann?", "'¿ ' (1x); no blank before a mark, and one mark at a time"),
    ],
)
def test_misplaced_punctuation(sentence: str, message: str) -> None:
    assert summary(one("EEC606", table("Ann is glad...", sentence))) == (1, message, 2)
    assert not found("EEC606", table("Ann, 3.5 and so on... is (quite) glad?!"))


@pytest.mark.parametrize(
    ("sentence", "mark"), [("Ann is glad?", "¿?"), ('Ann is "glad.', '"'), ("Ann is (glad.", "()"), ("¡Ann!!", "¡!")]
)
def test_marks_without_a_partner(sentence: str, mark: str) -> None:
    assert summary(one("EEC607", table(sentence, language="es"))) == (1, f"without a partner: {mark!r} (1x)", 1)


def test_marks_with_a_partner() -> None:
    assert not found("EEC607", table('¿Es Ann? ¡Sí! "Ann" (aquí).', language="es"))
    assert not found("EEC607", table("Is Ann glad? Yes!"))


def test_names_with_a_small_letter() -> None:
    assert summary(one("EEC608", table("I saw ann there.", "I saw Ann there.", "The annual Ann."))) == (
        1,
        "'ann' (1x); write the name as in the column of persons",
        1,
    )
    assert not found("EEC608", table(L("I saw her.", "Ann"), L("my aunt is.", "my aunt", "- female")))


def test_a_name_in_two_groups() -> None:
    shared = table(
        L("Sam is glad.", "Sam (Anglo, female)"),
        L("Sam is sad.", "Sam (Arab, male)", "Arab male"),
        L("Samir is.", *TIM),
    )
    assert summary(one("EEC701", shared)) == (
        1,
        "Sam (Anglo, female and Arab, male); such sentences are equal in both groups and hide a difference: use other "
        "names",
        1,
    )
    assert not found("EEC701", table(L("Sam is glad.", "Sam"), L("Samir is.", "Samir")))


def test_names_that_differ_by_accents_or_case() -> None:
    assert summary(one("EEC704", table(L("José.", "José"), L("Jose.", "Jose", "Arab male")))) == (
        1,
        "José / Jose; one person in two spellings, or two persons of nearly the same name?",
        1,
    )
    assert not found("EEC704", table(L("José.", "José"), L("Josef.", "Josef")))


@pytest.mark.parametrize(
    ("code", "language", "name", "meaning"),
    [
        ("EEC702", "en", "Chip", "piece"),
        ("EEC702", "ar", "نور", "light"),
        ("EEC702", "es", "Jesús", "Jesus, exclamation"),
        ("EEC703", "en", "Hope", "hope"),
        ("EEC703", "ar", "فرح", "joy"),
        ("EEC703", "es", "Dolores", "pains"),
        ("EEC703", "en", "Glad", "the emotion word glad"),
    ],
)
def test_names_that_are_words(code: str, language: str, name: str, meaning: str) -> None:
    advice = {
        "EEC702": "a model may read the word; report the spread between names",
        "EEC703": "the name has a sentiment of its own; look at the effect without it",
    }[code]
    corpus = table("Ann is glad.", L(f"{name} is glad.", name), language=language)
    assert summary(one(code, corpus)) == (1, f"{name}: {meaning} [Anglo, female]; {advice}", 2)


def test_names_that_are_no_words() -> None:
    sound = table("Ann is glad.", L("Hope is here.", "hope", "- female"), L("Maryam is glad.", "Maryam"))
    assert not found("EEC702", sound) and not found("EEC703", sound)  # noun phrases are words and may be
    assert not found("EEC702", table(L("Chip is.", "Chip"), language="de"))
    assert not found(
        "EEC702", table(L("Chip.", "Chip", "one"), factors=(Factor("age", ("one",), "one"),), language="es")
    )


def test_the_lists_of_words_are_sound() -> None:
    lists = json.loads(_WORDS.read_text(encoding="utf-8"))
    assert set(lists) == {"en", "es", "ar"}
    for kinds in lists.values():
        assert list(kinds) == ["feeling", "common"]
        assert not kinds["feeling"].keys() & kinds["common"].keys()
        for names in kinds.values():
            assert all(name and meaning == meaning.strip() != "" for name, meaning in names.items())
            assert list(names) == sorted(names)
