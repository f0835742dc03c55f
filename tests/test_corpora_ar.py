"""The Arabic corpus, against sentences written by hand and rules of written Arabic."""

import re
import unicodedata
from pathlib import Path

import pandas as pd
import pytest

from bias_lab.corpora import list_corpora, load_corpus

NAME = "arab_anglo_ar"
# The letters from hamza to ghayn and from fa to ya: no tatweel, no vowel signs, no presentation forms.
SENTENCE = re.compile(r"[\u0621-\u063A\u0641-\u064A]+( [\u0621-\u063A\u0641-\u064A]+)+\.")
# English concept: feminine, masculine
STATES = """
angry غاضبة غاضب, annoyed منزعجة منزعج, enraged مغتاظة مغتاظ, furious حانقة حانق, irritated متضايقة متضايق,
anxious قلقة قلق, discouraged محبطة محبط, fearful متخوفة متخوف, scared خائفة خائف, terrified مذعورة مذعور,
ecstatic مبتهجة مبتهج, excited متحمسة متحمس, glad مسرورة مسرور, happy سعيدة سعيد, relieved مرتاحة مرتاح,
depressed مكتئبة مكتئب, devastated محطمة محطم, disappointed مخذولة مخذول, miserable تعيسة تعيس, sad حزينة حزين
"""
SITUATIONS = """
annoying مزعجة مزعج, displeasing منفرة منفر, irritating مستفزة مستفز, outrageous مغضبة مغضب, vexing مغيظة مغيظ,
dreadful مروعة مروع, horrible فظيعة فظيع, shocking صادمة صادم, terrifying مرعبة مرعب, threatening خطيرة خطير,
amazing مذهلة مذهل, funny طريفة طريف, great عظيمة عظيم, hilarious مضحكة مضحك, wonderful رائعة رائع,
depressing محزنة محزن, gloomy كئيبة كئيب, grim قاتمة قاتم, heartbreaking مفجعة مفجع, serious عصيبة عصيب
"""
WRITTEN_BY_HAND = {
    "فاطمة": """
        فاطمة تشعر بأنها غاضبة.
        الموقف يؤدي إلى أن تشعر فاطمة بأنها غاضبة.
        كنت السبب في أن تشعر فاطمة بأنها غاضبة.
        فاطمة جعلتني أشعر بأنني غاضب.
        فاطمة وجدت نفسها في موقف مزعج.
        فاطمة أخبرتنا بكل شيء عن الأحداث المزعجة الأخيرة.
        المحادثة مع فاطمة كانت مزعجة.
        وقع نظري على فاطمة في السوق.
        تحدثت مع فاطمة أمس.
        فاطمة تذهب إلى المدرسة في حينا.
        فاطمة لديها طفلان.""",
    "محمد": """
        محمد يشعر بأنه غاضب.
        الموقف يؤدي إلى أن يشعر محمد بأنه غاضب.
        كنت السبب في أن يشعر محمد بأنه غاضب.
        محمد جعلني أشعر بأنني غاضب.
        محمد وجد نفسه في موقف مزعج.
        محمد أخبرنا بكل شيء عن الأحداث المزعجة الأخيرة.
        المحادثة مع محمد كانت مزعجة.
        وقع نظري على محمد في السوق.
        تحدثت مع محمد أمس.
        محمد يذهب إلى المدرسة في حينا.
        محمد لديه طفلان.""",
    "أماندا": """
        أماندا تشعر بأنها غاضبة.
        الموقف يؤدي إلى أن تشعر أماندا بأنها غاضبة.
        كنت السبب في أن تشعر أماندا بأنها غاضبة.
        أماندا جعلتني أشعر بأنني غاضب.
        أماندا وجدت نفسها في موقف مزعج.
        أماندا أخبرتنا بكل شيء عن الأحداث المزعجة الأخيرة.
        المحادثة مع أماندا كانت مزعجة.
        وقع نظري على أماندا في السوق.
        تحدثت مع أماندا أمس.
        أماندا تذهب إلى المدرسة في حينا.
        أماندا لديها طفلان.""",
    "آدم": """
        آدم يشعر بأنه غاضب.
        الموقف يؤدي إلى أن يشعر آدم بأنه غاضب.
        كنت السبب في أن يشعر آدم بأنه غاضب.
        آدم جعلني أشعر بأنني غاضب.
        آدم وجد نفسه في موقف مزعج.
        آدم أخبرنا بكل شيء عن الأحداث المزعجة الأخيرة.
        المحادثة مع آدم كانت مزعجة.
        وقع نظري على آدم في السوق.
        تحدثت مع آدم أمس.
        آدم يذهب إلى المدرسة في حينا.
        آدم لديه طفلان.""",
    "هي": """
        هي تشعر بأنها غاضبة.
        الموقف يؤدي إلى أن تشعر بأنها غاضبة.
        كنت السبب في أن تشعر بأنها غاضبة.
        هي جعلتني أشعر بأنني غاضب.
        هي وجدت نفسها في موقف مزعج.
        هي أخبرتنا بكل شيء عن الأحداث المزعجة الأخيرة.
        المحادثة معها كانت مزعجة.
        وقع نظري عليها في السوق.
        تحدثت معها أمس.
        هي تذهب إلى المدرسة في حينا.
        هي لديها طفلان.""",
    "هو": """
        هو يشعر بأنه غاضب.
        الموقف يؤدي إلى أن يشعر بأنه غاضب.
        كنت السبب في أن يشعر بأنه غاضب.
        هو جعلني أشعر بأنني غاضب.
        هو وجد نفسه في موقف مزعج.
        هو أخبرنا بكل شيء عن الأحداث المزعجة الأخيرة.
        المحادثة معه كانت مزعجة.
        وقع نظري عليه في السوق.
        تحدثت معه أمس.
        هو يذهب إلى المدرسة في حينا.
        هو لديه طفلان.""",
    "أختي": """
        أختي تشعر بأنها غاضبة.
        الموقف يؤدي إلى أن تشعر أختي بأنها غاضبة.
        كنت السبب في أن تشعر أختي بأنها غاضبة.
        أختي جعلتني أشعر بأنني غاضب.
        أختي وجدت نفسها في موقف مزعج.
        أختي أخبرتنا بكل شيء عن الأحداث المزعجة الأخيرة.
        المحادثة مع أختي كانت مزعجة.
        وقع نظري على أختي في السوق.
        تحدثت مع أختي أمس.
        أختي تذهب إلى المدرسة في حينا.
        أختي لديها طفلان.""",
    "هذا الرجل": """
        هذا الرجل يشعر بأنه غاضب.
        الموقف يؤدي إلى أن يشعر هذا الرجل بأنه غاضب.
        كنت السبب في أن يشعر هذا الرجل بأنه غاضب.
        هذا الرجل جعلني أشعر بأنني غاضب.
        هذا الرجل وجد نفسه في موقف مزعج.
        هذا الرجل أخبرنا بكل شيء عن الأحداث المزعجة الأخيرة.
        المحادثة مع هذا الرجل كانت مزعجة.
        وقع نظري على هذا الرجل في السوق.
        تحدثت مع هذا الرجل أمس.
        هذا الرجل يذهب إلى المدرسة في حينا.
        هذا الرجل لديه طفلان.""",
}


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return load_corpus(NAME).table


