"""The linter on duplicates, balance and factors: each code on a flawed table and on a sound one."""

import pytest

from bias_lab.corpora import Corpus, Factor
from bias_lab.corpora.lint import CHECKS, CODES, lint
from lint_tables import GENDER, Line, found, one, summary, table

L = Line


def people(*, skip: tuple[tuple[str, str], ...] = (), words: tuple[str, ...] = ("glad", "happy")) -> list[Line]:
    """Return two words for two persons of each group, without some (person, word)."""
    names = {"Ann": "Anglo female", "Mia": "Anglo female", "Tom": "Anglo male", "Tim": "Anglo male"}
    names |= {"Mona": "Arab female", "Rima": "Arab female", "Omar": "Arab male", "Said": "Arab male"}
    return [
        L(f"{name} feels {word}.", name, levels, word=word)
        for word in words
        for name, levels in names.items()
        if (name, word) not in skip
    ]


def test_a_sound_corpus_has_no_finding() -> None:
    assert lint(table(*people())) == []


def test_every_code_has_a_severity_and_findings_come_sorted() -> None:
    assert {severity for severity, _ in CODES.values()} == {"error", "warning", "note"}
    assert list(CODES) == sorted(CODES)
    codes = [finding.code for finding in lint(table("  a  ", "  a  ", language="xx"))]
    assert codes == sorted(codes) and "EEC002" in codes
    assert len(set(CHECKS)) == len(CHECKS)


def test_a_sentence_twice_within_an_emotion() -> None:
    flawed = table("Ann feels glad.", L("Ann feels glad.", word="happy"), "Ann is glad.")
    assert summary(one("EEC101", flawed)) == (
        1,
        "a repeated sentence counts twice: glad (joy) = happy (joy) (1x), of 1 repeated in all; take the second one "
        "out, or give each concept a word of its own",
        2,
    )
    assert not found("EEC102", flawed)


def test_a_sentence_under_two_emotions() -> None:
    down = L("Ann feels down.", emotion="fear", word="down")
    flawed = table(down, down._replace(emotion="sadness"), down._replace(emotion=None, word=None, item="8"))
    assert summary(one("EEC102", flawed)) == (
        2,
        "nothing tells the emotions apart: down (fear) = down (sadness) (1x); down (fear) = neutral, 8 (1x), of 2 "
        "repeated in all; give each concept a word of its own",
        2,
    )
    assert not found("EEC101", flawed)


def test_a_sentence_for_two_persons() -> None:
    flawed = table("She feels glad.", L("She feels glad.", "Mia"))
    assert summary(one("EEC103", flawed)) == (
        1,
        "no model can tell these persons apart: Ann = Mia (1x), of 1 repeated in all; the person must show",
        2,
    )
    namesakes = table(
        L("Sam feels glad.", "Sam (Anglo, female)"), L("Sam feels glad.", "Sam (Arab, male)", "Arab male")
    )
    assert not found("EEC103", namesakes)


def test_unequal_rows_and_the_item_that_is_missing() -> None:
    flawed = table(*people(skip=(("Mia", "happy"),)))
    assert summary(one("EEC201", flawed)) == (
        1,
        "Mia has 1; the others 2; a person with more rows weighs more (EEC202, EEC203 say what is missing)",
        2,
    )
    assert summary(one("EEC202", flawed)) == (
        1,
        "missing: Mia in 1:happy; add these sentences, or take the item out for everybody",
        9,
    )
    assert not found("EEC203", flawed)


def test_items_that_come_from_the_sentences() -> None:
    lines = [line._replace(item="<person> feels glad.", template="<person> feels glad.") for line in people()[:8]]
    her = L("I saw her.", "Ann", item="I saw her.", template="I saw her.")
    assert summary(one("EEC208", table(*lines, her))) == (
        1,
        "1 of 2 items lack persons of a group they have: Mia in I saw her.; the file has neither templates nor items, "
        "so the sentence without the person was taken: a column `template` or `item` says which sentences belong "
        "together",
        9,
    )
    assert not any(found(code, table(*lines, her)) for code in ("EEC202", "EEC203", "EEC204"))
    assert not found("EEC208", table(*lines))
    assert not found("EEC208", table(*people(skip=(("Mia", "happy"),))))


def test_items_without_a_group() -> None:
    flawed = table(*people(skip=(("Mona", "happy"), ("Rima", "happy"))))
    assert summary(one("EEC203", flawed)) == (
        1,
        "1:happy has nobody of: Arab, female; groups are compared within items: write it for every group, or take it "
        "out",
        9,
    )
    assert not found("EEC204", flawed) and not found("EEC202", flawed)


def test_items_of_one_gender() -> None:
    women, men = ("Ann", "Mia", "Mona", "Rima"), ("Tom", "Tim", "Omar", "Said")
    words = ("triste", "contenta", "contento")
    skip = tuple((name, "contenta") for name in men) + tuple((name, "contento") for name in women)
    flawed = table(*people(skip=skip, words=words))
    assert summary(one("EEC204", flawed)) == (
        2,
        "1:contenta has nobody of: Anglo, male, Arab, male; where the emotion word agrees with the person, a column "
        "`concept` with one word for all genders makes it one item",
        9,
    )
    assert not found("EEC203", flawed) and not found("EEC201", flawed)


def test_a_person_twice_in_an_item() -> None:
    assert summary(one("EEC205", table(*people(), L("Ann is glad.")))) == (
        1,
        "a person has one sentence in an item: Ann in 1:glad; give them items of their own",
        17,
    )


