"""The numbers of the summary's tables, from what was collected; how they are laid out is grids.py's."""

from typing import Any

import pandas as pd

from bias_lab.summary.cells import SUPERSEDED
from bias_lab.summary.collect import ALPHA, Summary, language_order

METRICS = ("pearson", "pearson_high", "spearman", "mse")
AVERAGE = "average"
MISSING = "missing"
SCORE_COLUMNS = ("split", "metric", "model", "language", "emotion", "n_seeds", "n_undefined", "mean", "sd")
FAILED_COLUMNS = ("status", "label", "line", "reason", "folder")


def score_table(metrics: pd.DataFrame) -> pd.DataFrame:
    """Mean and spread over seeds of every metric, one row per split, metric, model, language and emotion.

    metrics: `Summary.metrics`. n_seeds: seeds with a value; n_undefined: seeds without. sd: with n - 1, missing for
    one seed. Rows with the emotion "average" hold the mean of the emotions' means, missing where the model lacks an
    emotion that another model has in that language; their n_seeds and sd are those of the seeds that have them all.
    """
    rows: list[dict[str, Any]] = []
    for split, here in metrics.groupby("split"):
        emotions = {language: sorted(set(part["emotion"])) for language, part in here.groupby("language")}
        for (model, language), part in here.groupby(["model", "language"]):
            for metric in METRICS:
                who = {"split": split, "metric": metric, "model": model, "language": language}
                rows += [who | found for found in _over_seeds(part, metric, emotions[language])]
    rows.sort(
        key=lambda row: (row["split"], METRICS.index(row["metric"]), row["model"], language_order(row["language"]))
    )
    return pd.DataFrame(rows, columns=list(SCORE_COLUMNS))


def _over_seeds(part: pd.DataFrame, metric: str, emotions: list[str]) -> list[dict[str, Any]]:
    """One row an emotion, then their average."""
    by_seed = part.pivot(index="seed", columns="emotion", values=metric).reindex(columns=emotions)  # seeds x emotions
    ran = part["emotion"].value_counts()
    rows = [
        {
            "emotion": emotion,
            "n_seeds": int(by_seed[emotion].count()),
            "n_undefined": int(ran[emotion] - by_seed[emotion].count()),
            "mean": by_seed[emotion].mean(),
            "sd": by_seed[emotion].std(ddof=1),
        }
        for emotion in emotions
        if emotion in ran
    ]
    whole = by_seed.dropna()
    average = {
        "emotion": AVERAGE,
        "n_seeds": len(whole),
        "n_undefined": len(by_seed) - len(whole),
        "mean": by_seed.mean().mean(skipna=False),
        "sd": whole.mean(axis=1).std(ddof=1),
    }
    return [*rows, average]


def findings_table(coefficients: pd.DataFrame) -> pd.DataFrame:
    """How many terms each corpus' tests find: eec, language, tests, q_findings, p_findings, paper_only, no_answer.

    Terms in the paper's coding, of all models and emotions, names and noun phrases. tests: with a name-level p.
    q_findings: q < .05; p_findings: p_name < .05, unadjusted; paper_only: the published test alone is below .05;
    no_answer: terms that have no name-level p.
    """
    told = effects(coefficients)
    rows = [
        {
            "eec": eec,
            "language": language,
            "tests": int(part["p_name"].notna().sum()),
            "q_findings": int((part["q"] < ALPHA).sum()),
            "p_findings": int((part["p_name"] < ALPHA).sum()),
            "paper_only": int(part["paper_only"].sum()),
            "no_answer": int(part["p_name"].isna().sum()),
        }
        for (language, eec), part in told.groupby(["language", "eec"])
    ]
    columns = ["eec", "language", "tests", "q_findings", "p_findings", "paper_only", "no_answer"]
    table = pd.DataFrame(rows, columns=columns)
    return table.sort_values("language", key=lambda c: c.map(language_order), kind="stable").reset_index(drop=True)


def effects(coefficients: pd.DataFrame) -> pd.DataFrame:
    """The terms in the paper's coding, without intercepts."""
    return coefficients[(coefficients["coding"] == "treatment") & (coefficients["term"] != "Intercept")]


def strongest(coefficients: pd.DataFrame) -> pd.DataFrame:
    """The name-level findings (q < .05, the paper's coding), smallest q first."""
    found = effects(coefficients)
    found = found[found["q"] < ALPHA]
    return found.sort_values(["q", "p_name", "model", "eec", "emotion", "term"], kind="stable")


def failed_table(summary: Summary) -> pd.DataFrame:
    """Cells without a result: status, label, line (of overrides), reason, folder.

    A cell that was asked for and has no folder of its own is `missing`; its folder is then the sweep's.
    """
    cells = summary.cells[~summary.cells["status"].isin(["finished", SUPERSEDED])]
    failed = pd.DataFrame(
        {
            "status": cells["status"],
            "label": cells["label"],
            "line": cells["overrides"],
            "reason": cells["error"].fillna("no reason is told"),
            "folder": cells["folder"],
        },
        columns=list(FAILED_COLUMNS),
    )
    missing = pd.DataFrame(
        {
            "status": MISSING,
            "label": "",
            "line": summary.missing["line"],
            "reason": "the sweep ended before its turn",
            "folder": summary.missing["sweep"],
        },
        columns=list(FAILED_COLUMNS),
    )
    return pd.concat([failed, missing], ignore_index=True)
