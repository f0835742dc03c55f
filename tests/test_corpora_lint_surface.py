"""The linter on what an item's sentences have in common, on the published files and on the shipped corpora."""

import time
from pathlib import Path

import pytest

from bias_lab.corpora import list_corpora, load_corpus
from bias_lab.corpora.lint import Finding, lint
from bias_lab.corpora.lint.surface import _concept_words
from bias_lab.corpora.opening import open_corpus
from lint_tables import Line, found, one, summary, table

L = Line
TIM = ("Tim", "Anglo male")
MONA = ("Mona", "Arab female")


def test_surface_that_differs_between_groups() -> None:
    flawed = table("Ann feels glad.", L("Mona feels so glad.", *MONA))
    assert summary(one("EEC801", flawed)) == (
        1,
        "by race in 1:glad: Anglo '⟨person⟩ feels glad.', Arab '⟨person⟩ feels so glad.'; the difference counts as an "
        "effect of the group: use the same words",
        2,
    )
    assert not found("EEC802", flawed)
    assert not found("EEC801", table("Ann feels glad.", L("Mona feels glad.", *MONA)))
    other_item = table("Ann feels glad.", L("Mona is.", *MONA, item="2"))
    assert not found("EEC801", other_item)


def test_surface_that_agrees_with_the_gender() -> None:
    flawed = table("Ann found herself.", L("Tim found himself.", *TIM), L("Mona found herself.", *MONA))
    assert summary(one("EEC802", flawed)) == (
        1,
        "by gender in 1:glad: female '⟨person⟩ found herself.', male '⟨person⟩ found himself.'",
        2,
    )
    assert not found("EEC801", flawed)


def test_only_the_person_is_taken_out() -> None:
    # Case, a name's own levels in its id, an attached Arabic particle; a pronoun in another case is left aside.
    sound = table(
        L("I saw ann."),
        L("I saw Mona.", "Mona (Arab, female)", "Arab female"),
        L("I saw her.", "she", "- female"),
        L("I saw my dad.", "my dad", "- male"),
    )
    assert not found("EEC801", sound) and not found("EEC802", sound) and not found("EEC804", sound)
    arabic = table(L("الكتاب لمريم.", "مريم"), L("الكتاب لنور.", "نور", "Arab female"), language="ar")
    assert not found("EEC801", arabic) and not found("EEC804", arabic)
    assert found("EEC801", table(L("Annual.", "Ann"), L("Ann.", "Ann"), L("Monaual.", *MONA), L("Mona!", *MONA)))


def test_sentences_that_differ_within_a_group() -> None:
    group = [L(f"{name} feels glad.", name) for name in ("Ann", "Mia", "Zoe")]
    assert summary(one("EEC803", table(*group, L("Una is glad.", "Una")))) == (
        1,
        "Una in 1 (1x); the others of the group have another sentence",
        4,
    )
    assert not found("EEC803", table(*group))
    assert not found("EEC803", table("Ann feels glad.", L("Una is glad.", "Una")))  # which one is odd?
    phrases = [line._replace(levels="- female") for line in group]
    assert not found("EEC803", table(*phrases, L("Una is glad.", "Una", "- female")))


def test_names_that_are_not_in_their_sentence() -> None:
    flawed = table(L("Anne is glad.", "Ann"), L("José is glad.", "Jose"), L("Tim is glad.", *TIM))
    assert summary(one("EEC804", flawed)) == (
        2,
        "Ann (1x); Jose, written José (1x); write the name alike, or the sentence says another person",
        1,
    )


def test_shifted_emotion_words() -> None:
    lines = [L("Ann feels happy.", word="glad"), L("Ann feels sad.", word="happy"), L("Ann feels sad.", word="sad")]
    assert (
        summary(one("EEC805", table(*lines)))
        == (
            2,
            "happy for glad (1x); sad for happy (1x); the words are shifted, or the column is wrong",
            1,
        )
        or summary(one("EEC805", table(*lines)))[0] == 1
    )
    assert summary(one("EEC806", table(L("Ann feels low.", word="miserable")))) == (
        1,
        "miserable in 1 (1x); the sentence says another word than the column",
        1,
    )


@pytest.mark.parametrize(
    ("sentence", "word"),
    [
        ("Los acontecimientos fastidiosos.", "fastidiosa"),
        ("Es una situación seria.", "serio"),
        ("الأحداث المزعجة الأخيرة", "مزعج"),
        ("تشعر بالعصبية", "عصبيه"),
        ("Ann feels Glad.", "glad"),
        ("Ann is at peace.", "at peace"),
    ],
)
def test_forms_of_an_emotion_word_are_that_word(sentence: str, word: str) -> None:
    corpus = table(L(sentence, word=word), L("Ann is aterrorizada.", word="aterrorizada"))
    assert not found("EEC805", corpus) and not found("EEC806", corpus)


