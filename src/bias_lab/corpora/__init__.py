"""Equity Evaluation Corpora: sentences that are the same but for the person they are about."""

from typing import TYPE_CHECKING

from bias_lab.lazy import offered

if TYPE_CHECKING:
    from bias_lab.corpora.corpus import Corpus, Factor
    from bias_lab.corpora.load import load_corpus, shared_corpus
    from bias_lab.corpora.source import list_corpora

__all__ = ["Corpus", "Factor", "list_corpora", "load_corpus", "shared_corpus"]
__getattr__ = offered(
    __name__, corpus=["Corpus", "Factor"], load=["load_corpus", "shared_corpus"], source=["list_corpora"]
)
