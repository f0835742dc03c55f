"""Equity Evaluation Corpora: sentences that are the same but for the person they are about."""

from bias_lab.corpora.corpus import Corpus, Factor
from bias_lab.corpora.load import load_corpus
from bias_lab.corpora.source import list_corpora

__all__ = ["Corpus", "Factor", "list_corpora", "load_corpus"]