def test_unequal_items_per_emotion() -> None:
    sad = [
        line._replace(sentence=line.sentence.replace("glad", "sad"), emotion="sadness", word="sad")
        for line in people()[:8]
    ]
    assert summary(one("EEC206", table(*people(), *sad))) == (
        1,
        "words per emotion and template: sadness 1, others 2 in 1; an average over emotions then weighs them "
        "unequally; a word may be missing or doubled",
        17,
    )
    assert not found("EEC206", table(*people()[:8], *sad))
    assert not found("EEC206", table(*people()[:8], *sad[:7]))  # one sentence short is no word short


def test_emotions_without_a_task() -> None:
    assert summary(one("EEC207", table("Ann feels glad.", L("Ann is ill.", emotion="Joy")))) == (
        1,
        "'Joy' (1x); the tasks are anger, fear, joy, sadness: is it a typing mistake?",
        2,
    )


def test_unknown_and_empty_levels() -> None:
    flawed = table("Ann feels glad.", L("Tim feels glad.", "Tim", "Angle male"))
    assert summary(one("EEC301", flawed)) == (
        1,
        "race 'Angle' (1x); declared are race: Anglo, Arab; gender: male, female",
        2,
    )
    flawed = table("Ann feels glad.", L("Tim feels glad.", "Tim", "- male", kind="name"))
    assert summary(one("EEC302", flawed)) == (
        1,
        "Tim: no race (1x); give every name a level of every factor, or make it a noun_phrase",
        2,
    )
    assert not found("EEC302", table(L("He is glad.", "he", "- male")))


def _gendered(levels: tuple[str, ...], *persons: str) -> Corpus:
    lines = [L(f"Person{at} feels glad.", f"Person{at}", level) for at, level in enumerate(persons)]
    return table(*lines, factors=(Factor("gender", levels, levels[0]),))


def test_levels_that_nobody_has_one_level_and_one_level_in_two_spellings() -> None:
    flawed = _gendered(("male", "female", "other"), "male", "female")
    assert summary(one("EEC303", flawed)) == (
        1,
        "nobody has the gender 'other'; take it out of `levels` or add persons",
        None,
    )
    flawed = _gendered(("female",), "female", "female")
    assert summary(one("EEC309", flawed)) == (
        1,
        "everybody has the gender 'female': there is nothing to compare",
        None,
    )
    flawed = _gendered(("male", "non-binary", "Nonbinary"), "male", "non-binary", "Nonbinary")
    assert summary(one("EEC304", flawed)) == (
        2,
        "gender has 'non-binary', 'Nonbinary': two groups by a typing mistake? Write one of them",
        None,
    )
    sound = _gendered(("male", "female"), "male", "female")
    assert not any(found(code, sound) for code in ("EEC303", "EEC304", "EEC309"))


def _cells(**sizes: int) -> Corpus:
    """Return a corpus with so many persons in each cell, such as Arab_male=2."""
    names = {f"Person{cell}{at}": cell.replace("_", " ") for cell, size in sizes.items() for at in range(size)}
    return table(*(L(f"{name} feels glad.", name, levels) for name, levels in names.items()))


def test_an_empty_cell_has_no_interaction() -> None:
    flawed = _cells(Arab_female=2, Anglo_female=2, Anglo_male=2)
    assert summary(one("EEC305", flawed)) == (
        1,
        "nobody is Arab, male: add persons; without them the interaction of the factors has no estimate",
        None,
    )
    assert not found("EEC306", flawed)


def test_factors_that_go_together_cannot_be_told_apart() -> None:
    assert summary(one("EEC306", _cells(Arab_female=2, Anglo_male=2))) == (
        2,
        "race and gender go together in every person: no regression can separate their effects",
        None,
    )


def test_group_sizes() -> None:
    flawed = _cells(Arab_female=1, Anglo_female=2, Anglo_male=2, Arab_male=2)
    assert summary(one("EEC307", flawed)) == (
        1,
        "one person only: Arab, female; the group cannot be told from the person, add others",
        None,
    )
    assert summary(one("EEC308", flawed)) == (
        4,
        "persons: Arab, female 1, Anglo, female 2, Anglo, male 2, Arab, male 2; equal numbers give each group the "
        "same weight",
        None,
    )


def test_noun_phrases_are_counted_apart_and_without_the_factors_they_lack() -> None:
    phrases = [L(f"My {who} feels glad.", f"my {who}", "- female") for who in ("sister", "aunt")]
    sound = table(*people(), *phrases, *(L(f"My {who} is.", f"my {who}", "- male") for who in ("dad", "uncle")))
    assert not any(found(code, sound) for code in ("EEC305", "EEC306", "EEC307", "EEC308"))
    flawed = table(*people(), *phrases, L("My dad is.", "my dad", "- male"))
    assert one("EEC307", flawed).message.startswith("one person only: male noun phrases;")


def test_three_genders_and_a_third_factor() -> None:
    factors = (GENDER, Factor("age", ("young", "old"), "young"), Factor("work", ("yes", "no"), "yes"))
    names = [
        f"{gender} {age} {work}" for gender in ("male", "female") for age in ("young", "old") for work in ("yes", "no")
    ]
    lines = [L(f"Person{at}{of} feels glad.", f"Person{at}{of}", cell) for of, cell in enumerate(names) for at in "ab"]
    assert lint(table(*lines, factors=factors)) == []
    together = [line for line in lines if line.levels.split()[1:] in (["young", "yes"], ["old", "no"])]
    assert one("EEC306", table(*together, factors=factors)).message.startswith("age and work go together")


@pytest.mark.parametrize(("language", "unknown"), [("de", True), ("en", False), ("es", False), ("ar", False)])
def test_grammar_is_said_to_be_unchecked(language: str, unknown: bool) -> None:
    findings = found("EEC002", table(*people(), language=language))
    assert bool(findings) is unknown
    if unknown:
        assert findings[0].message == (
            "the language is 'de'; grammar is known for English (en), Spanish (es), Arabic (ar)"
        )
