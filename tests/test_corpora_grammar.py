"""The grammar: other languages, more genders and factors, and the mistakes a corpus file can have."""

from copy import deepcopy
from typing import Any

import pytest

from bias_lab.corpora import Corpus, load_corpus
from bias_lab.errors import ConfigError

# Agreement with the person, with a fixed gender and number, personal pronouns that need another sentence, and
# contractions: what Spanish asks of the format.
SPANISH: dict[str, Any] = {
    "name": "mini_es",
    "language": "es",
    "version": "0.1",
    "licence": "MIT",
    "source": "written for this test",
    "verified_by_native_speaker": False,
    "factors": {
        "race": {"levels": ["Anglo", "Latino"], "reference": "Anglo"},
        "gender": {"levels": ["male", "female"], "reference": "male"},
    },
    "features": {
        "gender": {"values": ["female", "male"]},
        "number": {"values": ["singular", "plural"], "default": "singular"},
        "type": {"values": ["noun", "pronoun"], "default": "noun"},
        "case": {"values": ["subject", "object"], "default": "subject"},
    },
    "slots": {"state": {"with": "person.gender"}},
    "agreeing": {"clitic": {"with": "person.gender", "forms": {"female": "la", "male": "lo"}}},
    "contractions": {"a el": "al", "de el": "del"},
    "templates": {
        "1": "{person} se siente {state}.",
        "5": "{person} se encontró en una situación {situation:female}.",
        "6": "{person} nos contó los recientes acontecimientos {situation:male,plural}.",
        "8": {
            "text": "Vi a {person} en el mercado.",
            "variants": [{"when": {"person.type": "pronoun"}, "text": "{clitic} vi en el mercado."}],
        },
        "9": "¿{person} va a el colegio de {person:object}?",
    },
    "words": {
        "state": {"anger": {"angry": {"female": "enojada", "male": "enojado"}}, "sadness": {"sad": "triste"}},
        "situation": {
            "joy": {
                "funny": {
                    "female": "divertida",
                    "male": {"singular": "divertido", "plural": "divertidos"},
                },
                "great": {"singular": "excelente", "plural": "excelentes"},
            }
        },
    },
    "noun_phrases": {
        "ella": {"gender": "female", "type": "pronoun"},
        "él": {"gender": "male", "type": "pronoun"},
        "el chico": {"gender": "male"},
    },
    "persons": [
        {"race": "Latino", "gender": "female", "names": {"Alex": "Álex"}},
        {"race": "Anglo", "gender": "male", "names": ["Tom"]},
    ],
}

THEY: dict[str, Any] = {
    "name": "three_genders_en",
    "extends": "language/en",
    "version": "1",
    "licence": "MIT",
    "source": "written for this test",
    "verified_by_native_speaker": True,
    "factors": {
        "ethnicity": {"levels": ["A", "B", "C"], "reference": "B"},
        "gender": {"levels": ["male", "female", "nonbinary"], "reference": "male"},
        "age": {"levels": ["young", "old"], "reference": "young"},
    },
    "agreeing": {"reflexive": {"forms": {"nonbinary": "themself"}}},
    "noun_phrases": {
        "they": {"gender": "nonbinary", "number": "plural", "forms": {"subject": "they", "object": "them"}},
        "this person": {"gender": "nonbinary"},
        "my wife": None,
        "my husband": None,
    },
    "persons": [
        {"ethnicity": ethnicity, "gender": gender, "age": age, "names": [f"{ethnicity}{gender}{age}".title()]}
        for ethnicity in "ABC"
        for gender in ("male", "female", "nonbinary")
        for age in ("young", "old")
    ],
}


def _sentence(corpus: Corpus, item: str, person: str) -> str:
    table = corpus.table
    (sentence,) = table[(table["item"] == item) & (table["person"] == person)]["sentence"]
    return sentence


def _with(raw: dict[str, Any], keys: str, value: object) -> dict[str, Any]:
    """Return a copy of a corpus file with the value at a dotted key replaced; "-" as value deletes."""
    changed = deepcopy(raw)
    *path, last = [int(key) if key.isdigit() and keys.startswith("persons") else key for key in keys.split(".")]
    place: Any = changed
    for key in path:
        place = place[key]
    if value == "-":
        del place[last]
    else:
        place[last] = value
    return changed