def test_words_that_mean_another_concept() -> None:
    by_item = table(L("Ann está seria.", word="seria", item="7:heartbreaking"), language="es")
    assert summary(one("EEC807", by_item)) == (
        1,
        "seria for heartbreaking, but means serious (1x); are the words shifted against the concepts?",
        1,
    )
    by_gloss = table(L("Ann está seria.", word="seria"), L("Ann está seria.", word="seria"), language="es")
    glosses = ("It was serious", "It was heartbreaking")
    assert summary(one("EEC807", by_gloss, glosses))[::2] == (1, 2)
    assert not found("EEC807", by_gloss)
    assert not found("EEC807", table(L("Ann está rara.", word="rara", item="7:heartbreaking"), language="es"))


def test_concepts_are_those_of_the_english_corpora() -> None:
    items = load_corpus("black_white_en").table["item"]
    concepts = {item.split(":")[1] for item in items if ":" in item}
    assert {language: set(words) for language, words in _concept_words().items()} == {"es": concepts}


@pytest.fixture(scope="module")
def published(shared: Path) -> dict[str, dict[str, Finding]]:
    folder = shared / "data" / "eec_published"
    findings = {}
    for name in ("en", "en_es", "es", "ar"):
        opened = open_corpus(str(folder / f"{name}.csv"))
        findings[name] = {one.code: one for one in lint(opened.corpus, glosses=opened.glosses)}
    return findings


def _errors(findings: dict[str, Finding]) -> dict[str, int]:
    return {code: one.count for code, one in findings.items() if one.severity == "error"}


def test_the_published_black_white_corpus_has_no_error(published: dict[str, dict[str, Finding]]) -> None:
    assert _errors(published["en"]) == {}
    assert set(published["en"]) == {"EEC702", "EEC802"}


def test_known_defects_of_the_published_english_corpus(published: dict[str, dict[str, Finding]]) -> None:
    assert _errors(published["en_es"]) == {"EEC501": 124}
    assert published["en_es"]["EEC601"].count == 8640
    assert published["en_es"]["EEC604"].count == 1640
    assert published["en_es"]["EEC501"].message == (
        "'makes he' (20x), 'makes she' (20x), 'made he' (20x), 'made she' (20x), 'with he' (20x), 'with she' (20x), "
        "'saw he' (1x), 'saw she' (1x), 'to he' (1x), 'to she' (1x); after a verb or preposition write him, her, them, "
        "us, me"
    )


def test_known_defects_of_the_published_spanish_corpus(published: dict[str, dict[str, Finding]]) -> None:
    findings = published["es"]
    assert _errors(findings) == {"EEC511": 1, "EEC512": 62}
    assert findings["EEC511"].example is not None
    assert findings["EEC511"].example.sentence == "Yo lo vi a el en él mercado"
    shifted = findings["EEC807"]
    assert shifted.count == 360
    assert shifted.message.startswith(
        "destrozante for grim, but means heartbreaking (180x); seria for heartbreaking, but means serious (90x)"
    )
    assert findings["EEC206"].count == 3  # sadness has four situation words, one was lost in the shift
    assert findings["EEC204"].count == 190


def test_known_defects_of_the_published_arabic_corpus(published: dict[str, dict[str, Finding]]) -> None:
    findings = published["ar"]
    assert findings["EEC101"].count + findings["EEC102"].count == 299
    assert "of 299 repeated in all" in findings["EEC102"].message
    assert findings["EEC401"].count == 3358
    assert findings["EEC201"].count == 2
    assert findings["EEC201"].message.startswith("ميغان has 133; ستيفاني has 133; the others 134;")
    assert findings["EEC202"].count == 2
    assert _errors(findings) == {
        "EEC101": 23,
        "EEC102": 276,
        "EEC201": 2,
        "EEC202": 2,
        "EEC401": 3358,
        "EEC423": 2582,
        "EEC521": 558,
        "EEC522": 60,
        "EEC523": 2204,
        "EEC805": 240,
    }
    assert findings["EEC421"].count == 3


@pytest.mark.parametrize("name", list_corpora())
def test_shipped_corpora_have_no_error(name: str) -> None:
    findings = lint(load_corpus(name))
    assert [(one.code, one.message) for one in findings if one.severity == "error"] == []
    assert {one.code for one in findings} <= {"EEC002", "EEC308", "EEC702", "EEC703", "EEC802"}


def test_a_published_file_is_checked_within_a_few_seconds(shared: Path) -> None:
    opened = open_corpus(str(shared / "data" / "eec_published" / "ar.csv"))
    start = time.process_time()
    lint(opened.corpus)
    assert time.process_time() - start < 5  # it takes about 0.6 s; the margin is for slow machines
