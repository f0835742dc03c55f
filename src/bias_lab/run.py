"""One cell, from texts to scored corpora: the path of a run, read from top to bottom."""

import logging
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd
from omegaconf import DictConfig, OmegaConf

from bias_lab.config import (
    EecSettings,
    SampleSettings,
    SemevalSettings,
    TaskSettings,
    build_part,
    build_regressor,
    parse,
)
from bias_lab.corpora import Corpus, list_corpora, shared_corpus
from bias_lab.data.task import SPLITS, Task
from bias_lab.errors import ConfigError
from bias_lab.evaluation import Agreement, evaluate
from bias_lab.files import write_atomic, write_json, write_text
from bias_lab.manifest import PREDICTED, Manifest
from bias_lab.models.regressor import Regressor
from bias_lab.run_files import HISTORY, METRICS, NAME_COVERAGE, TASK_PREDICTIONS

log = logging.getLogger(__name__)

EVALUATED = ("dev", "test")


def run_cell(cfg: DictConfig, manifest: Manifest, *, model_choice: str, corpus_folders: list[Path]) -> str:
    """Train, evaluate and score one cell into the manifest's folder; `bias_lab.analysis` then fits the regressions.

    `model_choice` names the model in the cell's label; `corpus_folders` are further folders with corpora. Returns the
    label.
    """
    folder = manifest.folder
    settings = parse(cfg, model_choice=model_choice)
    corpora = load_corpora(settings.eec, settings.task, corpus_folders)
    regressor: Regressor = build_regressor(cfg, settings)
    for group in ("stats", "tracking"):
        build_part(cfg, group)  # so that a wrong option is told before the work, not after it
    manifest.update(identity=settings.identity, label=settings.label, seed=settings.seed)
    write_text(folder / "config.yaml", OmegaConf.to_yaml(OmegaConf.create(settings.plain)))
    with manifest.timed("data"):
        task = load_task(settings.task)
    with manifest.timed("prepare"):
        prepare(regressor, task, [rows for _, rows in corpora])
    with manifest.timed("fit"):
        regressor.fit(
            task.train.texts,
            task.train.scores,
            dev_texts=task.dev.texts,
            dev_scores=task.dev.scores,
            seed=settings.seed,
        )
    with manifest.timed("evaluate"):
        agreement = evaluate_splits(regressor, task, folder)
        write_json(folder / METRICS, {split: asdict(found) for split, found in agreement.items()})
    names = []
    with manifest.timed("score"):
        for corpus, rows in corpora:
            score_corpus(regressor, corpus, rows, folder)
            names.append(name_coverage(regressor, corpus, rows))
    if names:
        table = pd.concat(names, ignore_index=True)
        write_atomic(folder / NAME_COVERAGE, lambda part: table.to_csv(part, index=False))
    regressor.save(folder)
    write_history(regressor, folder)
    manifest.update(
        status=PREDICTED,
        data=[{"path": str(file.path), "sha256": file.sha256, "rows": file.rows} for file in task.files],
        corpora=[describe_corpus(corpus, rows) for corpus, rows in corpora],
        coverage={name: regressor.coverage(getattr(task, name).texts) for name in SPLITS},
        model=regressor.describe(),
    )
    return settings.label


def load_task(settings: TaskSettings) -> Task:
    """The task a configuration names."""
    if isinstance(settings, SemevalSettings):
        from bias_lab.data.semeval import load_semeval

        return load_semeval(settings.data_dir, language=settings.lang, emotion=settings.emotion)
    if isinstance(settings, SampleSettings):
        from bias_lab.data.sample import load_sample

        return load_sample(language=settings.lang, emotion=settings.emotion)
    from bias_lab.data.table import load_table

    options = {key: value for key, value in asdict(settings).items() if key not in ("kind", "lang", "emotion")}
    return load_table(language=settings.lang, emotion=settings.emotion, **options)


def load_corpora(settings: EecSettings, task: TaskSettings, folders: list[Path]) -> list[tuple[Corpus, pd.DataFrame]]:
    """The corpora to score, each with the rows that meet this task's model."""
    if settings.select == "none":
        return []
    chosen: list[Any] = list(settings.corpora.values())
    if settings.select == "auto":
        chosen = list(list_corpora(language=task.lang, search=folders))
        if not chosen:
            log.warning("there is no corpus for task.lang=%s: the model is trained and evaluated only", task.lang)
    elif not chosen:
        raise ConfigError("eec.select=listed, but no corpus is listed: choose some with eec=NAME or eec=[A,B]")
    corpora = [shared_corpus(corpus, search=folders) for corpus in chosen]
    check_names(corpora)
    return [(corpus, select_rows(corpus, settings.rows, task)) for corpus in corpora]


def check_names(corpora: list[Corpus]) -> None:
    """Results are kept by corpus name: two corpora must not share one."""
    names = [corpus.name for corpus in corpora]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ConfigError(
            f"eec: two corpora are named {', '.join(twice)}; give yours another name, such as eec.corpora.csv.name=mine"
        )


