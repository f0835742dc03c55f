import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError, SkipTestWarning
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.svm import SVR
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks

from bias_lab.errors import ConfigError
from bias_lab.models.tfidf_svr import TfidfSvr
from text_estimators import NumbersAsTexts

TEXTS = ["I am so happy today!", "this is sad 😢", "happy happy joy", "so sad, so grim", "what a day"]
SCORES = np.array([0.9, 0.1, 1.0, 0.0, 0.5])


class NumericTfidfSvr(NumbersAsTexts, TfidfSvr):
    pass


@parametrize_with_checks([NumericTfidfSvr(word_ngrams=(1, 1), C=10.0)])
def test_scikit_learns_checks_on_numbers_turned_into_texts(estimator, check):
    check(estimator)


def test_the_estimator_itself_passes_what_scikit_learn_does_not_skip():
    # Should this fail because nothing warns any more, the class can be given to parametrize_with_checks itself.
    with pytest.warns(SkipTestWarning, match="requires input  of type"):
        ran = check_estimator(TfidfSvr())
    assert {result["status"] for result in ran} == {"passed"}


def test_tags_say_that_it_takes_texts():
    tags = get_tags(TfidfSvr())
    assert (tags.input_tags.string, tags.input_tags.one_d_array, tags.input_tags.two_d_array) == (True, True, False)
    assert tags.estimator_type == "regressor"


def test_the_prediction_is_that_of_an_svr_on_the_two_weight_matrices():
    model = TfidfSvr(word_ngrams=(1, 1), char_ngrams=(2, 3), C=3.0, epsilon=0.01).fit(TEXTS, SCORES)
    words = TfidfVectorizer(token_pattern=r"\w+|[^\w\s]", sublinear_tf=True).fit(TEXTS)
    chars = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 3), sublinear_tf=True).fit(TEXTS)

    def features(texts):
        return np.hstack([words.transform(texts).toarray(), chars.transform(texts).toarray()])

    referee = SVR(kernel="linear", C=3.0, epsilon=0.01).fit(features(TEXTS), SCORES)
    new = ["a happy day", "grim!"]
    # libsvm sums sparse and dense rows in another order and stops at a tolerance of 1e-3 in the gradient.
    np.testing.assert_allclose(model.predict(new), referee.predict(features(new)), atol=1e-3)


def test_it_learns_words_emoji_and_spelling():
    texts = ["happy day", "sad day", "😊 day", "😢 day", "sooo happyyy", "sooo saddd"] * 5
    scores = np.array([1.0, 0.0] * 15)
    model = TfidfSvr(C=10.0).fit(texts, scores)
    happy, sad, smile, tear, happier = model.predict(["happy", "sad", "😊", "😢", "happyyyy"])
    assert happy > 0.7
    assert sad < 0.3
    assert smile > 0.7
    assert tear < 0.3
    assert happier > 0.7


def test_predictions_are_raw_float64_and_may_leave_the_range_of_the_targets():
    model = TfidfSvr(word_ngrams=(1, 1), char_ngrams=(1, 2), C=100.0, epsilon=0.0).fit(
        ["good bad", "good", "bad"] * 3, [0.5, 0.9, 0.1] * 3
    )
    predicted = model.predict(["good good good good", "bad bad"])
    assert predicted.dtype == np.float64
    assert predicted.max() > 0.9


@pytest.mark.parametrize("container", [list, tuple, np.array, lambda t: np.array(t, dtype=object)])
def test_texts_may_come_in_any_sequence(container):
    expected = TfidfSvr().fit(TEXTS, SCORES).predict(TEXTS)
    assert np.array_equal(TfidfSvr().fit(container(TEXTS), SCORES).predict(container(TEXTS)), expected)


def test_a_series_of_texts():
    pandas = pytest.importorskip("pandas")
    series = pandas.Series(TEXTS, index=[5, 4, 3, 2, 1])
    assert np.array_equal(TfidfSvr().fit(series, SCORES).predict(series), TfidfSvr().fit(TEXTS, SCORES).predict(TEXTS))