def _sentences(table: pd.DataFrame, person: str) -> pd.Series:
    return table[table["person"] == person].set_index("item")["sentence"]


def _words(text: str) -> dict[str, tuple[str, str]]:
    return {concept: (female, male) for concept, female, male in map(str.split, text.split(","))}


def test_the_corpus_is_listed_for_its_language() -> None:
    assert list(list_corpora(language="ar")) == [NAME]
    corpus = load_corpus(NAME)
    assert corpus.language == "ar"
    assert [(factor.name, factor.levels, factor.reference) for factor in corpus.factors] == [
        ("race", ("Anglo", "Arab"), "Anglo"),
        ("gender", ("male", "female"), "male"),
    ]
    assert (corpus.licence, corpus.version, corpus.verified_by_native_speaker) == ("MIT", "1.0", False)


def test_all_persons_stand_in_all_items_in_sentences_of_their_own(table: pd.DataFrame) -> None:
    assert len(table) == 8640
    assert table["item"].nunique() == 144
    assert table["person"].nunique() == 60
    assert not table["sentence"].duplicated().any()
    assert set(table["item"]) == set(load_corpus("arab_anglo_en").table["item"])
    assert table.groupby(["item", "gender"])["person"].nunique().eq(30).all()


@pytest.mark.parametrize("person", WRITTEN_BY_HAND)
def test_sentences_written_by_hand(table: pd.DataFrame, person: str) -> None:
    items = [f"{number}:{'angry' if number < 5 else 'annoying'}" for number in range(1, 8)]
    written = [line.strip() for line in WRITTEN_BY_HAND[person].strip().splitlines()]
    assert _sentences(table, person)[[*items, "8", "9", "10", "11"]].tolist() == written


