"""The linter: flaws of a corpus that would become findings about a model."""

from bias_lab.corpora.lint.finding import CODES, Finding
from bias_lab.corpora.lint.run import CHECKS, lint

__all__ = ["CHECKS", "CODES", "Finding", "lint"]
