"""The page's tables of results: effects, agreement with the gold scores, seeds, what models know of the names."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from bias_lab.report.effects import BOUNDED, FINDING, INCONCLUSIVE, KINDS, MARKS, PAPER_ONLY
from bias_lab.report.numbers import fixed, interval, listed, percent, probability, signed
from bias_lab.report.table import Cell, Column, Row, Table, number, row, text
from bias_lab.summary.counting import once

WHO = ["model", "language", "emotion"]
WHO_COLUMNS = (Column("Model"), Column("Language"), Column("Emotion"))


def effects_table(effects: pd.DataFrame) -> Table:
    """All effects but the intercepts."""
    level = effects["level"].iloc[0] if len(effects) else 0.95
    columns = (
        Column("Contrast"),
        Column("Corpus"),
        Column("Emotion"),
        Column("Model"),
        Column("Claim"),
        Column(
            "Effect",
            is_number=True,
            hint=f"difference of mean score; of a product (×), difference of differences. {'; '.join(MARKS)}",
        ),
        Column(f"{100 * level:g} % interval", is_number=True, hint="names as the unit"),
        Column(
            "q",
            is_number=True,
            hint="p (names), adjusted for all models, emotions and terms of the corpus, names "
            "and noun phrases apart; claims go by it",
        ),
        Column("p (names)", is_number=True, hint="jackknife over names"),
        Column("p (published)", is_number=True, hint="the published test: sentences as the unit"),
        Column(
            "Detectable", is_number=True, hint="the smallest effect that would have been found with the chosen power"
        ),
        Column("Seeds", is_number=True, hint="how many, ± standard deviation of the effect between them"),
    )
    rows = [
        row(
            _effect_cells(found),
            model=found["model"],
            language=found["language"],
            emotion=found["emotion"],
            corpus=found["eec"],
            term=found["factors"],
            coding=found["coding"],
            persons=found["subset"],
        )
        for found in effects.to_dict("records")
    ]
    return Table("effects-table", "All effects, strongest claims first", columns, tuple(rows))


def _effect_cells(found: Mapping[str, Any]) -> list[Cell]:
    condition = f" ({found['condition']})" if found["condition"] else ""
    return [
        text(f"{found['contrast']}{condition}"),
        *(text(found[name]) for name in ("eec", "emotion", "model")),
        Cell(claim(found), float(KINDS.index(found["kind"])), f"kind-{found['kind']}"),
        number(found["effect"], f"{signed(found['effect'])} {found['marks']}".rstrip()),
        number(found["low"], interval(found["low"], found["high"])),
        number(found["q"], probability(found["q"])),
        number(found["p_name"], probability(found["p_name"])),
        number(found["p_iid"], probability(found["p_iid"])),
        number(found["mde_response"], fixed(found["mde_response"])),
        number(found["n_seeds"], seeds_told(found)),
    ]


def claim(found: Mapping[str, Any]) -> str:
    """What an effect's row supports, in a few words; a row without a test says why."""
    words = {
        FINDING: "holds: " + ("higher" if found["effect"] > 0 else "lower"),
        BOUNDED: "no larger than " + f"{found['smallest_effect']:g}".removeprefix("0"),
        PAPER_ONLY: "published test only",
        INCONCLUSIVE: "inconclusive",
    }
    # The difference of means behind an untested row is in its tooltip and in the files.
    return words.get(found["kind"]) or str(found["verdict"]).partition(" (")[0]


def seeds_told(found: Mapping[str, Any]) -> str:
    """Such as "3 ± .004": seeds with an estimate and their spread."""
    if found["n_seeds"] > 1:
        return f"{found['n_seeds']} ± {fixed(found['seed_sd_effect'])}"
    return str(found["n_seeds"])


def pearson_table(metrics: pd.DataFrame, corpora: Mapping[str, list[str]]) -> Table:
    """Pearson on the test split by model and language (rows) and emotion (columns), mean over seeds ± deviation.

    Where a mean is over fewer seeds than others it tells over how many.
    `corpora`: the corpora of each language, so that choosing a corpus keeps its language's rows.
    """
    test = metrics[metrics["split"] == "test"]
    emotions = sorted(test["emotion"].unique())
    columns = [Column("Model"), Column("Language")]
    columns += [Column(e, is_number=True, where={"emotion": e}) for e in emotions]
    columns.append(Column("mean of emotions", is_number=True))
    counts = test.groupby(["model", "language", "emotion"]).size()
    most = int(counts.max()) if len(counts) else 0
    rows = []
    for (model, language), group in test.groupby(["model", "language"], sort=False):
        means = group.groupby("emotion")["pearson"].agg(lambda values: values.mean(skipna=False))
        cells = [text(model), text(language), *(_pearson_cell(group, emotion, most) for emotion in emotions)]
        whole = means.mean() if len(means) == len(emotions) and means.notna().all() else None
        n_whole = group["seed"].value_counts().eq(len(emotions)).sum()  # seeds that have all emotions
        told = fixed(whole) + ("" if whole is None else _fewer(n_whole, most))
        rows.append(row([*cells, number(whole, told)], **_of_language(model, language, corpora)))
    over = f", mean ± standard deviation over {most} seeds; (n=…): over fewer" if most > 1 else ""
    caption = f"Pearson's r with the gold scores, test split{over}"
    return Table("pearson-table", caption, tuple(columns), tuple(rows))


def _fewer(n: int, most: int) -> str:
    return f" (n={n})" if n < most else ""


