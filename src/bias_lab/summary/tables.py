"""The numbers of the summary's tables, from what was collected; how they are laid out is grids.py's."""

from typing import Any

import pandas as pd

from bias_lab.summary.cells import SUPERSEDED
from bias_lab.summary.collect import ALPHA, Summary, language_order
from bias_lab.summary.counting import effects, once

METRICS = ("pearson", "pearson_high", "spearman", "mse")
AVERAGE = "average"
MISSING = "missing"
SCORE_COLUMNS = ("split", "metric", "model", "language", "emotion", "n_seeds", "n_undefined", "mean", "sd")
COUNTS = ("tests", "claims", "p_findings", "q_findings", "no_answer", "paper_only")
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
    """How many terms each corpus' tests find, one row a corpus: eec, language, and the counts of `count_findings`.

    Terms in the paper's coding, of all models and emotions, names and noun phrases.
    """
    told = effects(coefficients)
    rows = [
        {"eec": eec, "language": language, **count_findings(part)}
        for (language, eec), part in told.groupby(["language", "eec"])
    ]
    table = pd.DataFrame(rows, columns=["eec", "language", *COUNTS])
    return table.sort_values("language", key=lambda c: c.map(language_order), kind="stable").reset_index(drop=True)


def count_findings(rows: pd.DataFrame) -> dict[str, int]:
    """Count tests and findings among rows of a summary's coefficients.

    tests: terms with a name-level p. Of these, claims: the published test's p_iid < .05; p_findings: p_name < .05,
    unadjusted; q_findings: q < .05; paper_only: claims of the published test with p_name >= .05. no_answer: terms
    without a name-level p.
    """
    tested = rows[rows["p_name"].notna()]
    return {
        "tests": len(tested),
        "claims": int((tested["p_iid"] < ALPHA).sum()),
        "p_findings": int((tested["p_name"] < ALPHA).sum()),
        "q_findings": int((tested["q"] < ALPHA).sum()),
        "no_answer": len(rows) - len(tested),
        "paper_only": int(tested["paper_only"].sum()),
    }


def total_findings(coefficients: pd.DataFrame) -> dict[str, int]:
    """The counts of `count_findings` over all corpora; tests on identical sentences count once."""
    return count_findings(once(effects(coefficients)))


def strongest(coefficients: pd.DataFrame) -> pd.DataFrame:
    """The name-level findings (q < .05, the paper's coding), smallest q first; on identical sentences once."""
    found = once(effects(coefficients))
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
