"""The linter on blanks, characters, scripts and Arabic spelling: each code on a flawed table and on a sound one."""

import pytest

from bias_lab.corpora import Corpus
from lint_tables import Line, found, one, summary, table

L = Line
SOUND = "Ann feels glad."
ARABIC = L("مريم تشعر بأنها سعيدة.", "مريم", "Arab female", word="سعيدة")


@pytest.mark.parametrize(
    ("code", "sentence", "message"),
    [
        ("EEC401", "Ann  feels glad.", "words are joined by one blank; mend the templates 1 (1x)"),
        ("EEC402", " Ann feels glad.", "take the blank at the start or end of the sentence out"),
        ("EEC402", "Ann feels glad. ", "take the blank at the start or end of the sentence out"),
        ("EEC403", "Ann feels\tglad.", "U+0009 control character (1x); take it out"),
        ("EEC403", "Ann\u200b feels glad.", "U+200B ZERO WIDTH SPACE (1x); take it out"),
        ("EEC403", "\u200fAnn feels glad.", "U+200F RIGHT-TO-LEFT MARK (1x); take it out"),
        ("EEC404", "Ann\u00a0feels glad.", "U+00A0 NO-BREAK SPACE (1x); write the plain blank U+0020"),
        ("EEC405", "Аnn feels glad.", "Аnn (CYRILLIC + LATIN) (1x): a letter looks right but is another one"),
        ("EEC406", "Ann feels رائع.", "رائع (Arabic) (1x); most words are Latin"),
        (
            "EEC407",
            "Ann feels e\u0301gale.",
            "letter and mark are two characters in 'e\u0301gale.' (1x); save the text in NFC",
        ),
        ("EEC408", "Ann feels ﬁne.", "U+FB01 LATIN SMALL LIGATURE FI (1x); write the plain letters (NFKC)"),
        ("EEC409", "Ann feels رـائع.", "tatweel (U+0640) stretches a word and has no meaning; take it out"),
        ("EEC410", "{person} feels glad.", "'{' (1x) does not belong into a sentence: an unfilled slot or an escape?"),
        (
            "EEC410",
            "Ann &amp; I feel glad.",
            "'&amp;' (1x) does not belong into a sentence: an unfilled slot or an escape?",
        ),
        (
            "EEC410",
            "Ann feels glad\\n.",
            "'\\\\n' (1x) does not belong into a sentence: an unfilled slot or an escape?",
        ),
        ("EEC410", "JosÃ© feels glad.", "'Ã©' (1x) does not belong into a sentence: an unfilled slot or an escape?"),
    ],
)
def test_characters(code: str, sentence: str, message: str) -> None:
    assert summary(one(code, table(SOUND, "Ann is very glad.", sentence))) == (1, message, 3)
    assert not found(code, table(SOUND, "Ann is very glad."))


def test_presentation_forms_of_arabic() -> None:
    flawed = table(ARABIC, ARABIC._replace(sentence="ﻣﺮﻳﻢ تشعر."), language="ar")
    assert one("EEC408", flawed).message.startswith("U+FEAE ARABIC LETTER REH FINAL FORM (1x); U+FEE2")
    assert not found("EEC408", table(ARABIC, language="ar"))


def test_accents_emoji_numbers_and_vowel_signs_are_of_the_words_script() -> None:
    sound = table("José está enojado 3 días 🙂.", "Ñoño ‘café’ naïve—x.", language="es")
    assert not any(found(code, sound) for code in ("EEC403", "EEC405", "EEC406", "EEC407", "EEC410"))
    signed = table(ARABIC._replace(sentence="مُحَمَّد سعيدٌ جدًّا."), language="ar")
    assert not any(found(code, signed) for code in ("EEC405", "EEC406", "EEC407"))


def _arabic(*names: str) -> Corpus:
    return table(*(ARABIC._replace(sentence=f"{name} سعيدة.", person=name) for name in names), language="ar")


def test_vowel_signs_on_some_names() -> None:
    assert summary(one("EEC421", _arabic("مريم", "فَرَح"))) == (
        1,
        "'فَرَح' (Arab, female 1 of 2 names); write all names without vowel signs, or all with",
        2,
    )
    assert not found("EEC421", _arabic("مريم", "فرح"))
    assert not found("EEC421", _arabic("مَريم", "فَرَح"))


@pytest.mark.parametrize(("written", "other"), [("أختي", "اختي"), ("رائعة", "رائعه"), ("محمد", "مُحَمَّد"), ("إلى", "الى")])
def test_one_word_in_two_spellings(written: str, other: str) -> None:
    flawed = table(ARABIC, ARABIC._replace(sentence=f"{written} هنا."), ARABIC._replace(sentence=f"{other} هناك."))
    assert summary(one("EEC422", flawed)) == (
        1,
        f"{' / '.join(sorted((written, other)))}; write each word in one way",
        2,
    )


def test_two_words_are_not_two_spellings() -> None:
    lines = [ARABIC._replace(sentence=text) for text in ("قال أن مريم هنا.", "قال إن مريم هناك.", "علي على حق.")]
    assert not found("EEC422", table(*lines, language="ar"))


def test_ha_for_ta() -> None:
    words = [ARABIC, ARABIC._replace(sentence="حسن سعيد.", word="سعيد", item="1:سعيد")]
    wrong = ARABIC._replace(sentence="مريم سعيده في المدرسه.", word="سعيده", item="1:سعيده")
    assert summary(one("EEC423", table(*words, wrong, language="ar"))) == (
        1,
        "'سعيده' (1x), 'المدرسه' (1x); the feminine ending is ة",
        3,
    )
    his = ARABIC._replace(sentence="هذه أخته وصديقه في الوجه والمياه مع الله.")
    assert not found("EEC423", table(*words, his, language="ar"))
    assert not found("EEC423", table(*words, wrong, language="fa"))


def test_letters_of_other_languages() -> None:
    flawed = table(ARABIC, ARABIC._replace(sentence="کاتي سعيدة."), language="ar")
    assert summary(one("EEC424", flawed)) == (1, "U+06A9 for ك; type them with an Arabic keyboard", 2)
    assert not found("EEC424", table(ARABIC, language="ar"))
    assert not found("EEC424", table(ARABIC._replace(sentence="کاتي سعيدة."), language="fa"))
