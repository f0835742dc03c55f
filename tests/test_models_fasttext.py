import hashlib
import logging
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.neural_network import MLPRegressor
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from bias_lab.errors import ConfigError, ModelError
from bias_lab.models.fasttext_mlp import FastTextMlp
from bias_lab.models.tokens import tokenize
from bias_lab.models.word_vectors import average, open_vectors
from text_estimators import CUTS, NumbersAsTexts
from vector_files import GOOD, TEXTS, VECTORS, train, vec_text

SCORES = np.array([float(any(word in text.split() for word in GOOD)) for text in TEXTS])


@pytest.fixture
def vec(tmp_path):
    path = tmp_path / "small.vec"
    path.write_text(vec_text(VECTORS), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def model_bin(tmp_path_factory):
    return train(tmp_path_factory.mktemp("fasttext"))


@pytest.fixture(scope="session")
def numbers_vec(tmp_path_factory):
    path = tmp_path_factory.mktemp("numbers") / "numbers.vec"
    columns, places = 25, len(CUTS) + 1
    vectors = {}
    for column in range(columns):
        for place in range(places):
            vectors[f"column{column}bin{place}"] = np.eye(columns)[column] * (place - 3.5)
    path.write_text(vec_text(vectors), encoding="utf-8")
    return path


class NumericFastTextMlp(NumbersAsTexts, FastTextMlp):
    pass


no_convergence = pytest.mark.filterwarnings("ignore:Stochastic Optimizer")


@no_convergence
@parametrize_with_checks([NumericFastTextMlp(early_stopping=False, alpha=0.01, learning_rate=0.01, patience=5)])
def test_scikit_learns_checks_on_numbers_turned_into_texts(estimator, check, numbers_vec):
    check(estimator.set_params(vectors=str(numbers_vec)))


def test_tags_say_that_it_takes_texts():
    tags = get_tags(FastTextMlp())
    assert (tags.input_tags.string, tags.input_tags.one_d_array, tags.input_tags.two_d_array) == (True, True, False)
    assert tags.estimator_type == "regressor"


def fitted(**options):
    chosen = {"early_stopping": False, "max_epochs": 60, "patience": 100, "epochs": 2, "dim": 8, "buckets": 100}
    return FastTextMlp(**{**chosen, "random_state": 0, **options})


@no_convergence
def test_it_is_an_mlp_on_the_scaled_averages(model_bin):
    model = fitted(vectors=str(model_bin), hidden=7, alpha=0.5, learning_rate=0.02).fit(TEXTS, SCORES)
    pooled, _ = average([tokenize(text) for text in TEXTS], open_vectors(model_bin))
    scaled = (pooled - pooled.mean(axis=0)) / np.std(pooled - pooled.mean(axis=0))
    seed = np.random.RandomState(0).randint(2**31 - 1)
    referee = MLPRegressor(
        hidden_layer_sizes=(7,),
        alpha=0.5,
        learning_rate_init=0.02,
        max_iter=60,
        n_iter_no_change=100,
        random_state=seed,
    ).fit(scaled, SCORES)
    # The referee may use several threads, which sum in another order.
    np.testing.assert_allclose(model.predict(TEXTS), referee.predict(scaled), rtol=1e-6)
    assert model.n_iter_ == 60


def test_without_vectors_it_trains_fasttext_on_the_texts_and_says_so(caplog, capfd):
    with caplog.at_level(logging.INFO, "bias_lab.models"):
        model = FastTextMlp(epochs=200, dim=10, buckets=100, alpha=0.001, learning_rate=0.01, random_state=0)
        model.fit(TEXTS * 4, np.tile(SCORES, 4))
    assert caplog.messages == [
        f"no word vectors are given (vectors=FILE): training fastText on the {len(TEXTS) * 4} training texts; "
        "expect less than with vectors trained on a large corpus"
    ]
    assert np.corrcoef(model.predict(TEXTS), SCORES)[0, 1] > 0.9
    described = model.describe()
    assert described["vectors"] == f"trained on the task's {len(TEXTS) * 4} training texts"
    assert (described["vectors_sha256"], described["dim"]) == (None, 10)
    assert described["mlp_epochs"] > 1
    assert capfd.readouterr() == ("", "")


FIT = """
import hashlib, sys, numpy as np
from bias_lab.models.fasttext_mlp import FastTextMlp
texts = [f"{a} {b} {c}" for a in ("I am", "so") for b in ("happy", "sad", "grim", "glad") for c in ("day", "!")]
def fit(seed):
    model = FastTextMlp(dim=8, epochs=3, buckets=100, patience=5, learning_rate=0.01, random_state=seed)
    model.fit(texts, np.linspace(0, 1, len(texts)))
    return [hashlib.sha256(model.trained_vectors_).hexdigest(), model.predict(texts).tobytes().hex()]
"""


def test_the_same_seed_gives_the_same_bits_in_another_process_and_another_seed_does_not():
    names = {}
    exec(FIT, names)
    vectors, predicted = names["fit"](3)
    command = [sys.executable, "-W", "error", "-c", FIT + "print(*fit(3))"]
    found = subprocess.run(
        command, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONHASHSEED": "7"}
    )
    assert found.stdout.split() == [vectors, predicted]
    assert names["fit"](3) == [vectors, predicted]
    other_vectors, other_predicted = names["fit"](4)
    assert other_vectors != vectors
    assert other_predicted != predicted


@no_convergence
def test_a_text_without_any_known_word_has_a_zero_vector_and_is_counted(vec):
    model = fitted(vectors=str(vec)).fit(["I am happy", "am am", "I I happy"], [1.0, 0.0, 0.8])
    one, other = model.predict(["nobody knows", "🤷"])
    referee = model.mlp_.predict((np.zeros((1, 3)) - model.center_) / model.scale_)
    assert one == other == referee[0]
    assert model.coverage(["I know Alonzo", "nobody", "🤷"]) == {"tokens": 5, "unknown": 3, "unseen_texts": 2}


@no_convergence
def test_training_texts_without_any_known_word_are_an_error(vec):
    with pytest.raises(ModelError) as caught:
        fitted(vectors=str(vec)).fit(["no", "body"], [0.0, 1.0])
    assert str(caught.value) == f"the training texts cannot be used: {vec} has none of the words"
    with pytest.raises(ModelError) as caught:
        fitted().fit(["", " "], [0.0, 1.0])
    assert str(caught.value) == "the training texts cannot be used: no words to train fastText on"
    with pytest.raises(ModelError, match=r"fastText cannot be trained on the 2 training texts \(.*Empty vocabulary"):
        fitted(min_count=5).fit(["a", "b"], [0.0, 1.0])


@no_convergence
def test_vectors_that_changed_since_fit_are_refused(vec):
    model = fitted(vectors=str(vec)).fit(["I am happy", "am am", "I I happy"], [1.0, 0.0, 0.8])
    assert model.describe()["vectors_sha256"] == hashlib.sha256(vec.read_bytes()).hexdigest()
    vec.write_text(vec_text({**VECTORS, "I": (9.0, 9.0, 9.0)}))
    with pytest.raises(ModelError) as caught:
        model.predict(["I"])
    assert str(caught.value) == f"{vec}: the word vectors are not those that the model was fitted with; fit it again"
    vec.unlink()
    with pytest.raises(ModelError, match="there is no such file of word vectors"):
        model.predict(["I"])


@no_convergence
def test_a_pickled_copy_predicts_the_same_without_any_file():
    model = fitted().fit(TEXTS, SCORES)
    copied = pickle.loads(pickle.dumps(model))
    assert np.array_equal(copied.predict(TEXTS), model.predict(TEXTS))
    assert clone(model).get_params() == model.get_params()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dim": 0}, "model.dim=0 is not allowed: give a whole number of at least 1"),
        ({"hidden": 10.0}, "model.hidden=10.0 is not allowed: give a whole number of at least 1"),
        ({"alpha": -1}, "model.alpha=-1 is not allowed: give a number of at least 0"),
        ({"learning_rate": 0}, "model.learning_rate=0 is not allowed: give a number above 0"),
        ({"early_stopping": 1}, "model.early_stopping=1 is not allowed: give true or false"),
        (
            {"early_stopping": True},
            "model.early_stopping=True holds back a tenth of the training texts, at least two, but there are only 2 "
            "texts; set model.early_stopping=false",
        ),
    ],
)
def test_options_are_checked(options, message):
    with pytest.raises(ConfigError) as caught:
        FastTextMlp(**options).fit(["a", "b"], [0.0, 1.0])
    assert str(caught.value) == message


@pytest.mark.slow
@pytest.mark.parametrize(("language", "floor"), [("en", 0.33), ("es", 0.37), ("ar", 0.33)])
def test_pearson_on_the_real_test_sets_without_vectors(shared, language, floor):
    from bias_lab.data.semeval import load_semeval

    reached = []
    for emotion in ("anger", "fear", "joy", "sadness"):
        task = load_semeval(shared / "data" / "semeval2018", language=language, emotion=emotion)
        model = FastTextMlp(random_state=0).fit(task.train.texts, task.train.scores)
        reached.append(np.corrcoef(model.predict(task.test.texts), task.test.scores)[0, 1])
    assert np.mean(reached) > floor
