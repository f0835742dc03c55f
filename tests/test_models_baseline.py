import hashlib
import json
from pathlib import Path

import fasttext as fasttext_library
import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

import bias_lab
from bias_lab.errors import ConfigError, DataError, ModelError
from bias_lab.models.baseline import BaselineRegressor, fasttext, svm_tfidf
from bias_lab.models.fasttext_mlp import FastTextMlp
from bias_lab.models.regressor import Regressor
from bias_lab.models.tfidf_svr import TfidfSvr

CONF = Path(__file__).resolve().parents[1] / "conf"
GOOD, BAD = ("happy", "glad", "joyful"), ("sad", "grim", "gloomy")
TEXTS = [f"@ana {start} {word} &amp; {end}" for start in ("so", "a") for word in GOOD + BAD for end in ("day", "!")]
SCORES = np.array([float(any(word in text for word in GOOD)) for text in TEXTS])
SMALL = {"dim": 8, "epochs": 3, "buckets": 100, "patience": 5, "learning_rate": 0.01}
VECTORS = "happy 1 0.5 0\nsad -1 0 0.5\nday 0 1 1\nglad 1 0.25 0\ngrim -1 0.25 0\n"


@pytest.fixture
def vec(tmp_path):
    path = tmp_path / "my.vec"
    path.write_text(VECTORS)
    return path


def fit(model, seed=0, texts=TEXTS, scores=SCORES):
    model.fit(texts, scores, dev_texts=texts[:2], dev_scores=scores[:2], seed=seed)
    return model


