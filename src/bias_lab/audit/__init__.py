"""Audit of anything: a CSV of sentences and scores from any other system, analysed as a run's predictions are."""

from typing import TYPE_CHECKING

from bias_lab.lazy import offered

if TYPE_CHECKING:
    from bias_lab.audit.matching import Matched, match_scores, sentence_id
    from bias_lab.audit.reading import ScoreFile, read_scores
    from bias_lab.audit.writing import audit

__all__ = ["Matched", "ScoreFile", "audit", "match_scores", "read_scores", "sentence_id"]
__getattr__ = offered(
    __name__,
    matching=["Matched", "match_scores", "sentence_id"],
    reading=["ScoreFile", "read_scores"],
    writing=["audit"],
)
