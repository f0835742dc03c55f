"""The Spanish corpus, against sentences written by hand and rules of Spanish grammar."""

import re
import unicodedata

import pandas as pd
import pytest

from bias_lab.corpora import list_corpora, load_corpus

NAME = "latino_anglo_es"
# English concept: feminine, masculine (of the state); feminine singular, masculine plural (of the situation)
STATES = """
angry enojada enojado, annoyed molesta molesto, enraged enfurecida enfurecido, furious furiosa furioso,
irritated irritada irritado, anxious ansiosa ansioso, discouraged desalentada desalentado,
fearful temerosa temeroso, scared asustada asustado, terrified aterrorizada aterrorizado,
ecstatic eufórica eufórico, excited emocionada emocionado, glad contenta contento, happy alegre alegre,
relieved aliviada aliviado, depressed deprimida deprimido, devastated devastada devastado,
disappointed desilusionada desilusionado, miserable miserable miserable, sad triste triste
"""
SITUATIONS = """
annoying fastidiosa fastidiosos, displeasing desagradable desagradables, irritating irritante irritantes,
outrageous indignante indignantes, vexing exasperante exasperantes, dreadful terrible terribles,
horrible horrible horribles, shocking impactante impactantes, terrifying aterradora aterradores,
threatening amenazante amenazantes, amazing increíble increíbles, funny divertida divertidos,
great estupenda estupendos, hilarious hilarante hilarantes, wonderful maravillosa maravillosos,
depressing deprimente deprimentes, gloomy sombría sombríos, grim desoladora desoladores,
heartbreaking desgarradora desgarradores, serious seria serios
"""
WRITTEN_BY_HAND = {
    "María": """
        María se siente enojada.
        La situación hace que María se sienta enojada.
        Hice que María se sintiera enojada.
        María me hizo sentir enojado.
        María se encontró en una situación fastidiosa.
        María nos contó todo sobre los recientes acontecimientos fastidiosos.
        La conversación con María fue fastidiosa.
        Vi a María en el mercado.
        Hablé con María ayer.
        María va al colegio de nuestro barrio.
        María tiene dos hijos.""",
    "Ángel": """
        Ángel se siente enojado.
        La situación hace que Ángel se sienta enojado.
        Hice que Ángel se sintiera enojado.
        Ángel me hizo sentir enojado.
        Ángel se encontró en una situación fastidiosa.
        Ángel nos contó todo sobre los recientes acontecimientos fastidiosos.
        La conversación con Ángel fue fastidiosa.
        Vi a Ángel en el mercado.
        Hablé con Ángel ayer.
        Ángel va al colegio de nuestro barrio.
        Ángel tiene dos hijos.""",
    "Jessica": """
        Jessica se siente enojada.
        La situación hace que Jessica se sienta enojada.
        Hice que Jessica se sintiera enojada.
        Jessica me hizo sentir enojado.
        Jessica se encontró en una situación fastidiosa.
        Jessica nos contó todo sobre los recientes acontecimientos fastidiosos.
        La conversación con Jessica fue fastidiosa.
        Vi a Jessica en el mercado.
        Hablé con Jessica ayer.
        Jessica va al colegio de nuestro barrio.
        Jessica tiene dos hijos.""",
    "Tyler": """
        Tyler se siente enojado.
        La situación hace que Tyler se sienta enojado.
        Hice que Tyler se sintiera enojado.
        Tyler me hizo sentir enojado.
        Tyler se encontró en una situación fastidiosa.
        Tyler nos contó todo sobre los recientes acontecimientos fastidiosos.
        La conversación con Tyler fue fastidiosa.
        Vi a Tyler en el mercado.
        Hablé con Tyler ayer.
        Tyler va al colegio de nuestro barrio.
        Tyler tiene dos hijos.""",
    "ella": """
        Ella se siente enojada.
        La situación hace que ella se sienta enojada.
        Hice que ella se sintiera enojada.
        Ella me hizo sentir enojado.
        Ella se encontró en una situación fastidiosa.
        Ella nos contó todo sobre los recientes acontecimientos fastidiosos.
        La conversación con ella fue fastidiosa.
        La vi a ella en el mercado.
        Hablé con ella ayer.
        Ella va al colegio de nuestro barrio.
        Ella tiene dos hijos.""",
    "él": """
        Él se siente enojado.
        La situación hace que él se sienta enojado.
        Hice que él se sintiera enojado.
        Él me hizo sentir enojado.
        Él se encontró en una situación fastidiosa.
        Él nos contó todo sobre los recientes acontecimientos fastidiosos.
        La conversación con él fue fastidiosa.
        Lo vi a él en el mercado.
        Hablé con él ayer.
        Él va al colegio de nuestro barrio.
        Él tiene dos hijos.""",
    "mi hermana": """
        Mi hermana se siente enojada.
        La situación hace que mi hermana se sienta enojada.
        Hice que mi hermana se sintiera enojada.
        Mi hermana me hizo sentir enojado.
        Mi hermana se encontró en una situación fastidiosa.
        Mi hermana nos contó todo sobre los recientes acontecimientos fastidiosos.
        La conversación con mi hermana fue fastidiosa.
        Vi a mi hermana en el mercado.
        Hablé con mi hermana ayer.
        Mi hermana va al colegio de nuestro barrio.
        Mi hermana tiene dos hijos.""",
    "este hombre": """
        Este hombre se siente enojado.
        La situación hace que este hombre se sienta enojado.
        Hice que este hombre se sintiera enojado.
        Este hombre me hizo sentir enojado.
        Este hombre se encontró en una situación fastidiosa.
        Este hombre nos contó todo sobre los recientes acontecimientos fastidiosos.
        La conversación con este hombre fue fastidiosa.
        Vi a este hombre en el mercado.
        Hablé con este hombre ayer.
        Este hombre va al colegio de nuestro barrio.
        Este hombre tiene dos hijos.""",
}


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return load_corpus(NAME).table


