"""Which tests count: the terms in the paper's coding, and those that corpora have in common only once."""

from collections.abc import Mapping, Sequence
from hashlib import sha256

import pandas as pd

from bias_lab.analysis import Factor

SUBSET_OF = {"name": "names", "noun_phrase": "noun_phrases"}
SUBSETS = {"names": "names", "noun_phrases": "noun phrases"}  # in a reader's words
_TEST = ["model", "language", "emotion", "subset", "coding", "term"]


def effects(coefficients: pd.DataFrame) -> pd.DataFrame:
    """The terms in the paper's coding, without intercepts."""
    return coefficients[(coefficients["coding"] == "treatment") & (coefficients["term"] != "Intercept")]


def fingerprints(table: pd.DataFrame, factors: Sequence[Factor]) -> dict[str, str]:
    """A digest of what is tested, by subset ("names", "noun_phrases"): equal ones mean that the tests are the same.

    table: the long table of a corpus. Sentences, persons, and the levels and references of the factors that the subset
    has decide, in any order; neither the scores nor the corpus' name and other columns do.
    """
    return {
        SUBSET_OF[str(kind)]: _fingerprint(rows, [f for f in factors if rows[f.name].notna().any()])
        for kind, rows in table.groupby("person_kind")
    }


def _fingerprint(rows: pd.DataFrame, factors: Sequence[Factor]) -> str:
    factors = sorted(factors, key=lambda factor: factor.name)
    told = rows[["sentence", "person", *(factor.name for factor in factors)]].astype(object)
    digest = sha256("\n".join(f"{factor.name}={factor.reference}" for factor in factors).encode())
    hashes = pd.util.hash_pandas_object(told, index=False).sort_values()
    digest.update(hashes.to_numpy(dtype="<u8").tobytes())
    return digest.hexdigest()


def mark_repeats(coefficients: pd.DataFrame, digests: Mapping[str, Mapping[str, str]]) -> pd.DataFrame:
    """Add same_as: the first corpus that has the same sentences, where that is another one; else empty.

    coefficients: of one model, language and emotion. digests: `fingerprints` of each corpus, in the corpora's order.
    """
    first: dict[tuple[str, str], str] = {}
    same: dict[tuple[str, str], str] = {}
    for eec, found in digests.items():
        for subset, digest in found.items():
            owner = first.setdefault((subset, digest), eec)
            same[eec, subset] = "" if owner == eec else owner
    keys = zip(coefficients["eec"], coefficients["subset"], strict=True)
    return coefficients.assign(same_as=[same.get(key, "") for key in keys])


def once(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of a summary's coefficients without those that repeat another one's test, in the order in which they are.

    Of tests on the same sentences that of the first corpus stays, or of the first that is among the rows.
    """
    if "same_as" not in rows:
        return rows
    same = rows["same_as"].fillna("")
    keys = rows[_TEST].assign(first=same.where(same != "", rows["eec"]), repeats=same != "", eec=rows["eec"])
    ordered = keys.sort_values(["repeats", "eec"], kind="stable")
    return rows[~ordered.duplicated([*_TEST, "first"]).reindex(rows.index)]


def repeats_notes(coefficients: pd.DataFrame) -> list[str]:
    """A note on which corpora have sentences in common and how many tests are repeats; none where there are none."""
    told = effects(coefficients)
    repeated = told[told["same_as"] != ""]
    groups: dict[str, set[tuple[str, ...]]] = {}
    for (*_, subset, first), rows in repeated.groupby(["model", "language", "emotion", "subset", "same_as"]):
        groups.setdefault(str(subset), set()).add((str(first), *sorted(set(rows["eec"]))))
    if not groups:
        return []
    sets = [
        f"the {SUBSETS[subset]} of {', '.join(corpora[:-1])} and {corpora[-1]}"
        for subset, found in groups.items()
        for corpora in sorted(found)
    ]
    tests = told["p_name"].notna()
    n_repeats = int(tests.sum() - once(told)["p_name"].notna().sum())
    return [
        f"tests on identical sentences count once in all totals: {'; '.join(sets)} "
        f"({n_repeats} of {int(tests.sum())} tests are repeats)"
    ]