@pytest.mark.parametrize(
    ("texts", "kind", "message"),
    [
        ("one text", ValueError, "Iterable over raw text documents expected, string object received."),
        ([], ValueError, "Found array with 0 sample(s) while a minimum of 1 is required."),
        (["a", float("nan")], TypeError, "a text must be a str, got float nan in row 1"),
        (
            np.array([["a", "b"]]),
            ValueError,
            "Expected 1D array of str, got 2D array instead. Reshape your data: one text a row.",
        ),
    ],
)
def test_what_is_no_list_of_texts_is_refused(texts, kind, message):
    for method in (lambda: TfidfSvr().fit(texts, SCORES), lambda: TfidfSvr().fit(TEXTS, SCORES).predict(texts)):
        with pytest.raises(kind) as caught:
            method()
        assert str(caught.value) == message


def test_targets_must_be_one_finite_number_a_text():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        TfidfSvr().fit(TEXTS, SCORES[:3])
    with pytest.raises(ValueError, match="Input y contains NaN"):
        TfidfSvr().fit(TEXTS, [0.1, np.nan, 0.3, 0.4, 0.5])
    with pytest.raises(NotFittedError):
        TfidfSvr().predict(TEXTS)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"C": 0}, "model.C=0 is not allowed: give a number above 0"),
        ({"C": "2"}, "model.C='2' is not allowed: give a number above 0"),
        ({"C": float("inf")}, "model.C=inf is not allowed: give a number above 0"),
        ({"epsilon": -0.1}, "model.epsilon=-0.1 is not allowed: give a number of at least 0"),
        ({"min_df": 1.5}, "model.min_df=1.5 is not allowed: give a whole number of at least 1"),
        ({"min_df": True}, "model.min_df=True is not allowed: give a whole number of at least 1"),
        ({"kernel": "poly"}, "model.kernel=poly: choose one of linear, rbf"),
        ({"lowercase": "yes"}, "model.lowercase='yes' is not allowed: give true or false"),
        ({"word_ngrams": 2}, "model.word_ngrams=2 is not allowed: give two whole numbers from 1, such as [1,2]"),
        (
            {"char_ngrams": [4, 2]},
            "model.char_ngrams=[4, 2] is not allowed: give two whole numbers from 1, such as [1,2]",
        ),
    ],
)
def test_options_are_checked(options, message):
    with pytest.raises(ConfigError) as caught:
        TfidfSvr(**options).fit(TEXTS, SCORES)
    assert str(caught.value) == message


@pytest.mark.parametrize("ngrams", [(1, 1), (1, 2), (2, 2)])
def test_coverage_counts_words_that_no_training_text_has(ngrams):
    model = TfidfSvr(word_ngrams=ngrams).fit(["Ana is happy", "so sad"] * 2, [1.0, 0.0] * 2)
    assert model.coverage(["ANA is sad!", "Latisha", ""]) == {"tokens": 5, "unknown": 2}


def test_describe_counts_the_features():
    described = TfidfSvr(word_ngrams=(1, 2), char_ngrams=(1, 1)).fit(["a b", "b c"], [0.0, 1.0]).describe()
    # Words a, b, c, "a b", "b c"; characters a, b, c and the blank at the words' ends.
    assert described == {"word_features": 5, "char_features": 4, "support_vectors": 2}


def test_a_clone_has_the_same_options_and_is_not_fitted():
    model = TfidfSvr(C=2.0, char_ngrams=[2, 4]).fit(TEXTS, SCORES)
    copied = clone(model)
    assert copied.get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        copied.predict(TEXTS)


def test_vocalised_arabic_words_stay_whole():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = TfidfSvr(word_ngrams=(1, 1)).fit(["أَنَا سَعِيدٌ ❤️", "حزين"], [1.0, 0.0])
    assert set(model.vectorizer_["words"].vocabulary_) == {"أَنَا", "سَعِيدٌ", "❤", "حزين"}


@pytest.mark.slow
@pytest.mark.parametrize(("language", "floor"), [("en", 0.56), ("es", 0.63), ("ar", 0.57)])
def test_pearson_on_the_real_test_sets(shared, language, floor):
    from bias_lab.data.semeval import load_semeval

    reached = []
    for emotion in ("anger", "fear", "joy", "sadness"):
        task = load_semeval(shared / "data" / "semeval2018", language=language, emotion=emotion)
        model = TfidfSvr().fit(task.train.texts, task.train.scores)
        reached.append(np.corrcoef(model.predict(task.test.texts), task.test.scores)[0, 1])
    assert np.mean(reached) > floor
