"""Scores to the sentences of corpora: by the sentence or its id, every mismatch named."""

import difflib
import hashlib
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from bias_lab.audit.reading import SHOWN, ScoreFile, counted, named_lines
from bias_lab.corpora import Corpus
from bias_lab.errors import ConfigError, DataError

ALL, NEUTRAL = "all", "neutral"


@dataclass(frozen=True, eq=False)
class Matched:
    """Long tables with predictions, one a corpus, and what a reader should know of how they came about."""

    corpora: tuple[Corpus, ...]
    tables: tuple[pd.DataFrame, ...]
    emotion: str  # of the sentences: an emotion, several joined by "+", or "all"
    notes: tuple[str, ...]


def sentence_id(sentence: str) -> str:
    """The id of a sentence: "s" and the first twelve hexadecimal digits of the SHA-256 of its UTF-8 bytes.

    It depends on nothing but the sentence, so it survives sorting, filtering and new versions of a corpus. The letter
    keeps spreadsheets from reading it as a number.
    """
    return "s" + hashlib.sha256(sentence.encode("utf-8")).hexdigest()[:12]


def sentence_sheet(corpora: Sequence[Corpus], *, emotion: str | None = None) -> pd.DataFrame:
    """The sentences to be scored, each once: id, sentence; of one emotion, or all."""
    rows = pd.concat([_rows(corpus, emotion)["sentence"] for corpus in corpora]).drop_duplicates()
    return pd.DataFrame({"id": [sentence_id(sentence) for sentence in rows], "sentence": rows.to_numpy()})


def match_scores(
    file: ScoreFile,
    corpora: Sequence[Corpus],
    *,
    emotion: str | None = None,
    allow_missing: bool = False,
    allow_unknown: bool = False,
    average: bool = False,
) -> Matched:
    """Give each sentence of the corpora its score; one that stands in them several times gets it in each place.

    emotion: whose sentences are wanted, "all" for every one; None for those of every emotion that has any score.
    allow_missing: leave out sentences without a score. allow_unknown: leave out scores of other sentences. average:
    take the mean of the scores of a sentence that stands in the file more than once.

    A sentence that is in no corpus as written is looked for again in Unicode's NFC form with blanks collapsed.

    Raises DataError naming sentences that are unknown, missing, beside the id of another, or have several scores;
    ConfigError where the corpora are of several languages or lack the emotion.
    """
    if len(languages := {corpus.language for corpus in corpora}) > 1:
        raise ConfigError(f"--eec: the corpora must be of one language, got {', '.join(sorted(languages))}")
    notes: list[str] = []
    sentences = _sentences(file, corpora, notes, allow_unknown=allow_unknown)
    scores = _one_each(file, sentences, notes, average=average)
    wanted = [_wanted(corpus, emotion, scores) for corpus in corpora]
    _check_missing(file, corpora, wanted, scores, notes, allow_missing=allow_missing)
    tables = []
    for rows in wanted:
        scored = rows.assign(prediction=rows["sentence"].map(scores).astype("float64"))
        tables.append(scored[scored["prediction"].notna()])
    unused = len(scores) - len(set().union(*(table["sentence"] for table in tables)))
    if unused:
        notes.append(f"{counted(unused, 'scored sentence')} of other emotions not looked at")
    return Matched(tuple(corpora), tuple(tables), emotion or _emotions(tables, corpora), tuple(notes))


def _sentences(
    file: ScoreFile, corpora: Sequence[Corpus], notes: list[str], *, allow_unknown: bool
) -> list[str | None]:
    """The corpora's sentence that each line of the file means, None where there is none."""
    known = list(dict.fromkeys(sentence for corpus in corpora for sentence in corpus.table["sentence"]))
    if file.key == "id":
        by_id = {sentence_id(sentence): sentence for sentence in known}
        found = [by_id.get(key.strip()) for key in file.keys]
    else:
        exact = set(known)
        found = [key if key in exact else None for key in file.keys]
        found = _normalised(file, found, known, notes)
    _check_beside(file, found, known)
    unknown = [i for i, sentence in enumerate(found) if sentence is None]
    if unknown:
        told = named_lines([file.lines[i] for i in unknown], [file.keys[i] for i in unknown])
        what = "sentences" if file.key == "sentence" else "ids"
        names = ", ".join(corpus.name for corpus in corpora)
        text = f"{len(unknown):,} of {len(found):,} {what} are not in {names}: {told}"
        if not allow_unknown:
            near = difflib.get_close_matches(file.keys[unknown[0]], known, n=1) if file.key == "sentence" else []
            hint = f"; the nearest one to the first is {near[0]!r}" if near else ""
            raise DataError(f"{file.path}: {text}{hint}. Say --allow-unknown to leave them out")
        notes.append(f"{text}; they are left out")
    return found


def _check_beside(file: ScoreFile, found: Sequence[str | None], known: Sequence[str]) -> None:
    """Refuse lines whose id and sentence are two sentences': one of the columns was sorted or filled without the other.

    What is not in the corpora, such as a row's number in a column `id`, says nothing.
    """
    if not file.beside:
        return
    meant = {sentence_id(sentence): sentence for sentence in known} | {sentence: sentence for sentence in known}
    other = [
        i
        for i, (own, *cells) in enumerate(zip(found, *file.beside, strict=True))
        if own is not None and any(meant.get(cell, meant.get(cell.strip().lower(), own)) != own for cell in cells)
    ]
    if other:
        told = named_lines([file.lines[i] for i in other], [file.keys[i] for i in other])
        raise DataError(
            f"{file.path}: {counted(len(other), 'line')} where id and sentence are of two sentences: {told}; as it "
            "cannot be known which of them the score belongs to, take one of the columns out"
        )