@pytest.mark.parametrize(
    ("item", "person", "expected"),
    [
        ("1:angry", "ella", "Ella se siente enojada."),
        ("1:angry", "él", "Él se siente enojado."),
        ("1:angry", "Alex", "Álex se siente enojada."),
        ("1:sad", "Tom", "Tom se siente triste."),
        ("5:funny", "Tom", "Tom se encontró en una situación divertida."),
        ("5:great", "ella", "Ella se encontró en una situación excelente."),
        ("6:funny", "Alex", "Álex nos contó los recientes acontecimientos divertidos."),
        ("6:great", "él", "Él nos contó los recientes acontecimientos excelentes."),
        ("8", "Tom", "Vi a Tom en el mercado."),
        ("8", "el chico", "Vi al chico en el mercado."),
        ("8", "ella", "La vi en el mercado."),
        ("8", "él", "Lo vi en el mercado."),
        ("9", "él", "¿Él va al colegio de él?"),
        ("9", "el chico", "¿El chico va al colegio del chico?"),
    ],
)
def test_spanish_like_agreement(item: str, person: str, expected: str) -> None:
    assert _sentence(load_corpus(SPANISH), item, person) == expected


def test_the_emotion_word_is_the_one_in_the_sentence_and_the_item_the_concept() -> None:
    table = load_corpus(SPANISH).table
    angry = table[table["item"] == "1:angry"].set_index("person")["emotion_word"]
    assert angry["ella"] == "enojada"
    assert angry["Tom"] == "enojado"
    assert set(table[table["item"] == "6:funny"]["emotion_word"]) == {"divertidos"}


def test_three_genders_and_three_factors_need_data_only() -> None:
    corpus = load_corpus(THEY)
    assert [factor.name for factor in corpus.factors] == ["ethnicity", "gender", "age"]
    assert _sentence(corpus, "1:glad", "they") == "They feel glad."
    assert _sentence(corpus, "3:glad", "they") == "I made them feel glad."
    assert _sentence(corpus, "5:amazing", "they") == "They found themself in an amazing situation."
    assert _sentence(corpus, "5:grim", "this person") == "This person found themself in a grim situation."
    assert _sentence(corpus, "10", "they") == "They go to the school in our neighborhood."
    assert _sentence(corpus, "11", "this person") == "This person has two children."
    assert _sentence(corpus, "5:grim", "Afemaleold") == "Afemaleold found herself in a grim situation."
    table = corpus.table
    assert not {"my wife", "my husband"} & set(table["person"])
    assert len(table) == 144 * (18 + 20)
    assert table[table["person"] == "they"][["ethnicity", "age"]].isna().all(axis=None)
    assert corpus.verified_by_native_speaker is True


def test_verbs_and_attached_pronouns_as_arabic_has_them() -> None:
    raw = _with(SPANISH, "agreeing.feels", {"with": "person.gender", "forms": {"female": "تشعر", "male": "يشعر"}})
    raw["agreeing"]["suffix"] = {"with": "person.gender", "forms": {"female": "ها", "male": "ه"}}
    raw["templates"] = {
        "1": "{person} {feels} بالحزن.",
        "3": {
            "text": "جعلت {person} {feels} بالحزن.",
            "variants": [{"when": {"person.type": "pronoun"}, "text": "جعلت{suffix} {feels} بالحزن."}],
        },
    }
    raw["noun_phrases"] = {
        "هي": {"gender": "female", "type": "pronoun"},
        "هذا الرجل": {"gender": "male"},
    }
    corpus = load_corpus(raw)
    assert _sentence(corpus, "1", "هي") == "هي تشعر بالحزن."
    assert _sentence(corpus, "3", "هي") == "جعلتها تشعر بالحزن."
    assert _sentence(corpus, "3", "هذا الرجل") == "جعلت هذا الرجل يشعر بالحزن."


def test_a_function_word_may_follow_two_features_and_be_empty() -> None:
    forms = {"singular": {"female": "la", "male": "el"}, "plural": ""}
    raw = _with(SPANISH, "agreeing.the", {"with": ["person.gender", "person.number"], "forms": forms})
    raw["templates"] = {"1": "Vi {the} {person} ayer."}
    raw["noun_phrases"]["ellas"] = {"gender": "female", "number": "plural"}
    corpus = load_corpus(raw)
    assert _sentence(corpus, "1", "Tom") == "Vi el Tom ayer."
    assert _sentence(corpus, "1", "ellas") == "Vi ellas ayer."


def test_spelling_decides_the_article_unless_the_word_states_it() -> None:
    words = {"situation": {"joy": {"honest": {"onset": "vowel"}, "useful": {"onset": "consonant"}, "odd": "odd"}}}
    corpus = load_corpus({**THEY, "words": words})
    assert _sentence(corpus, "5:honest", "he") == "He found himself in an honest situation."
    assert _sentence(corpus, "5:useful", "he") == "He found himself in a useful situation."
    assert _sentence(corpus, "5:odd", "he") == "He found himself in an odd situation."


