"""Where each key is, among millions, without a Python object a key."""

import numpy as np

from bias_lab.encoders.shards import KEY


class KeyIndex:
    """Rows by key: the rows of what was added, counted through in that order; of two equal keys the first counts."""

    def __init__(self) -> None:
        self._keys = np.empty(0, dtype=KEY)
        self._rows = np.empty(0, dtype=np.int64)
        self._added: list[np.ndarray] = []

    def add(self, keys: np.ndarray) -> None:
        """Add keys (n,), in any order."""
        self._added.append(keys)

    def find(self, keys: np.ndarray) -> np.ndarray:
        """Rows (m,) int64 of keys (m,), -1 where one was not added; fastest where the asked keys are sorted."""
        if self._added:
            self._sort()
        if not len(self._keys):
            return np.full(len(keys), -1, dtype=np.int64)
        at = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return np.where(self._keys[at] == keys, self._rows[at], -1)

    def _sort(self) -> None:
        keys = np.concatenate([self._keys, *self._added])
        rows = np.concatenate([self._rows, np.arange(len(self._rows), len(keys))])
        # The stable sort merges what is sorted already, so that adding a little to a lot costs one pass.
        order = np.argsort(keys, kind="stable")
        self._keys, self._rows, self._added = keys[order], rows[order], []