def _normalised(file: ScoreFile, found: list[str | None], known: Sequence[str], notes: list[str]) -> list[str | None]:
    """Look again for what was not found exactly; a form that several sentences share matches none."""
    if None not in found:
        return found
    forms: dict[str, str | None] = {}
    for sentence in known:
        form = normal_form(sentence)
        forms[form] = None if form in forms else sentence
    again = [s if s is not None else forms.get(normal_form(key)) for s, key in zip(found, file.keys, strict=True)]
    mended = [i for i, (old, new) in enumerate(zip(found, again, strict=True)) if old is None and new is not None]
    if mended:
        told = named_lines([file.lines[i] for i in mended], [file.keys[i] for i in mended])
        notes.append(
            f"{counted(len(mended), 'line')} matched only with blanks collapsed and letters composed (NFC): {told}; "
            "the system may have seen other sentences than the corpus has"
        )
    return again


def normal_form(sentence: str) -> str:
    """Unicode's NFC, blanks collapsed."""
    return " ".join(unicodedata.normalize("NFC", sentence).split())


def _one_each(file: ScoreFile, sentences: Sequence[str | None], notes: list[str], *, average: bool) -> dict[str, float]:
    """The score of each sentence."""
    lines: dict[str, list[int]] = {}
    for position, sentence in enumerate(sentences):
        if sentence is not None:
            lines.setdefault(sentence, []).append(position)
    several = {sentence: at for sentence, at in lines.items() if len(at) > 1}
    differing = [sentence for sentence, at in several.items() if np.ptp(file.scores[at]) > 0]
    if differing and not average:
        told = "; ".join(
            f"{sentence!r} in lines {', '.join(str(file.lines[i]) for i in several[sentence][:SHOWN])}"
            for sentence in differing[:SHOWN]
        )
        more = f" and {len(differing) - SHOWN:,} more" if len(differing) > SHOWN else ""
        raise DataError(
            f"{file.path}: {counted(len(differing), 'sentence')} with several scores: {told}{more}. "
            "A sentence has one score; --average takes the mean, as of several answers of a system that draws them"
        )
    if several:
        how = "their scores are averaged" if differing else "with the same score each time"
        notes.append(f"{counted(len(several), 'sentence')} more than once in the file; {how}")
    return {sentence: float(np.mean(file.scores[at])) for sentence, at in lines.items()}


def _rows(corpus: Corpus, emotion: str | None) -> pd.DataFrame:
    """The rows of one emotion, or all."""
    if emotion in (None, ALL):
        return corpus.table
    rows = corpus.table[corpus.table["emotion"] == emotion]
    if rows.empty:
        there = ", ".join(sorted(corpus.table["emotion"].dropna().unique())) or "none"
        raise ConfigError(f"--emotion {emotion}: {corpus.name} has no sentence of it; its emotions: {there}")
    return rows


def _wanted(corpus: Corpus, emotion: str | None, scores: dict[str, float]) -> pd.DataFrame:
    """The rows that should have a score: of the emotion asked for, else of every one with any score."""
    rows = _rows(corpus, emotion)
    if emotion is not None:
        return rows
    kind = rows["emotion"].fillna("")
    return rows[kind.isin(set(kind[rows["sentence"].isin(scores)]))]


def _check_missing(
    file: ScoreFile,
    corpora: Sequence[Corpus],
    wanted: Sequence[pd.DataFrame],
    scores: dict[str, float],
    notes: list[str],
    *,
    allow_missing: bool,
) -> None:
    for corpus, rows in zip(corpora, wanted, strict=True):
        lacking = rows[~rows["sentence"].isin(scores)]
        if rows.empty or len(lacking) == len(rows):
            raise DataError(f"{file.path}: no sentence of {corpus.name} has a score")
        if lacking.empty:
            continue
        texts = list(lacking["sentence"].unique())
        shown = ", ".join(map(repr, texts[:SHOWN])) + (", ..." if len(texts) > SHOWN else "")
        groups = ", ".join(f"{group} {count}" for group, count in _by_group(lacking, corpus).items())
        text = f"{len(lacking):,} of {len(rows):,} sentences of {corpus.name} have no score: {shown} ({groups})"
        if not allow_missing:
            raise DataError(
                f"{file.path}: {text}. Say --allow-missing to leave them out, or --emotion NAME if only sentences of "
                "one emotion were scored"
            )
        notes.append(f"{text}; they are left out, which is a bias of its own if some groups lack more than others")


def _by_group(rows: pd.DataFrame, corpus: Corpus) -> dict[str, int]:
    """How many rows each group has, such as {"African-American female": 12, "male": 3}."""
    levels = rows[[factor.name for factor in corpus.factors]]
    names = levels.apply(lambda row: " ".join(level for level in row if isinstance(level, str)) or "no group", axis=1)
    return {str(name): int(count) for name, count in names.value_counts().items()}


def _emotions(tables: Sequence[pd.DataFrame], corpora: Sequence[Corpus]) -> str:
    """What the scored rows are about, in a word."""

    def told(parts: Sequence[pd.DataFrame]) -> list[str]:
        return sorted({str(value) for part in parts for value in part["emotion"].fillna(NEUTRAL).unique()})

    found = told(tables)
    is_all = found == told([corpus.table for corpus in corpora]) and (len(found) > 1 or found == [NEUTRAL])
    return ALL if is_all else "+".join(found)