def test_a_name_in_two_groups_makes_two_persons() -> None:
    raw = _with(SPANISH, "persons.1.names", ["Tom", "Alex"])
    table = load_corpus(raw).table
    assert {"Alex (Latino, female)", "Alex (Anglo, male)", "Tom"} <= set(table["person"])
    assert "Alex" not in set(table["person"])
    assert not table.duplicated(["person", "item"]).any()


def test_a_factor_may_have_one_level_and_a_corpus_no_gender() -> None:
    raw = {**THEY, "agreeing": {}, "factors": {"group": {"levels": ["only"], "reference": "only"}}}
    raw["persons"] = [{"group": "only", "gender": "female", "names": ["Ann"]}]
    raw["noun_phrases"] = {"my wife": None}
    corpus = load_corpus(raw)
    assert list(corpus.table.columns[6:]) == ["group", "emotion", "emotion_word"]
    assert _sentence(corpus, "5:grim", "Ann") == "Ann found herself in a grim situation."


ORIGIN = "eec.corpora.mini_es"
MISTAKES: list[tuple[str, object, str]] = [
    (
        "licens",
        "MIT",
        "licens: unknown key 'licens'; did you mean 'licence'? Choices: name, language, version, "
        "licence, source, "
        "verified_by_native_speaker, factors, templates, kind, features, slots, agreeing, contractions, "
        "words, "
        "noun_phrases, persons",
    ),
    ("licence", "-", "missing licence"),
    (
        "version",
        1.0,
        "version: the value must be a text, but YAML reads it as the number 1.0; "
        "put it in quotes (no, off, on, yes and numbers need them)",
    ),
    ("verified_by_native_speaker", "no", "verified_by_native_speaker: must be true or false, got 'no'"),
    (
        "name",
        "mini es",
        "name: 'mini es' must be letters, digits, _, - and dots: results are stored under it",
    ),
    ("kind", "cvs", "kind: unknown kind 'cvs'; did you mean 'csv'? Choices: generated, csv"),
    (
        "words.state.anger.angry.male",
        False,
        "words.state.anger.angry.male: the value must be a text, but YAML reads it as the boolean False; "
        "put it in quotes (no, off, on, yes and numbers need them)",
    ),
    (
        "words.state.anger",
        [True],
        "words.state.anger[0]: the value must be a text, but YAML reads it as the boolean True; "
        "put it in quotes (no, off, on, yes and numbers need them)",
    ),
    (
        "templates",
        {8: "Vi a {person}."},
        "templates: a key must be a text, but YAML reads it as the number 8; "
        "put it in quotes (no, off, on, yes and numbers need them)",
    ),
    (
        "templates.1",
        "{persn} se siente {state}.",
        "templates.1: unknown slot 'persn'; did you mean 'person'? Choices: person, state, situation, clitic",
    ),
    (
        "templates.1",
        "{person se siente.",
        "templates.1: a brace has no partner in '{person se siente.'; slots look like {person}",
    ),
    (
        "templates.1",
        "{person} está {state:femal}.",
        "templates.1: {state:femal}: unknown feature value 'femal'; did you mean 'female'? Choices: "
        "female, male, "
        "singular, plural, noun, pronoun, subject, object",
    ),
    (
        "templates.1",
        "{person} está {state:female,male}.",
        "templates.1: {state:female,male}: fixes gender twice",
    ),
    (
        "templates.1",
        "Todo está {state:female}.",
        "templates.1: has no {person}: every person would get the same sentence",
    ),
    (
        "templates.1",
        "{person} {state} {situation:female}.",
        "templates.1: a template has one emotion word at most, got situation, state",
    ),
    (
        "templates.1",
        "{person}  va.",
        "templates.1: '{person}  va.' has a blank at an end, two blanks in a row or a control character; "
        "words are joined by single blanks",
    ),
    (
        "templates.8.variants",
        [{"when": {"person.type": "pronoun"}, "text": "{clitic} vi {state}."}],
        "templates.8: its variants must all have the emotion word, and the same one",
    ),
    (
        "templates.8.variants",
        [{"when": {"person.typ": "pronoun"}, "text": "{clitic} vi."}],
        "templates.8.variants[0].when.person.typ: unknown feature 'typ'; did you mean 'type'? Choices: "
        "race, gender, "
        "number, type, case",
    ),
    (
        "templates.8.variants",
        [{"when": {"situation.number": "plural"}, "text": "{clitic} vi."}],
        "templates.8.variants[0].text: 'when' depends on {situation}, which this template does not have",
    ),
    (
        "templates.5",
        "{person} en {situation}.",
        "words.situation.joy.funny: its forms differ by gender (female, male), but nothing says which one "
        "template 5 with 'Alex' needs; fix it in the template, as in {slot:female}, let the slot agree "
        "with the "
        "person (slots), or give the feature a default",
    ),
    (
        "words.state.anger.angry",
        {"female": "enojada"},
        "words.state.anger.angry: no form for gender 'male', which template 1 with 'Tom' needs; it has female",
    ),
    (
        "words.state.anger.angry",
        {"femal": "enojada"},
        "words.state.anger.angry.femal: unknown key 'femal'; did you mean 'female'? Choices: forms, "
        "gender, number, "
        "type, case, female, male, noun, object, plural, pronoun, singular, subject",
    ),
    (
        "words.state.anger.angry",
        {"female": "enojada", "plural": "enojados"},
        "words.state.anger.angry: mixes values of gender and number; nest one inside the other",
    ),
    (
        "noun_phrases.ellla",
        None,
        "noun_phrases.ellla: the value is null; a word that looks like it needs quotes, and a null that "
        "is to take "
        "out a key of the base file must have that key's name",
    ),
    (
        "words.state.sadness",
        {"angry": "triste"},
        "words.state: the word 'angry' stands under two emotions; give each its own concept",
    ),
    (
        "agreeing.clitic.forms",
        {"female": "la"},
        "agreeing.clitic.forms: no form for gender 'male', which template 8 with 'él' needs; it has female",
    ),
    ("agreeing.clitic.with", "gender", "agreeing.clitic.with: must look like person.gender, got 'gender'"),
    (
        "agreeing.state",
        {"with": "person.gender", "forms": "x"},
        "agreeing.state: 'state' is the name of another slot already",
    ),
    (
        "slots",
        {"stat": {"with": "person.gender"}},
        "slots.stat: unknown slot 'stat'; did you mean 'state'? Choices: state, situation",
    ),
    (
        "features.number.default",
        "dual",
        "features.number.default: unknown number 'dual'; did you mean 'plural'? Choices: singular, plural",
    ),
    (
        "features.type.values",
        ["noun", "pronoun", "female"],
        "features: 'female' has two meanings; features and values need names of their own",
    ),
    (
        "factors.race.reference",
        "Anlgo",
        "factors.race.reference: unknown level 'Anlgo'; did you mean 'Anglo'? Choices: Anglo, Latino",
    ),
    ("factors.race.levels", ["Anglo", "Anglo"], "factors.race.levels: the level 'Anglo' is given twice"),
    ("factors.race.levels", ["Anglo", "Latino", "Arab"], "factors.race: no person has the level 'Arab'"),
    (
        "factors.person",
        {"levels": ["a"], "reference": "a"},
        "factors.person: 'person' cannot be a factor's name: it must be one word of letters, digits and "
        "_, and none of eec, sentence, template, item, person, person_kind, emotion, emotion_word, "
        "prediction",
    ),
    (
        "persons.0.race",
        "Latin",
        "persons[0].race: unknown race 'Latin'; did you mean 'Latino'? Choices: Anglo, Latino",
    ),
    ("persons.0.race", "-", "persons[0]: missing race"),
    (
        "persons.0.gendre",
        "female",
        "persons[0].gendre: unknown key 'gendre'; did you mean 'gender'? Choices: names, gender, number, "
        "type, case, race",
    ),
    ("persons.1.names", ["Tom", "Tom"], "persons[1].names: 'Tom' is given twice"),
    ("persons.1.names", [], "persons[1].names: is empty"),
    (
        "noun_phrases.ella.gender",
        "woman",
        "noun_phrases.ella.gender: unknown gender 'woman'. Choices: male, female",
    ),
    (
        "noun_phrases.ella.race",
        "Latino",
        "noun_phrases.él: states gender, but 'ella' states race and gender; "
        "noun phrases must all state the same factors",
    ),
]


@pytest.mark.parametrize(("keys", "value", "message"), MISTAKES)
def test_a_mistake_is_told_with_file_key_and_choices(keys: str, value: object, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_corpus(_with(SPANISH, keys, value))
    _, _, told = str(caught.value).partition(": ")
    assert told == message
    assert str(caught.value).startswith("eec.corpora.mini")


def test_a_person_twice_in_one_group_is_an_error() -> None:
    raw = deepcopy(SPANISH)
    raw["persons"].append({"race": "Anglo", "gender": "male", "names": ["Tom"]})
    with pytest.raises(ConfigError) as caught:
        load_corpus(raw)
    assert str(caught.value) == (
        f"{ORIGIN}: persons[2].names[0]: the person 'Tom (Anglo, male)' stands twice in one group; "
        f"the other is {ORIGIN}: persons[1].names[0]"
    )


def test_a_new_gender_needs_its_forms() -> None:
    raw = {**THEY, "agreeing": {}}
    with pytest.raises(
        ConfigError, match=r"agreeing.reflexive.forms: no form for gender 'nonbinary', which template 5"
    ):
        load_corpus(raw)
