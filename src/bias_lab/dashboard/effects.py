"""Which effects there are to show: those of the shipped corpora, or of a sweep's runs."""

from dataclasses import dataclass
from pathlib import Path

from bias_lab.tracking.names import effect_name


@dataclass(frozen=True)
class Effect:
    """One term of one corpus. subset: names | noun_phrases."""

    eec: str
    language: str
    subset: str
    term: str

    @property
    def title(self) -> str:
        """Such as "race[Arab]", or "gender[female], noun phrases"."""
        return self.term + ("" if self.subset == "names" else f", {self.subset.replace('_', ' ')}")

    def metric(self, value: str) -> str:
        """The name under which a run logs a value of the effect."""
        return effect_name({"eec": self.eec, "subset": self.subset, "coding": "treatment", "term": self.term}, value)


def shipped_effects() -> list[Effect]:
    """The effects of the corpora that come with bias_lab, as the default analysis has them."""
    from bias_lab.corpora import list_corpora, load_corpus
    from bias_lab.stats.design import factorial_design
    from bias_lab.stats.subset import SUBSETS

    found = []
    for name in list_corpora():
        corpus = load_corpus(name)
        for kind, subset in SUBSETS.items():
            rows = corpus.table[corpus.table["person_kind"] == kind]
            used = [factor for factor in corpus.factors if rows[factor.name].notna().any()]
            terms = factorial_design(used, declared=corpus.factors).terms if used else ()
            found += [Effect(name, corpus.language, subset, term.label) for term in terms if term.factors]
    return found


def sweep_effects(folder: Path) -> list[Effect]:
    """The effects that the finished runs in a folder have. Raises DataError where there is no run."""
    import pandas as pd

    from bias_lab.run_files import COEFFICIENTS
    from bias_lab.summary.cells import find_cells, read_cell

    found: dict[Effect, None] = {}
    for cell in map(read_cell, find_cells([folder])):
        path = cell.folder / COEFFICIENTS
        if cell.succeeded and path.is_file():
            table = pd.read_csv(path, usecols=["eec", "subset", "coding", "term"])
            shown = table[(table["coding"] == "treatment") & (table["term"] != "Intercept")]
            found |= {Effect(row.eec, cell.language, row.subset, row.term): None for row in shown.itertuples()}
    return list(found)