@pytest.mark.parametrize("concept", _words(STATES))
def test_state_words_agree_with_the_person_but_for_the_speakers(table: pd.DataFrame, concept: str) -> None:
    female, male = _words(STATES)[concept]
    aunt, uncle = _sentences(table, "عمتي"), _sentences(table, "عمي")
    assert aunt[f"1:{concept}"] == f"عمتي تشعر بأنها {female}."
    assert uncle[f"1:{concept}"] == f"عمي يشعر بأنه {male}."
    assert aunt[f"3:{concept}"] == f"كنت السبب في أن تشعر عمتي بأنها {female}."
    assert aunt[f"4:{concept}"] == f"عمتي جعلتني أشعر بأنني {male}."
    assert uncle[f"4:{concept}"] == f"عمي جعلني أشعر بأنني {male}."


@pytest.mark.parametrize("concept", _words(SITUATIONS))
def test_situation_words_agree_with_their_noun(table: pd.DataFrame, concept: str) -> None:
    female, male = _words(SITUATIONS)[concept]
    aunt, uncle = _sentences(table, "عمتي"), _sentences(table, "عمي")
    assert aunt[f"5:{concept}"] == f"عمتي وجدت نفسها في موقف {male}."
    assert uncle[f"5:{concept}"] == f"عمي وجد نفسه في موقف {male}."
    assert aunt[f"6:{concept}"] == f"عمتي أخبرتنا بكل شيء عن الأحداث ال{female} الأخيرة."
    assert uncle[f"6:{concept}"] == f"عمي أخبرنا بكل شيء عن الأحداث ال{female} الأخيرة."
    assert aunt[f"7:{concept}"] == f"المحادثة مع عمتي كانت {female}."
    assert uncle[f"7:{concept}"] == f"المحادثة مع عمي كانت {female}."


def test_words_are_distinct_and_named_by_their_form_in_the_sentence(table: pd.DataFrame) -> None:
    emotional = table.dropna(subset="emotion")
    used = emotional.groupby([emotional["template"], emotional["gender"]])["emotion_word"].nunique()
    assert used.eq(20).all()
    assert emotional.groupby("emotion_word")["emotion"].nunique().eq(1).all()
    for row in emotional.itertuples():
        assert re.search(rf"\b(ال)?{row.emotion_word}\b", row.sentence)


def test_an_item_is_the_same_sentence_for_all_names_of_a_gender(table: pd.DataFrame) -> None:
    names = table[table["person_kind"] == "name"]
    frames = pd.Series(
        [re.sub(rf"\b{row.person}\b", "<p>", row.sentence) for row in names.itertuples()], index=names.index
    )
    assert frames.str.count("<p>").eq(1).all()
    assert frames.groupby([names["item"], names["gender"]]).nunique().eq(1).all()
    same = names["template"].isin(["7", "8", "9"])
    assert frames[same].groupby(names["item"][same]).nunique().eq(1).all()


def test_verbs_and_attached_pronouns_agree_with_the_person(table: pd.DataFrame) -> None:
    feminine = {"تشعر", "بأنها", "جعلتني", "وجدت", "نفسها", "أخبرتنا", "تذهب", "لديها"}
    masculine = {"يشعر", "بأنه", "جعلني", "وجد", "نفسه", "أخبرنا", "يذهب", "لديه"}
    for gender, wrong in (("female", masculine), ("male", feminine)):
        words = {word for text in table[table["gender"] == gender]["sentence"] for word in text[:-1].split(" ")}
        assert not words & wrong
        assert words >= (feminine | masculine) - wrong


def test_only_arabic_letters_single_blanks_and_a_full_stop(table: pd.DataFrame) -> None:
    for sentence in table["sentence"]:
        assert SENTENCE.fullmatch(sentence), sentence
        assert unicodedata.is_normalized("NFC", sentence)


def test_hamza_and_ta_marbuta_stand_where_they_belong(table: pd.DataFrame) -> None:
    words = {word for text in table["sentence"] for word in text[:-1].split(" ")}
    # ه at the end is a pronoun or "this", never an ending of a noun or adjective.
    ends_in_ha = {word for word in words if word.endswith("ه")}
    assert ends_in_ha == {"هذه", "بأنه", "نفسه", "معه", "عليه", "لديه"}
    # No final ي written without dots but in إلى and على, and no hamza left out of these beginnings.
    assert {word for word in words if word.endswith("ى")} == {"إلى", "على"}
    bare = {word for word in words if word.startswith("ا") and not word.startswith("ال")}
    assert bare == {"ابني", "ابنتي"}


def test_names_are_written_as_published_but_without_vowel_signs(table: pd.DataFrame, shared: Path) -> None:
    published = pd.read_csv(shared / "data" / "eec_published" / "ar.csv").dropna(subset="race")
    groups = {}
    for frame in (published, table.dropna(subset="race")):
        plain = frame["person"].map(lambda name: re.sub("[\u064b-\u0652]", "", name))
        groups[frame is published] = set(zip(plain, frame["race"], frame["gender"], strict=True))
    assert groups[True] == groups[False]
    assert len(groups[True]) == 40