MAKERS = {
    "svm_tfidf": lambda: svm_tfidf(language="en"),
    "fasttext": lambda: fasttext(language="en", **SMALL),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_both_are_regressors_that_give_float64(make):
    model = fit(make())
    assert isinstance(model, Regressor)
    predicted = model.predict(TEXTS)
    assert (predicted.shape, predicted.dtype) == ((len(TEXTS),), np.dtype("float64"))
    assert np.isfinite(predicted).all()


def test_texts_are_cleaned_the_same_in_fit_predict_and_coverage():
    model = fit(svm_tfidf(language="en"))
    assert "@ana" not in model.estimator_.vectorizer_["words"].vocabulary_
    assert "&" in model.estimator_.vectorizer_["words"].vocabulary_
    referee = TfidfSvr().fit([text.replace("@ana ", "").replace("&amp;", "&") for text in TEXTS], SCORES)
    assert np.array_equal(model.predict(["@bob happy &amp; day"]), referee.predict(["happy & day"]))
    assert model.coverage(["@bob happy &amp; Latisha"]) == {"tokens": 3, "unknown": 1}


def test_cleaning_can_be_chosen():
    kept = fit(svm_tfidf(language="en", cleaning={"mentions": "keep"}))
    assert "ana" in kept.estimator_.vectorizer_["words"].vocabulary_
    assert kept.describe()["cleaning"]["mentions"] == "keep"
    with pytest.raises(ConfigError) as caught:
        svm_tfidf(language="en", cleaning={"mention": "keep"})
    assert str(caught.value) == (
        "cleaning.mention is not an option; choose from mentions, entities, newlines, unicode, arabic"
    )


def test_what_is_no_text_is_a_data_error():
    with pytest.raises(DataError, match="a text must be a str, got float nan"):
        fit(svm_tfidf(language="en"), texts=[*TEXTS[:-1], float("nan")])


def test_the_seed_reaches_every_random_state_of_a_clone():
    forest = make_pipeline(CountVectorizer(), RandomForestRegressor(n_estimators=3))

    def predicted(seed):
        return fit(BaselineRegressor(estimator=forest), seed=seed, scores=noise).predict(TEXTS)

    noise = np.random.default_rng(0).random(len(TEXTS))
    model = fit(BaselineRegressor(estimator=forest), seed=5, scores=noise)
    assert model.estimator_[-1].random_state == 5
    assert forest[-1].random_state is None
    assert model.describe()["seeded"] == ["randomforestregressor__random_state"]
    assert np.array_equal(model.predict(TEXTS), predicted(5))
    assert not np.array_equal(model.predict(TEXTS), predicted(6))


def test_an_estimator_of_scikit_learn_itself_will_do(tmp_path):
    model = BaselineRegressor(estimator=make_pipeline(CountVectorizer(), Ridge()), name="bag of words")
    referee = make_pipeline(CountVectorizer(), Ridge()).fit([t.replace("@ana", "") for t in TEXTS], SCORES)
    fit(model)
    # The blank at the start is gone too, which changes no word.
    np.testing.assert_allclose(model.predict(TEXTS), referee.predict([t.replace("@ana", "") for t in TEXTS]))
    assert model.coverage(TEXTS) == {}
    assert "fitted" not in model.describe()
    model.save(tmp_path)
    assert np.array_equal(BaselineRegressor.load(tmp_path).predict(TEXTS), model.predict(TEXTS))


def test_what_is_no_estimator_is_refused():
    with pytest.raises(ConfigError) as caught:
        BaselineRegressor(estimator="Ridge")
    assert str(caught.value) == "model.estimator='Ridge' is not a scikit-learn regressor: it lacks fit or predict"


def test_before_fit_there_is_nothing_to_predict_or_save(tmp_path):
    model = svm_tfidf(language="en")
    assert model.describe()["params"]["C"] == 0.2
    for call in (lambda: model.predict(TEXTS), lambda: model.coverage(TEXTS), lambda: model.save(tmp_path)):
        with pytest.raises(RuntimeError, match=r"call fit\(\) first"):
            call()


# --- saved and loaded


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_a_loaded_baseline_predicts_the_same_bits_and_can_be_fitted_anew(make, tmp_path):
    model = fit(make(), seed=3)
    model.save(tmp_path)
    loaded = BaselineRegressor.load(tmp_path)
    assert np.array_equal(loaded.predict(TEXTS), model.predict(TEXTS))
    assert loaded.describe() == model.describe()
    assert loaded.coverage(["so unheard"]) == model.coverage(["so unheard"])
    assert np.array_equal(fit(loaded, seed=3).predict(TEXTS), model.predict(TEXTS))


def test_trained_vectors_are_a_fasttext_model_beside_the_estimator(tmp_path):
    model = fit(fasttext(language="en", **SMALL))
    model.save(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"baseline.json", "baseline.skops", "vectors.bin"}
    assert fasttext_library.load_model(str(tmp_path / "vectors.bin")).get_dimension() == 8
    # Saving takes nothing away from the model in memory.
    assert model.estimator_.trained_vectors_ == (tmp_path / "vectors.bin").read_bytes()
    assert (tmp_path / "baseline.skops").stat().st_size < len(model.estimator_.trained_vectors_) * 100
    assert json.loads((tmp_path / "baseline.json").read_text())["fitted"]["vectors"] == (
        f"trained on the task's {len(TEXTS)} training texts"
    )


def test_given_vectors_are_told_by_path_and_sha256_and_not_copied(tmp_path, vec, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model = fit(fasttext(language="en", vectors="my.vec", **SMALL))
    folder = tmp_path / "run"
    folder.mkdir()
    model.save(folder)
    assert {path.name for path in folder.iterdir()} == {"baseline.json", "baseline.skops"}
    told = json.loads((folder / "baseline.json").read_text())
    assert told["fitted"] == {
        "vectors": str(vec),
        "vectors_sha256": hashlib.sha256(vec.read_bytes()).hexdigest(),
        "vocabulary": 5,
        "dim": 3,
        "mlp_epochs": model.estimator_.n_iter_,
    }
    monkeypatch.chdir(folder)
    loaded = BaselineRegressor.load(folder)
    assert np.array_equal(loaded.predict(TEXTS), model.predict(TEXTS))
    vec.write_text(VECTORS.replace("0.5", "0.75"))
    with pytest.raises(ModelError, match=r"my\.vec: the word vectors are not those that the model was fitted with"):
        loaded.predict(TEXTS)


def test_a_missing_or_changed_file_is_refused(tmp_path):
    with pytest.raises(ModelError) as caught:
        BaselineRegressor.load(tmp_path)
    assert str(caught.value) == f"{tmp_path}: no saved baseline here, baseline.json is missing"
    fit(fasttext(language="en", **SMALL)).save(tmp_path)
    (tmp_path / "vectors.bin").write_bytes(b"other")
    with pytest.raises(ModelError) as caught:
        BaselineRegressor.load(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path}/vectors.bin: not the file that was saved (its SHA-256 is another); fit the baseline again"
    )
    (tmp_path / "baseline.skops").unlink()
    with pytest.raises(ModelError) as caught:
        BaselineRegressor.load(tmp_path)
    assert str(caught.value) == f"{tmp_path}/baseline.skops: missing; it belongs to the saved baseline"


class Surprise(Ridge):
    pass


def test_types_that_are_not_trusted_are_not_built_from_a_file(tmp_path):
    fit(BaselineRegressor(estimator=make_pipeline(CountVectorizer(), Surprise()))).save(tmp_path)
    with pytest.raises(ModelError) as caught:
        BaselineRegressor.load(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path}/baseline.skops: types that are not loaded from a file: test_models_baseline.Surprise"
    )


