"""The linter's grammar: each code on wrong sentences and on right ones that look like them."""

import pytest

from lint_tables import Line, found, one, summary, table

L = Line
HE, SHE = ("he", "- male"), ("she", "- female")


@pytest.mark.parametrize(
    ("code", "sentence", "message"),
    [
        (
            "EEC501",
            "I saw he in the market.",
            "'saw he' (1x); after a verb or preposition write him, her, them, us, me",
        ),
        (
            "EEC501",
            "I talked to she yesterday.",
            "'to she' (1x); after a verb or preposition write him, her, them, us, me",
        ),
        (
            "EEC501",
            "I made they feel sad.",
            "'made they' (1x); after a verb or preposition write him, her, them, us, me",
        ),
        ("EEC501", "I met she.", "'met she' (1x); after a verb or preposition write him, her, them, us, me"),
        ("EEC502", "Him feels sad.", "'him feels' (1x); the subject is he, she, they, we, I"),
        ("EEC502", "Her has two children.", "'her has' (1x); the subject is he, she, they, we, I"),
        ("EEC503", "It was a amazing day.", "'a amazing' (1x); the article follows the sound of the next word"),
        ("EEC503", "An grim situation.", "'An grim' (1x); the article follows the sound of the next word"),
        ("EEC503", "He waited a hour.", "'a hour' (1x); the article follows the sound of the next word"),
        ("EEC503", "He is an European.", "'an European' (1x); the article follows the sound of the next word"),
        ("EEC505", "He feel sad.", "'he feel' (1x); he, she and one name take feels, they takes feel"),
        ("EEC505", "They feels sad.", "'they feels' (1x); he, she and one name take feels, they takes feel"),
    ],
)
def test_english(code: str, sentence: str, message: str) -> None:
    assert summary(one(code, table(L("I saw him."), L(sentence, *HE)))) == (1, message, 2)
    assert not found(code, table(L(sentence, *HE), language="de"))


@pytest.mark.parametrize(
    "sentence",
    [
        "I saw him in the market.",
        "I saw she was sad.",
        "I was told he left.",
        "I left after he came.",
        "The conversation with her was sad.",
        "Her mother feels sad.",
        "Her feelings are hurt.",
        "He made me feel an unusual joy.",
        "A university, a one-off, a European, a user.",
        "An hour, an honest man, an MP, an 8, an X-ray, a uniform.",
        "They feel sad.",
        "The situation makes him feel sad.",
    ],
)
def test_right_english(sentence: str) -> None:
    corpus = table(L(sentence, "him", "- male"))
    assert not any(found(code, corpus) for code in ("EEC501", "EEC502", "EEC503", "EEC504", "EEC505"))


def test_english_agreement_with_the_person() -> None:
    flawed = table(L("Ann found himself there.", "Ann"), L("Tim found herself.", "Tim", "Anglo male"))
    assert summary(one("EEC504", flawed)) == (
        2,
        "himself of a female person (1x); herself of a male person (1x); let it agree with the person",
        1,
    )
    sound = table(L("Ann found herself there.", "Ann"), L("Tim found himself.", "Tim", "Anglo male"))
    assert not found("EEC504", sound)
    flawed = table(L("Ann feel sad.", "Ann"), "Ann feels sad.", "I made Ann feel sad.")
    assert summary(one("EEC505", flawed))[::2] == (1, 1)
    assert one("EEC505", flawed).message.startswith("'⟨person⟩ feel' (1x)")