def _pearson_cell(group: pd.DataFrame, emotion: str, most: int) -> Cell:
    found = group.loc[group["emotion"] == emotion, "pearson"]
    if found.empty:
        return text(None)
    if found.isna().any():
        return Cell("undefined")
    return number(found.mean(), f"{spread(found)}{_fewer(len(found), most)}")


def spread(values: pd.Series) -> str:
    """Mean ± standard deviation; the latter only where there are several."""
    return fixed(values.mean()) + (f" ± {fixed(values.std(ddof=1))}" if len(values) > 1 else "")


def _of_language(model: Any, language: Any, corpora: Mapping[str, list[str]]) -> dict[str, str]:
    where = {"model": str(model), "language": str(language)}
    return where | ({"corpus": "\n".join(corpora[language])} if corpora.get(language) else {})


def metrics_table(metrics: pd.DataFrame, corpora: Mapping[str, list[str]]) -> Table:
    """All metrics of both splits, mean over seeds."""
    measures = {"pearson": "Pearson", "pearson_high": "Pearson, gold ≥ .5", "spearman": "Spearman", "mse": "MSE"}
    columns = (
        *WHO_COLUMNS,
        Column("Split"),
        Column("Texts", is_number=True),
        Column("Seeds", is_number=True),
        *(Column(title, is_number=True) for title in measures.values()),
    )
    rows = []
    for (model, language, emotion, split), group in metrics.groupby([*WHO, "split"], sort=False):
        cells = [text(model), text(language), text(emotion), text(split)]
        cells += [number(group["n"].iloc[0], f"{group['n'].iloc[0]:,.0f}"), number(len(group), str(len(group)))]
        cells += [number(group[name].mean(), spread(group[name])) for name in measures]
        rows.append(row(cells, emotion=emotion, **_of_language(model, language, corpora)))
    return Table("metrics-table", "All measures, mean over seeds ± standard deviation", columns, tuple(rows))


def seeds_table(cells: pd.DataFrame, metrics: pd.DataFrame, effects: pd.DataFrame) -> Table:
    """How far runs that differ only in seed stray from each other."""
    columns = (
        *WHO_COLUMNS,
        Column("Seeds that finished"),
        Column("Pearson (test)", is_number=True, hint="mean ± standard deviation between seeds"),
        Column("Effects", is_number=True, hint="with an estimate; on identical sentences of several corpora once"),
        Column("All seeds agree", is_number=True, hint="share of effects whose sign is the same with every seed"),
        Column("Spread by seed", is_number=True, hint="median standard deviation of the effects between seeds"),
        Column("Spread by name", is_number=True, hint="median half-width of the name-level intervals"),
    )
    rows = []
    tests = dict(list(metrics[metrics["split"] == "test"].groupby(WHO)["pearson"]))
    estimated = effects[(effects["coding"] == "treatment") & effects["effect"].notna()]
    found = dict(list(once(estimated).groupby(WHO)))
    for who, group in cells[cells["status"] == "finished"].groupby(WHO, sort=False):
        values = dict(zip(WHO, who, strict=True))
        pearson = tests.get(who, metrics["pearson"].iloc[:0])
        rows.append(row(_seed_cells(values, group, pearson.dropna(), found.get(who, effects.iloc[:0])), **values))
    return Table("seeds-table", "Spread between seeds", columns, tuple(rows))


def _seed_cells(who: Mapping[str, Any], cells: pd.DataFrame, pearson: pd.Series, effects: pd.DataFrame) -> list[Cell]:
    several = effects["seed_sd_effect"].notna()
    agree = (effects.loc[several, "seed_sign_agreement"] == 1).mean() if several.any() else None
    by_seed = effects["seed_sd_effect"].median() if several.any() else None
    by_name = ((effects["high"] - effects["low"]) / 2).median() if len(effects) else None
    return [
        *(text(who[name]) for name in WHO),
        text(listed([str(seed) for seed in sorted(cells["seed"].dropna())])),
        number(pearson.mean(), spread(pearson)) if len(pearson) else text(None),
        number(len(effects), str(len(effects))),
        number(agree, percent(agree)),
        number(by_seed, fixed(by_seed)),
        number(by_name, fixed(by_name)),
    ]


def coverage_table(names: pd.DataFrame, factors: list[str]) -> Table:
    """How much of the names each model's vocabulary knows, by group; empty where no run tells."""
    columns = (
        Column("Model"),
        Column("Corpus"),
        Column("Group"),
        Column("Names", is_number=True),
        Column("Wholly known", is_number=True, hint="share of the names with no unknown token"),
        Column("Tokens a name", is_number=True),
    )
    known = names[names["tokens"].notna()] if "tokens" in names else names.iloc[:0]
    rows: list[Row] = []
    keys = ["model", "language", "eec", *factors]
    for key, group in known.groupby(keys, sort=False, dropna=False):
        values = dict(zip(keys, key, strict=True))
        share, tokens = (group["unknown"] == 0).mean(), group["tokens"].mean()
        label = ", ".join(str(values[name]) for name in factors if pd.notna(values[name]))
        cells = [text(values["model"]), text(values["eec"]), text(label)]
        cells += [number(group["person"].nunique(), str(group["person"].nunique()))]
        cells += [number(share, percent(share)), number(tokens, f"{tokens:.1f}")]
        rows.append(row(cells, model=values["model"], language=values["language"], corpus=values["eec"]))
    return Table("coverage-table", "Names in the models' vocabularies", columns, tuple(rows))