def warn_of_traps(corpus: Corpus, rows: pd.DataFrame) -> None:
    """Log what a reader of the results must know about these rows and would not see in them."""
    factors = [factor.name for factor in corpus.factors]
    names = rows[rows["person_kind"] == "name"]
    persons = names.groupby(factors, observed=True)["person"].nunique() if factors else pd.Series(dtype=int)
    for group in persons[persons == 1].index:
        levels = " ".join(group) if isinstance(group, tuple) else str(group)
        log.warning("%s: %s is one person only, so that group and name cannot be told apart", corpus.name, levels)
    twice = int(rows.duplicated(["sentence", "person", "emotion"]).sum())
    if twice:
        log.warning("%s: %d rows repeat a sentence of the same person and emotion and count again", corpus.name, twice)
    if persons[persons == 1].any() or twice:
        log.warning("python -m bias_lab.corpora check shows what is wrong with a corpus file")


def select_rows(corpus: Corpus, rows: str, task: TaskSettings) -> pd.DataFrame:
    """`own`: the rows of the task's emotion, as in the published analysis; `all`: every row."""
    if corpus.language != task.lang:
        raise ConfigError(
            f"eec: {corpus.name} is in {corpus.language}, but task.lang={task.lang}; choose a corpus of that language"
        )
    if rows == "all":
        return corpus.table
    own = corpus.table[corpus.table["emotion"] == task.emotion]
    if own.empty:
        emotions = ", ".join(sorted(corpus.table["emotion"].dropna().unique())) or "no emotion at all"
        raise ConfigError(
            f"eec.rows=own: {corpus.name} has no sentence of task.emotion={task.emotion}, "
            f"only of {emotions}; set eec.rows=all, or eec=none"
        )
    return own


def prepare(regressor: Regressor, task: Task, tables: list[pd.DataFrame]) -> None:
    """Tell a regressor that wants to know them all texts of the cell: an encoder is faster with them at once."""
    if (wanted := getattr(regressor, "prepare", None)) is not None:
        texts = [text for split in SPLITS for text in getattr(task, split).texts]
        for rows in tables:
            texts += rows["sentence"].tolist()
            texts += rows.loc[rows["person_kind"] == "name", "person"].unique().tolist()
        wanted(texts)


def evaluate_splits(regressor: Regressor, task: Task, folder: Path) -> dict[str, Agreement]:
    """Agreement on dev and test; the predictions go to a file by text id, without the texts."""
    agreement, frames = {}, []
    for name in EVALUATED:
        split = getattr(task, name)
        predicted = regressor.predict(split.texts)
        agreement[name] = evaluate(predicted, split.scores)
        frames.append(pd.DataFrame({"split": name, "id": split.ids, "gold": split.scores, "prediction": predicted}))
    table = pd.concat(frames, ignore_index=True)
    write_atomic(folder / TASK_PREDICTIONS, lambda part: table.to_parquet(part, index=False))
    return agreement


def score_corpus(regressor: Regressor, corpus: Corpus, rows: pd.DataFrame, folder: Path) -> Path:
    """Write the corpus' long table with its predictions; returns the file."""
    warn_of_traps(corpus, rows)
    table = rows.assign(prediction=regressor.predict(rows["sentence"].tolist()))
    path = folder / "predictions" / f"{corpus.name}.parquet"
    write_atomic(path, lambda part: table.to_parquet(part, index=False))
    return path


def write_history(regressor: Regressor, folder: Path) -> None:
    """One row an epoch, for regressors that are trained in epochs."""
    history = getattr(regressor, "history", None)
    if history is not None:
        frame = pd.DataFrame(history.epochs).rename_axis("epoch").reset_index()
        write_atomic(folder / HISTORY, lambda part: frame.to_csv(part, index=False))


def describe_corpus(corpus: Corpus, rows: pd.DataFrame) -> dict[str, Any]:
    """Provenance of a corpus as plain types; its factors are what the statistics need besides the long table."""
    return {
        "name": corpus.name,
        "language": corpus.language,
        "version": corpus.version,
        "licence": corpus.licence,
        "source": corpus.source,
        "verified_by_native_speaker": corpus.verified_by_native_speaker,
        "digest": corpus.digest,
        "rows": len(corpus.table),
        "scored_rows": len(rows),
        "factors": [asdict(factor) for factor in corpus.factors],
    }


def name_coverage(regressor: Regressor, corpus: Corpus, rows: pd.DataFrame) -> pd.DataFrame:
    """How much of each name the model's vocabulary knows: eec, person, factors, `tokens` and, of them, `unknown`.

    A model that cannot see the names cannot differ by them, whatever it has learnt about people.
    """
    columns = ["person", *(factor.name for factor in corpus.factors)]
    names = rows.loc[rows["person_kind"] == "name", columns].drop_duplicates().reset_index(drop=True)
    regressor.coverage(names["person"].tolist())  # all at once first: one by one they come from the cache
    counts = [regressor.coverage([name]) for name in names["person"]]
    table = names.assign(tokens=[c.get("tokens") for c in counts], unknown=[c.get("unknown") for c in counts])
    table.insert(0, "eec", corpus.name)
    return table