def _sentences(table: pd.DataFrame, person: str) -> pd.Series:
    return table[table["person"] == person].set_index("item")["sentence"]


def _words(text: str) -> dict[str, tuple[str, str]]:
    return {concept: (first, second) for concept, first, second in map(str.split, text.split(","))}


def test_the_corpus_is_listed_for_its_language() -> None:
    assert list(list_corpora(language="es")) == [NAME]
    corpus = load_corpus(NAME)
    assert corpus.language == "es"
    assert [(factor.name, factor.levels, factor.reference) for factor in corpus.factors] == [
        ("race", ("Anglo", "Latino"), "Anglo"),
        ("gender", ("male", "female"), "male"),
    ]
    assert (corpus.licence, corpus.version, corpus.verified_by_native_speaker) == ("MIT", "1.0", False)


def test_all_persons_stand_in_all_items_in_sentences_of_their_own(table: pd.DataFrame) -> None:
    assert len(table) == 8640
    assert table["item"].nunique() == 144
    assert table["person"].nunique() == 60
    assert not table["sentence"].duplicated().any()
    assert set(table["item"]) == set(load_corpus("latino_anglo_en").table["item"])
    assert table.groupby(["item", "gender"])["person"].nunique().eq(30).all()


@pytest.mark.parametrize("person", WRITTEN_BY_HAND)
def test_sentences_written_by_hand(table: pd.DataFrame, person: str) -> None:
    items = [f"{number}:{'angry' if number < 5 else 'annoying'}" for number in range(1, 8)]
    written = [line.strip() for line in WRITTEN_BY_HAND[person].strip().splitlines()]
    assert _sentences(table, person)[[*items, "8", "9", "10", "11"]].tolist() == written


@pytest.mark.parametrize("concept", _words(STATES))
def test_state_words_agree_with_the_person_but_for_the_speakers(table: pd.DataFrame, concept: str) -> None:
    female, male = _words(STATES)[concept]
    sister, brother = _sentences(table, "mi hermana"), _sentences(table, "mi hermano")
    assert sister[f"1:{concept}"] == f"Mi hermana se siente {female}."
    assert brother[f"1:{concept}"] == f"Mi hermano se siente {male}."
    assert sister[f"3:{concept}"] == f"Hice que mi hermana se sintiera {female}."
    assert sister[f"4:{concept}"] == f"Mi hermana me hizo sentir {male}."
    assert brother[f"4:{concept}"] == f"Mi hermano me hizo sentir {male}."


@pytest.mark.parametrize("concept", _words(SITUATIONS))
def test_situation_words_agree_with_their_noun(table: pd.DataFrame, concept: str) -> None:
    singular, plural = _words(SITUATIONS)[concept]
    for person in ("Taylor", "Andrew"):
        sentences = _sentences(table, person)
        assert sentences[f"5:{concept}"] == f"{person} se encontró en una situación {singular}."
        assert sentences[f"6:{concept}"] == (f"{person} nos contó todo sobre los recientes acontecimientos {plural}.")
        assert sentences[f"7:{concept}"] == f"La conversación con {person} fue {singular}."


def test_words_are_distinct_and_named_by_their_form_in_the_sentence(table: pd.DataFrame) -> None:
    emotional = table.dropna(subset="emotion")
    used = emotional.groupby([emotional["template"], emotional["gender"]])["emotion_word"].nunique()
    assert used.eq(20).all()
    assert emotional.groupby("emotion_word")["emotion"].nunique().eq(1).all()
    for row in emotional.itertuples():
        assert re.search(rf"\b{row.emotion_word}\b", row.sentence)


def test_an_item_is_the_same_sentence_for_all_names_of_a_gender(table: pd.DataFrame) -> None:
    names = table[table["person_kind"] == "name"]
    frames = pd.Series([row.sentence.replace(row.person, "<p>") for row in names.itertuples()], index=names.index)
    assert frames.str.count("<p>").eq(1).all()
    assert frames.groupby([names["item"], names["gender"]]).nunique().eq(1).all()
    same = ~names["template"].isin(["1", "2", "3"])
    assert frames[same].groupby(names["item"][same]).nunique().eq(1).all()


def test_spelling_and_contractions(table: pd.DataFrame) -> None:
    for sentence in table["sentence"]:
        assert re.fullmatch(r"[A-ZÁÉ][a-záéíóú]*( [A-ZÁ]?[a-záéíóú]+)+\.", sentence), sentence
        assert not re.search(r"\b(a|de) el\b", sentence), sentence
    assert table["sentence"].map(lambda text: unicodedata.is_normalized("NFC", text)).all()


def test_no_sentence_needs_the_published_words_that_were_wrong(table: pd.DataFrame) -> None:
    wrong = {"absurda", "absurdo", "escandalosa", "destrozante", "chistosa", "espantosa", "vecindad"}
    assert not wrong & {word.strip(".") for text in table["sentence"].unique() for word in text.split()}


def test_names_are_those_of_the_english_corpus_with_their_accents(table: pd.DataFrame) -> None:
    english = load_corpus("latino_anglo_en").table
    groups = []
    for frame in (english.dropna(subset="race"), table.dropna(subset="race")):
        plain = frame["person"].map(lambda name: unicodedata.normalize("NFD", name).replace("\u0301", ""))
        groups.append(set(zip(plain, frame["race"], frame["gender"], strict=True)))
    assert groups[0] == groups[1]
    assert {"María", "Sofía", "José", "Jesús", "Ángel"} <= set(table["person"])
