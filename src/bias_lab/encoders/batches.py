"""Texts to batches without padding, tokenised while the batches before them are computed."""

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

# Texts that are tokenised at a time: enough for full batches of each length, few enough to start soon.
PIECE = 4096
TokenIds = list[list[int]]


def tokenised_ahead(
    texts: Sequence[str], tokenise: Callable[[Sequence[str]], TokenIds]
) -> Iterator[tuple[np.ndarray, TokenIds]]:
    """Row numbers and token ids of all texts, piece by piece, long texts first; the next piece is made in a thread."""
    order = np.argsort([-len(text) for text in texts], kind="stable")
    pieces = np.split(order, range(PIECE, len(order), PIECE))
    with ThreadPoolExecutor(max_workers=1) as background:
        ahead = background.submit(tokenise, [texts[row] for row in pieces[0]])
        for number, rows in enumerate(pieces):
            ids = ahead.result()
            if number + 1 < len(pieces):
                ahead = background.submit(tokenise, [texts[row] for row in pieces[number + 1]])
            yield rows, ids


def equal_length_batches(lengths: Sequence[int], batch_tokens: int) -> Iterator[np.ndarray]:
    """Row numbers of batches whose texts have one token length each, longest first, so that memory peaks early.

    A batch has at most `batch_tokens` tokens, but at least one text.
    """
    order = np.argsort(np.asarray(lengths), kind="stable")[::-1]
    by_length = np.asarray(lengths)[order]
    for rows in np.split(order, np.flatnonzero(np.diff(by_length)) + 1):
        if len(rows):
            size = max(1, batch_tokens // max(1, lengths[rows[0]]))
            yield from np.array_split(rows, math.ceil(len(rows) / size))