def test_descriptions_are_plain_types():
    for make in MAKERS.values():
        described = fit(make(), seed=2).describe()
        assert json.loads(json.dumps(described, allow_nan=False)) == described
        assert (described["seed"], described["training_texts"]) == (2, len(TEXTS))
    assert described["estimator"] == "bias_lab.models.fasttext_mlp.FastTextMlp"
    assert described["seeded"] == ["random_state"]
    assert fit(svm_tfidf(language="en")).describe()["seeded"] == []


# --- options and configuration


@pytest.mark.parametrize(
    ("make", "options", "message"),
    [
        (svm_tfidf, {"C": "x"}, "model.C='x' is not allowed: give a number above 0"),
        (
            svm_tfidf,
            {"c": 1},
            "model.c is not an option; choose from cleaning, C, char_ngrams, epsilon, kernel, lowercase, min_df, "
            "sublinear_tf, word_ngrams",
        ),
        (fasttext, {"hidden": 0}, "model.hidden=0 is not allowed: give a whole number of at least 1"),
        (
            fasttext,
            {"random_state": 1},
            "model.random_state is not an option; choose from cleaning, alpha, buckets, dim, early_stopping, epochs, "
            "hidden, learning_rate, max_epochs, min_count, patience",
        ),
        (fasttext, {"vectors": {"es": "es.vec"}}, "model.vectors has no entry for task.lang=en; it has es"),
    ],
)
def test_options_are_checked_when_it_is_made(make, options, message):
    with pytest.raises(ConfigError) as caught:
        make(language="en", **options)
    assert str(caught.value) == message


def test_missing_vectors_are_told_when_it_is_made(tmp_path):
    with pytest.raises(ModelError) as caught:
        fasttext(language="en", vectors=str(tmp_path / "none.bin"))
    assert str(caught.value) == f"{tmp_path}/none.bin: there is no such file of word vectors (looked in {tmp_path})"


def test_the_language_picks_the_vectors(vec):
    by_language = {"en": None, "es": str(vec)}
    assert fasttext(language="en", vectors=by_language).estimator.vectors is None
    assert fasttext(language="es", vectors=by_language).estimator.vectors == str(vec)


def built(name, *overrides):
    from hydra import compose, initialize_config_dir
    from hydra.utils import instantiate

    with initialize_config_dir(str(CONF), version_base="1.3"):
        cfg = compose("config", overrides=[f"model={name}", *overrides])
    return instantiate(cfg.model, _convert_="all", language="en")


@pytest.mark.parametrize(("name", "estimator"), [("svm_tfidf", TfidfSvr), ("fasttext", FastTextMlp)])
def test_the_configuration_lists_every_option_with_its_default(name, estimator):
    from omegaconf import OmegaConf

    listed = set(OmegaConf.load(CONF / "model" / f"{name}.yaml")) - {"_target_", "cleaning"}
    assert listed == set(estimator().get_params()) - {"random_state"}
    defaults = estimator().get_params()
    plain = {key: list(value) if isinstance(value, tuple) else value for key, value in defaults.items()}
    assert built(name).estimator.get_params() == plain


def test_options_can_be_set_on_the_command_line(vec):
    assert built("svm_tfidf", "model.C=2", "model.word_ngrams=[1,3]").estimator.word_ngrams == [1, 3]
    assert built("fasttext", f"model.vectors={vec}").estimator.vectors == str(vec)
    assert built("fasttext", f"model.vectors={{en: {vec}}}").estimator.vectors == str(vec)
    assert built("fasttext").cleaning.arabic == ("diacritics", "tatweel")


def test_a_mistyped_option_is_refused():
    from hydra.errors import ConfigCompositionException

    with pytest.raises(ConfigCompositionException, match=r"Could not override 'model\.hiden'"):
        built("fasttext", "model.hiden=3")


def test_the_module_needs_no_fasttext_to_be_imported():
    import subprocess
    import sys

    code = "import sys, bias_lab.models.baseline; sys.exit('fasttext' in sys.modules or 'skops' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    assert bias_lab.__version__
