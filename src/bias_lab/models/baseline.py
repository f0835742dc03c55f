"""Scikit-learn estimators behind the regressor interface, and the two that the configuration offers."""

import copy
import json
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone

from bias_lab.errors import ConfigError, ModelError
from bias_lab.files import sha256_of, write_atomic, write_json
from bias_lab.text import Cleaning, clean

DESCRIPTION = "baseline.json"
ESTIMATOR = "baseline.skops"
TRAINED_VECTORS = "vectors.bin"
# What skops does not know by itself of the estimators offered here. Nothing else is ever built from a file.
TRUSTED = (
    "bias_lab.models.fasttext_mlp.FastTextMlp",
    "bias_lab.models.tfidf_svr.TfidfSvr",
    "scipy.sparse._csr.csr_matrix",
    "sklearn.neural_network._stochastic_optimizers.AdamOptimizer",
)


class BaselineRegressor:
    """Any scikit-learn regressor of texts (X a list of n str) as a regressor of emotion intensity.

    Texts are cleaned here. The estimator passed in is never fitted itself, a clone is. It may have two more methods,
    `coverage(X) -> dict[str, int]` and `describe() -> dict` of plain types, as `TfidfSvr` and `FastTextMlp` do.
    `language` is not used. Predictions are the estimator's own: not bounded to [0, 1], the statistics clip and count.
    """

    def __init__(
        self,
        *,
        estimator: BaseEstimator,
        cleaning: Mapping[str, Any] | None = None,
        name: str | None = None,
        language: str | None = None,
    ) -> None:
        if not callable(getattr(estimator, "fit", None)) or not callable(getattr(estimator, "predict", None)):
            raise ConfigError(f"model.estimator={estimator!r} is not a scikit-learn regressor: it lacks fit or predict")
        self.estimator = estimator
        self.cleaning = Cleaning.from_mapping(cleaning)
        self.name = name or type(estimator).__name__
        self.estimator_: Any = None
        self._course: dict[str, Any] = {}

    def fit(
        self,
        texts: Sequence[str],
        scores: np.ndarray,
        *,
        dev_texts: Sequence[str],
        dev_scores: np.ndarray,
        seed: int,
    ) -> None:
        """Fit a clone on n texts and their scores (n,) with `seed` as its random state; the dev set is not used."""
        estimator = clone(self.estimator)
        seeded = _random_states(estimator)
        estimator.set_params(**dict.fromkeys(seeded, seed))
        self.estimator_ = estimator.fit(self._clean(texts), np.asarray(scores, dtype=np.float64))
        self._course = {"training_texts": len(texts), "seed": seed, "seeded": seeded}

    def predict(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Scores float64 (n,) of n texts."""
        return np.asarray(self._fitted().predict(self._clean(texts)), dtype=np.float64)

    def coverage(self, texts: Sequence[str]) -> dict[str, int]:
        """`tokens`, those `unknown` and `unseen_texts`, as the estimator counts them; empty if it does not."""
        count = getattr(self._fitted(), "coverage", None)
        return count(self._clean(texts)) if count else {}

    def describe(self) -> dict[str, Any]:
        """Estimator, options, seed (`seeded` empty: the seed changes nothing) and what was learnt, as plain types."""
        estimator = self.estimator if self.estimator_ is None else self.estimator_
        told = {
            "name": self.name,
            "estimator": f"{type(estimator).__module__}.{type(estimator).__qualname__}",
            "params": {key: _plain(value) for key, value in sorted(estimator.get_params(deep=False).items())},
            "cleaning": self.cleaning.as_dict(),
            **self._course,
        }
        if self.estimator_ is not None and hasattr(estimator, "describe"):
            told["fitted"] = estimator.describe()
        return told

    def save(self, folder: Path) -> None:
        """Write `baseline.skops` (no pickle), `baseline.json`, and `vectors.bin` if word vectors were trained here.

        Word vectors of the user's are not copied, their path and SHA-256 are in the description.
        """
        from skops import io

        estimator = copy.copy(self._fitted())
        trained = vars(estimator).get("trained_vectors_")
        digest = None
        if trained is not None:
            estimator.trained_vectors_ = None
            write_atomic(folder / TRAINED_VECTORS, lambda part: _write_bytes(part, trained))
            digest = sha256_of(folder / TRAINED_VECTORS)
        write_atomic(folder / ESTIMATOR, lambda part: io.dump(estimator, part))
        files = {"estimator_sha256": sha256_of(folder / ESTIMATOR), "trained_vectors_sha256": digest}
        write_json(folder / DESCRIPTION, {**self.describe(), **files, "scikit-learn": version("scikit-learn")})

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read back what `save` wrote; a baseline that was loaded predicts what it did, and can be fitted anew.

        Raises:
            ModelError: a file is missing or changed, or holds types that are not among `TRUSTED`.
        """
        from skops import io

        if not (folder / DESCRIPTION).is_file():
            raise ModelError(f"{folder}: no saved baseline here, {DESCRIPTION} is missing")
        told = json.loads((folder / DESCRIPTION).read_text(encoding="utf-8"))
        _require_digest(folder / ESTIMATOR, told["estimator_sha256"])
        unknown = sorted(set(io.get_untrusted_types(file=folder / ESTIMATOR)) - set(TRUSTED))
        if unknown:
            raise ModelError(f"{folder / ESTIMATOR}: types that are not loaded from a file: {', '.join(unknown)}")
        estimator = io.load(folder / ESTIMATOR, trusted=list(TRUSTED))
        if told["trained_vectors_sha256"] is not None:
            _require_digest(folder / TRAINED_VECTORS, told["trained_vectors_sha256"])
            estimator.trained_vectors_ = (folder / TRAINED_VECTORS).read_bytes()
        loaded = cls(estimator=clone(estimator), cleaning=told["cleaning"], name=told["name"])
        loaded.estimator_ = estimator
        loaded._course = {key: told[key] for key in ("training_texts", "seed", "seeded")}
        return loaded

    def _clean(self, texts: Sequence[str]) -> list[str]:
        return [clean(text, self.cleaning) for text in texts]

    def _fitted(self) -> Any:
        if self.estimator_ is None:
            raise RuntimeError("call fit() first")
        return self.estimator_


def svm_tfidf(*, language: str, cleaning: Mapping[str, Any] | None = None, **options: Any) -> BaselineRegressor:
    """Build the baseline of conf/model/svm_tfidf.yaml; `options` are those of `TfidfSvr`, the same in any language.

    Raises:
        ConfigError: an option is unknown or its value not allowed.
    """
    from bias_lab.models.tfidf_svr import TfidfSvr, check_svr_options

    estimator = TfidfSvr(**_known(TfidfSvr, options))
    check_svr_options(**estimator.get_params())
    return BaselineRegressor(estimator=estimator, cleaning=cleaning, name="svm_tfidf")


def fasttext(
    *,
    language: str,
    vectors: str | Mapping[str, str | None] | None = None,
    cleaning: Mapping[str, Any] | None = None,
    **options: Any,
) -> BaselineRegressor:
    """Build the baseline of conf/model/fasttext.yaml; `options` are those of `FastTextMlp`.

    `vectors` may be a mapping from language to file, of which `language` picks one.

    Raises:
        ConfigError: an option is unknown, its value not allowed, or `vectors` has no entry for the language.
        ModelError: there is no such file of vectors, or it is of another kind.
    """
    from bias_lab.models.fasttext_mlp import FastTextMlp, check_mlp_options
    from bias_lab.models.word_vectors import check_vectors_path

    if isinstance(vectors, Mapping):
        if language not in vectors:
            raise ConfigError(
                f"model.vectors has no entry for task.lang={language}; it has {', '.join(vectors) or 'none'}"
            )
        vectors = vectors[language]
    # Absolute, so that a saved baseline finds them from any folder.
    path = None if vectors is None else str(check_vectors_path(vectors).resolve())
    estimator = FastTextMlp(vectors=path, **_known(FastTextMlp, options, but=("random_state", "vectors")))
    check_mlp_options(**{key: value for key, value in estimator.get_params().items() if key != "random_state"})
    return BaselineRegressor(estimator=estimator, cleaning=cleaning, name="fasttext")


def _known(estimator: Any, options: Mapping[str, Any], *, but: Sequence[str] = ()) -> dict[str, Any]:
    known = [key for key in estimator().get_params() if key not in but]
    for key in options:
        if key not in known:
            raise ConfigError(f"model.{key} is not an option; choose from {', '.join(['cleaning', *known])}")
    return dict(options)


def _random_states(estimator: BaseEstimator) -> list[str]:
    """The parameters, nested ones included, that take a seed."""
    ends = [(key, key.rsplit("__", 1)[-1]) for key in estimator.get_params()]
    return sorted(key for key, last in ends if last.endswith("random_state") or last == "seed")


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return repr(value)


def _require_digest(path: Path, expected: str) -> None:
    if not path.is_file():
        raise ModelError(f"{path}: missing; it belongs to the saved baseline")
    if sha256_of(path) != expected:
        raise ModelError(f"{path}: not the file that was saved (its SHA-256 is another); fit the baseline again")


def _write_bytes(path: Path, content: bytes) -> None:
    path.write_bytes(content)
