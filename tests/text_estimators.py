"""Running scikit-learn's estimator checks on estimators of texts."""

import numpy as np
from sklearn.utils.validation import validate_data

CUTS = (-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0)


def as_texts(X):
    """A matrix (n, p) as n texts: one word for every column, which says between which cuts the number lies."""
    return [
        " ".join(f"column{column}bin{place}" for column, place in enumerate(row)) for row in np.searchsorted(CUTS, X)
    ]


class NumbersAsTexts:
    """Mixed into a text estimator, takes the matrices that scikit-learn's checks feed, and turns them into texts."""

    def fit(self, X, y=None):
        if y is None:
            # The same words as of the estimator itself, which is not reached because X is checked together with y.
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        X, y = validate_data(self, X, y, y_numeric=True)
        return super().fit(as_texts(X), y)

    def predict(self, X):
        if not hasattr(self, "n_features_in_"):
            return super().predict(["not fitted"])
        return super().predict(as_texts(validate_data(self, X, reset=False)))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = False
        tags.input_tags.one_d_array = False
        tags.input_tags.two_d_array = True
        return tags