@pytest.mark.parametrize(
    ("code", "sentence", "message"),
    [
        (
            "EEC511",
            "Ana va a el colegio.",
            "'a el colegio' (1x); the article contracts (al, del), the pronoun is a él, de él",
        ),
        (
            "EEC511",
            "De el mercado.",
            "'de el mercado' (1x); the article contracts (al, del), the pronoun is a él, de él",
        ),
        ("EEC512", "El se siente triste.", "'el se' (1x); the pronoun is él, the article el"),
        ("EEC512", "La conversación con el fue triste.", "'el fue' (1x); the pronoun is él, the article el"),
        ("EEC512", "Hablé con el ayer.", "'con el' (1x); the pronoun is él, the article el"),
        ("EEC512", "Lo vi en él mercado.", "'él mercado' (1x); the pronoun is él, the article el"),
        ("EEC512", "Ana mira él avión.", "'él avión' (1x); the pronoun is él, the article el"),
        (
            "EEC513",
            "Hablé con yo.",
            "'con yo' (1x); after a preposition mí, ti; with con: conmigo, contigo, consigo",
        ),
        (
            "EEC513",
            "Hablé con ti.",
            "'con ti' (1x); after a preposition mí, ti; with con: conmigo, contigo, consigo",
        ),
        ("EEC514", "Se siente enojada.", "enojada of a male person (1x); the adjective agrees with the person"),
        (
            "EEC516",
            "Vi a él en el parque.",
            "'vi a él' (1x); with a pronoun the clitic is needed: lo vi a él, la vi a ella",
        ),
    ],
)
def test_spanish(code: str, sentence: str, message: str) -> None:
    sound = L("Este avión es triste.", "él", "- male")
    assert summary(one(code, table(sound, L(sentence, "él", "- male"), language="es"))) == (1, message, 2)
    assert not found(code, table(sound, L(sentence, "él", "- male"), language="pt"))


@pytest.mark.parametrize(
    "sentence",
    [
        "Él se siente triste y contento.",
        "Lo vi a él en el mercado.",
        "La conversación con él fue triste.",
        "Hablé con él ayer.",
        "Ella va al colegio del barrio.",
        "Viene de El Salvador.",
        "El mercado de ayer.",
        "Entre tú y yo, según él.",
        "Hablé conmigo y contigo para mí.",
        "Se siente optimista.",
        "Se siente como un idiota.",
        "Ana me hizo sentir enojada.",
        "Vi a mi hermano.",
    ],
)
def test_right_spanish(sentence: str) -> None:
    codes = ("EEC511", "EEC512", "EEC513", "EEC514", "EEC515", "EEC516")
    corpus = table(L(sentence, "él", "- male"), language="es")
    assert not any(found(code, corpus) for code in codes)


def test_spanish_personal_a() -> None:
    flawed = table("Vi Ann en el mercado.", "Vi a Ann en el mercado.", language="es")
    assert summary(one("EEC515", flawed)) == (1, "'vi ...' (1x); a person as object takes a: vi a María", 1)
    assert not found("EEC515", table("Vi a Ann en el mercado.", language="es"))


MARYAM, HASSAN = ("مريم", "Arab female"), ("حسن", "Arab male")


def test_arabic_agreement() -> None:
    flawed = table(
        L("مريم يشعر بالحزن.", *MARYAM),
        L("حسن وجدت نفسه في موقف.", *HASSAN),
        L("وجد نفسها في موقف.", *HASSAN),
        language="ar",
    )
    assert summary(one("EEC521", flawed)) == (
        3,
        "يشعر of a female person (1x); وجدت of a male person (1x); نفسها of a male person (1x); the verb follows the "
        "person's gender",
        1,
    )
    sound = table(
        L("مريم تشعر بالحزن.", *MARYAM),
        L("مريم وجدت نفسها هنا.", *MARYAM),
        L("مريم في المكان نفسه.", *MARYAM),
        L("حسن وجد نفسه.", *HASSAN),
        L("الموقف يجعل مريم حزينة.", *MARYAM),
        language="ar",
    )
    assert not found("EEC521", sound)


def test_arabic_article_apart() -> None:
    flawed = table(L("مريم تشعر بال عصبية.", *MARYAM), language="ar")
    assert summary(one("EEC522", flawed)) == (1, "'بال' (1x); write it together with its word", 1)
    assert not found("EEC522", table(L("مريم تشعر بالعصبية مع بالها.", *MARYAM), language="ar"))


def test_arabic_pronoun_beside_its_person() -> None:
    flawed = table(L("الموقف جعلها مريم حزينة.", *MARYAM), language="ar")
    assert summary(one("EEC523", flawed)) == (
        1,
        "'جعلها' (1x) before the person; say it once: جعل مريم, or جعلها alone",
        1,
    )
    sound = table(
        L("الموقف جعل مريم حزينة.", *MARYAM),
        L("رأيته هو في السوق.", "هو", "- male"),
        L("رأيتها هنا.", *MARYAM),
        language="ar",
    )
    assert not found("EEC523", sound)
