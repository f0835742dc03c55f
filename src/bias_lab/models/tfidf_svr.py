"""Support vector regression on TF-IDF weights of words and characters: the baseline that sees spelling only."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import FeatureUnion
from sklearn.svm import SVR
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from bias_lab.errors import ConfigError
from bias_lab.models.checks import check_targets, check_texts, of_texts, require_flag, require_number
from bias_lab.models.tokens import TOKEN_PATTERN
from bias_lab.strict import check_choice

KERNELS = ("linear", "rbf")


class TfidfSvr(RegressorMixin, BaseEstimator):
    """Epsilon-SVR on the TF-IDF weights of word and of character n-grams, side by side.

    A scikit-learn regressor whose X is a sequence of n str instead of a matrix. Deterministic: it has no random state.
    The defaults were chosen on the dev sets of SemEval-2018 EI-reg (mean of three languages and four emotions).

    Args:
        word_ngrams: shortest and longest n-gram of words and symbols (`bias_lab.models.tokens`).
        char_ngrams: shortest and longest n-gram of characters, within words (blanks at a word's ends count).
        lowercase: fold case first.
        min_df: leave out n-grams that fewer training texts have.
        sublinear_tf: 1 + log(count) instead of the count.
        kernel: "linear" or "rbf" (with scikit-learn's gamma="scale").
        C: weight of the errors against the flatness of the function.
        epsilon: errors up to this size cost nothing, in units of y.

    Attributes:
        vectorizer_: the fitted union of the two vectorisers, "words" and "chars".
        svr_: the fitted `sklearn.svm.SVR`.
    """

    def __init__(
        self,
        *,
        word_ngrams: Sequence[int] = (1, 2),
        char_ngrams: Sequence[int] = (1, 4),
        lowercase: bool = True,
        min_df: int = 1,
        sublinear_tf: bool = True,
        kernel: str = "linear",
        C: float = 0.2,
        epsilon: float = 0.05,
    ) -> None:
        self.word_ngrams = word_ngrams
        self.char_ngrams = char_ngrams
        self.lowercase = lowercase
        self.min_df = min_df
        self.sublinear_tf = sublinear_tf
        self.kernel = kernel
        self.C = C
        self.epsilon = epsilon

    def fit(self, X: Sequence[str], y: Any) -> Self:
        """Learn from n texts and their targets (n,).

        Raises:
            ConfigError: an option is not allowed.
            TypeError, ValueError: X are no texts, or y not one finite number a text.
        """
        check_svr_options(**self.get_params())
        texts = check_texts(X)
        targets = check_targets(self, texts, y)
        self.vectorizer_ = FeatureUnion(
            [
                ("words", self._vectorizer(self.word_ngrams, analyzer="word", token_pattern=TOKEN_PATTERN)),
                ("chars", self._vectorizer(self.char_ngrams, analyzer="char_wb")),
            ]
        )
        self.svr_ = SVR(kernel=self.kernel, C=self.C, epsilon=self.epsilon)
        self.svr_.fit(self.vectorizer_.fit_transform(texts), targets)
        return self

    def predict(self, X: Sequence[str]) -> NDArray[np.float64]:
        """Predict float64 (n,); an SVR is not bounded, so values may lie outside the range of the training targets."""
        check_is_fitted(self)
        predicted: NDArray[np.float64] = self.svr_.predict(self.vectorizer_.transform(check_texts(X)))
        return predicted

    def coverage(self, X: Sequence[str]) -> dict[str, int]:
        """Count what the model knows of n texts.

        Returns:
            `tokens`; of them `unknown`: words and symbols that no training text has. Their characters may still tell
            them apart.
        """
        check_is_fitted(self)
        words = self.vectorizer_["words"]
        analyze = self._vectorizer((1, 1), analyzer="word", token_pattern=TOKEN_PATTERN).build_analyzer()
        tokens = [token for text in check_texts(X) for token in analyze(text)]
        # Of n-grams from 2 on, the parts are known words too.
        vocabulary = {part for ngram in words.vocabulary_ for part in ngram.split(" ")}
        return {"tokens": len(tokens), "unknown": sum(token not in vocabulary for token in tokens)}

    def describe(self) -> dict[str, Any]:
        """Sizes of the fitted parts, as plain types."""
        check_is_fitted(self)
        return {
            "word_features": len(self.vectorizer_["words"].vocabulary_),
            "char_features": len(self.vectorizer_["chars"].vocabulary_),
            "support_vectors": len(self.svr_.support_),
        }

    def _vectorizer(self, ngrams: Sequence[int], **options: Any) -> TfidfVectorizer:
        return TfidfVectorizer(
            ngram_range=tuple(ngrams),
            lowercase=self.lowercase,
            min_df=self.min_df,
            sublinear_tf=self.sublinear_tf,
            **options,
        )

    def __sklearn_tags__(self) -> Tags:
        return of_texts(super().__sklearn_tags__())


def check_svr_options(
    *,
    word_ngrams: Any,
    char_ngrams: Any,
    lowercase: Any,
    min_df: Any,
    sublinear_tf: Any,
    kernel: Any,
    C: Any,
    epsilon: Any,
) -> None:
    """Raise `ConfigError` for a value that `TfidfSvr` does not take."""
    for key, value in {"word_ngrams": word_ngrams, "char_ngrams": char_ngrams}.items():
        _require_range(f"model.{key}", value)
    for key, value in {"lowercase": lowercase, "sublinear_tf": sublinear_tf}.items():
        require_flag(f"model.{key}", value)
    require_number("model.min_df", min_df, whole=True, at_least=1)
    check_choice("model.kernel", kernel, KERNELS)
    require_number("model.C", C, above=0)
    require_number("model.epsilon", epsilon, at_least=0)


def _require_range(key: str, value: Any) -> None:
    bounds = list(value) if isinstance(value, list | tuple) else []
    whole = all(isinstance(bound, int) and not isinstance(bound, bool) for bound in bounds)
    if len(bounds) != 2 or not whole or not 1 <= bounds[0] <= bounds[1]:  # noqa: PLR2004
        raise ConfigError(f"{key}={value!r} is not allowed: give two whole numbers from 1, such as [1,2]")
