"""Cleaning: each option by example, the order of the steps, and the options' own checks."""

import unicodedata

import pytest

from bias_lab.errors import ConfigError, DataError
from bias_lab.text import _DIACRITICS, ARABIC, Cleaning, clean

DEFAULT = Cleaning()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("@user so happy", "so happy"),
        ("so happy @user", "so happy"),
        ("hi @A_b9, you", "hi , you"),
        (".@user: RT", ". : RT"),
        ("@one@two fine", "fine"),
        ("@@user fine", "@ fine"),
        ("\uff20user fine", "fine"),
        ("meet @ noon", "meet @ noon"),
        ("@", "@"),
        ("mail bob.smith@aol.com now", "mail bob.smith@aol.com now"),
        ("tod@s y niñ@s", "tod@s y niñ@s"),
        ("gracias @josé", "gracias @josé"),
        ("سعيد@userسعيد", "سعيد سعيد"),
        ("@مستخدم سعيد", "@مستخدم سعيد"),
        (r"great\n@user\nday", "great day"),
        ("&#64;user fine", "fine"),
    ],
)
def test_mentions(text, expected):
    assert clean(text, DEFAULT) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("you &amp; me", "you & me"),
        ("a &amp;amp; b &amp;amp;lt;3", "a & b <3"),
        ("it&#39;s &#x1F600;", "it's 😀"),
        ("a&nbsp;&nbsp;b", "a b"),
        ("AT&T", "AT&T"),
        ("?a=1&copy=2 &notathing;", "?a=1&copy=2 &notathing;"),
        ("&;&#;& ;", "&;&#;& ;"),
    ],
)
def test_entities(text, expected):
    assert clean(text, DEFAULT) == expected


def test_blanks_are_collapsed_and_stripped():
    assert clean("  a\r\n\tb \u2028 c\u00a0\\n\\n d \n", DEFAULT) == "a b c d"


def test_switches_leave_their_part_alone():
    off = Cleaning(mentions="keep", entities=False, newlines=False, unicode="none")
    assert clean(r"@user &amp;  a\nb", off) == r"@user &amp; a\nb"
    assert clean("real\nnewline", off) == "real newline"


@pytest.mark.parametrize(
    "sentence",
    [
        "Latisha feels angry.",
        "Jamel found himself in a/an vexing situation.",
        "Mi tía se siente enojada.",
        "ليلى تشعر بالغضب.",
    ],
)
def test_sentences_of_a_corpus_pass_unchanged(sentence):
    assert clean(sentence, DEFAULT) == sentence


def test_unicode_forms():
    decomposed = "cafe\u0301 \ufb01"
    assert clean(decomposed, DEFAULT) == "café \ufb01"
    assert clean(decomposed, Cleaning(unicode="NFKC")) == "café fi"
    assert clean(decomposed, Cleaning(unicode="none")) == decomposed


@pytest.mark.parametrize(
    ("option", "text", "expected"),
    [
        ("diacritics", "مُحَمَّدٌ هٰذا", "محمد هذا"),
        ("tatweel", "جمـــيل", "جميل"),
        ("hamza", "أحمد إلى آخر ٱلعام مؤمن سائل ماء", "احمد الى اخر العام مومن سايل ماء"),
        ("alef_maksura", "مصطفى على", "مصطفي علي"),
    ],
)
def test_arabic_foldings(option, text, expected):
    assert clean(text, Cleaning(arabic=(option,))) == expected
    others = tuple(name for name in ARABIC if name != option)
    assert clean(text, Cleaning(arabic=others)) != expected
    assert clean(text, DEFAULT) == text


def test_hamza_is_folded_in_decomposed_letters_too():
    decomposed = "\u0627\u0654\u062d\u0645\u062f"
    assert clean(decomposed, Cleaning(arabic=("hamza",), unicode="none")) == "احمد"


def test_diacritics_are_combining_marks_that_do_not_carry_hamza():
    marks = [char for char in map(chr, range(0x600, 0x700)) if _DIACRITICS.match(char)]
    assert {unicodedata.category(char) for char in marks} == {"Mn"}
    assert not {"\u0653", "\u0654", "\u0655"}.intersection(marks)
    assert set(map(chr, range(0x64B, 0x653))) <= set(marks)


@pytest.mark.parametrize("unicode", ["NFC", "NFKC", "none"])
@pytest.mark.parametrize(
    "text",
    [
        r"&amp;amp;#64;user@x \n@@a@b @ـuser",
        "＆amp;amp; ﹫user ＠a＠b",
        "اـٔحمد &#x654; &am@user p;",
        "@a@josé @b.c@d",
    ],
)
def test_cleaning_twice_changes_nothing(text, unicode):
    cleaning = Cleaning(unicode=unicode, arabic=ARABIC)
    once = clean(text, cleaning)
    assert clean(once, cleaning) == once


def test_a_text_that_is_no_text():
    with pytest.raises(DataError) as caught:
        clean(float("nan"), DEFAULT)
    assert str(caught.value) == "a text must be a str, got float nan"


def test_options_survive_plain_types():
    cleaning = Cleaning.from_mapping({"mentions": "keep", "arabic": ["hamza", "diacritics", "hamza"]})
    assert cleaning.as_dict() == {
        "mentions": "keep",
        "entities": True,
        "newlines": True,
        "unicode": "NFC",
        "arabic": ["diacritics", "hamza"],
    }
    assert Cleaning.from_mapping(cleaning.as_dict()) == cleaning
    assert Cleaning.from_mapping(None) == Cleaning.from_mapping({}) == DEFAULT


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mentions": "drop"}, "cleaning.mentions='drop' is not allowed; choose from remove, keep"),
        ({"unicode": None}, "cleaning.unicode=None is not allowed; choose from NFC, NFKC, none"),
        ({"entities": "no"}, "cleaning.entities='no' is not allowed; choose true or false"),
        (
            {"arabic": "hamza"},
            "cleaning.arabic='hamza' is not a list; choose any of [diacritics, tatweel, hamza, alef_maksura]",
        ),
        (
            {"arabic": ["teh"]},
            "cleaning.arabic='teh' is not allowed; choose from diacritics, tatweel, hamza, alef_maksura",
        ),
        (
            {"mention": "keep"},
            "cleaning.mention is not an option; choose from mentions, entities, newlines, unicode, arabic",
        ),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(ConfigError) as caught:
        Cleaning.from_mapping(options)
    assert str(caught.value) == message
