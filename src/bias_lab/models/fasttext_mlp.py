"""Averaged fastText vectors and a multi-layer perceptron: the baseline that sees words in a space of meanings."""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.neural_network import MLPRegressor
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from bias_lab.errors import ConfigError, ModelError
from bias_lab.files import sha256_of
from bias_lab.models.checks import check_targets, check_texts, of_texts, require_flag, require_number
from bias_lab.models.fasttext_binary import train_binary, trained_vectors
from bias_lab.models.tokens import tokenize
from bias_lab.models.word_vectors import WordVectors, average, check_vectors_path, open_vectors

TOO_FEW_TO_HOLD_BACK = 10

log = logging.getLogger("bias_lab.models")


class FastTextMlp(RegressorMixin, BaseEstimator):
    """`MLPRegressor` on the average of a text's fastText vectors (Câmara et al. 2022, section 4).

    A scikit-learn regressor whose X is a sequence of n str instead of a matrix. The averages are centred and divided
    by one number, their overall standard deviation, so that published vectors (tiny values) and those trained here
    meet the same learning rate and penalty, while the dimensions keep their weights. The defaults were chosen on the
    dev sets of SemEval-2018 EI-reg without published vectors.

    Args:
        vectors: a .bin, .vec or .vec.gz file; None trains fastText's skip-gram model on the texts of `fit`.
        dim, epochs, min_count, buckets: of that training: values per word, passes over the texts, leave out words with
            fewer occurrences, slots for subwords. Without effect where `vectors` are given.
        hidden: units of the hidden layer.
        alpha: weight of the L2 penalty.
        learning_rate: Adam's.
        max_epochs: passes of the perceptron at most.
        early_stopping: hold back a tenth of the texts of `fit` and stop when their R2 has not risen for `patience`
            passes; else stop when the training loss has not fallen.
        patience: see there.
        random_state: seed of all of it: order of fastText's texts, weights, held-back texts, batches.

    Attributes:
        trained_vectors_: bytes of the fastText model trained here (a .bin file's), or None.
        vectors_sha256_: of the given file, as it was in `fit`, or None.
        vocabulary_size_: words in the file or the trained model.
        mlp_: the fitted `sklearn.neural_network.MLPRegressor`.
        n_iter_: its passes.
    """

    def __init__(
        self,
        *,
        vectors: str | Path | None = None,
        dim: int = 100,
        epochs: int = 20,
        min_count: int = 1,
        buckets: int = 20_000,
        hidden: int = 100,
        alpha: float = 1.0,
        learning_rate: float = 0.001,
        max_epochs: int = 500,
        early_stopping: bool = True,
        patience: int = 20,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.vectors = vectors
        self.dim = dim
        self.epochs = epochs
        self.min_count = min_count
        self.buckets = buckets
        self.hidden = hidden
        self.alpha = alpha
        self.learning_rate = learning_rate
        self.max_epochs = max_epochs
        self.early_stopping = early_stopping
        self.patience = patience
        self.random_state = random_state

    def fit(self, X: Sequence[str], y: Any) -> Self:
        """Learn from n texts and their targets (n,).

        Raises:
            ConfigError: an option is not allowed.
            ModelError: the word vectors cannot be read.
            TypeError, ValueError: X are no texts, or y not one finite number a text.
        """
        check_mlp_options(**{key: value for key, value in self.get_params().items() if key != "random_state"})
        texts = check_texts(X)
        targets = check_targets(self, texts, y)
        if self.early_stopping and len(texts) <= TOO_FEW_TO_HOLD_BACK:
            raise ConfigError(
                "model.early_stopping=True holds back a tenth of the training texts, at least two, but there are only "
                f"{len(texts)} texts; set model.early_stopping=false"
            )
        rng = check_random_state(self.random_state)
        tokens = [tokenize(text) for text in texts]
        self._prepare_vectors(tokens, rng)
        vectors = self._vectors()
        pooled, counts = average(tokens, vectors)
        self.vocabulary_size_ = vectors.size
        if not counts.any():
            source = (
                "no words to train fastText on" if self.vectors is None else f"{self.vectors} has none of the words"
            )
            raise ModelError(f"the training texts cannot be used: {source}")
        self.center_ = pooled.mean(axis=0)
        self.scale_ = float((pooled - self.center_).std()) or 1.0
        self.mlp_ = MLPRegressor(
            hidden_layer_sizes=(self.hidden,),
            alpha=self.alpha,
            learning_rate_init=self.learning_rate,
            max_iter=self.max_epochs,
            early_stopping=self.early_stopping,
            n_iter_no_change=self.patience,
            random_state=rng.randint(2**31 - 1),
        )
        # On so small a matrix several threads are slower, and one gives the same bits whatever the machine's number.
        with threadpool_limits(1, user_api="blas"):
            self.mlp_.fit(self._scaled(pooled), targets)
        self.n_iter_ = self.mlp_.n_iter_
        return self

    def predict(self, X: Sequence[str]) -> NDArray[np.float64]:
        """Predict float64 (n,), not bounded. Texts without any known word all get the value of a zero vector.

        Raises:
            ModelError: the file of word vectors is gone or is not the one of `fit`.
        """
        check_is_fitted(self)
        pooled, _ = average([tokenize(text) for text in check_texts(X)], self._vectors())
        with threadpool_limits(1, user_api="blas"):
            predicted: NDArray[np.float64] = self.mlp_.predict(self._scaled(pooled))
        return predicted

    def coverage(self, X: Sequence[str]) -> dict[str, int]:
        """Count what the model knows of n texts.

        Returns:
            `tokens`; of them `unknown`: not in the word vectors' vocabulary (a .bin still puts a vector together from
            subwords); `unseen_texts`: texts of which no token has a vector.
        """
        check_is_fitted(self)
        texts = [tokenize(text) for text in check_texts(X)]
        vectors = self._vectors()
        _, counts = average(texts, vectors)
        tokens = [token for text in texts for token in text]
        return {
            "tokens": len(tokens),
            "unknown": sum(not vectors.in_vocabulary(token) for token in tokens),
            "unseen_texts": int((counts == 0).sum()),
        }

    def describe(self) -> dict[str, Any]:
        """Where the word vectors come from and how long the perceptron was trained, as plain types."""
        check_is_fitted(self)
        given = self.vectors is not None
        return {
            "vectors": str(self.vectors) if given else f"trained on the task's {self.n_texts_} training texts",
            "vectors_sha256": self.vectors_sha256_,
            "vocabulary": self.vocabulary_size_,
            "dim": len(self.center_),
            "mlp_epochs": self.n_iter_,
        }

    def _prepare_vectors(self, tokens: list[list[str]], rng: np.random.RandomState) -> None:
        self.n_texts_ = len(tokens)
        self.trained_vectors_: bytes | None = None
        self.vectors_sha256_: str | None = None
        if self.vectors is not None:
            self.vectors_sha256_ = sha256_of(check_vectors_path(self.vectors))
            return
        log.info(
            "no word vectors are given (vectors=FILE): training fastText on the %d training texts; expect less than "
            "with vectors trained on a large corpus",
            len(tokens),
        )
        self.trained_vectors_ = train_binary(
            tokens, dim=self.dim, epochs=self.epochs, min_count=self.min_count, buckets=self.buckets, rng=rng
        )

    def _vectors(self) -> WordVectors:
        if self.trained_vectors_ is not None:
            return trained_vectors(self.trained_vectors_)
        path = check_vectors_path(self.vectors or "")
        if sha256_of(path) != self.vectors_sha256_:
            raise ModelError(f"{path}: the word vectors are not those that the model was fitted with; fit it again")
        return open_vectors(path)

    def _scaled(self, pooled: NDArray[np.float64]) -> NDArray[np.float64]:
        scaled: NDArray[np.float64] = (pooled - self.center_) / self.scale_
        return scaled

    def __sklearn_tags__(self) -> Tags:
        return of_texts(super().__sklearn_tags__())


def check_mlp_options(
    *,
    vectors: Any,
    dim: Any,
    epochs: Any,
    min_count: Any,
    buckets: Any,
    hidden: Any,
    alpha: Any,
    learning_rate: Any,
    max_epochs: Any,
    early_stopping: Any,
    patience: Any,
) -> None:
    """Raise `ConfigError` for a value that `FastTextMlp` does not take, `ModelError` for a missing file of vectors."""
    whole = {"dim": dim, "epochs": epochs, "min_count": min_count, "buckets": buckets, "hidden": hidden}
    for key, value in {**whole, "max_epochs": max_epochs, "patience": patience}.items():
        require_number(f"model.{key}", value, whole=True, at_least=1)
    require_number("model.alpha", alpha, at_least=0)
    require_number("model.learning_rate", learning_rate, above=0)
    require_flag("model.early_stopping", early_stopping)
    if vectors is not None:
        check_vectors_path(vectors)
