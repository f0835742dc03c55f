"""Compare a trait of an item's sentences between groups that differ by one factor only."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from bias_lab.corpora.lint.subject import Cell, Row, Subject

Traits = Sequence[str | None]  # one a row of the corpus; None where a row has nothing to compare


class Difference(NamedTuple):
    """Two groups of one item whose sentences mostly differ in the trait."""

    item: str
    row: Row
    trait: str
    other: Row
    other_trait: str


def differences(subject: Subject, traits: Traits, factor: int) -> list[Difference]:
    """Return the items in which groups that differ by one factor have different traits, one pair an item.

    A group's trait is that of most of its sentences, so that one slip does not count as a difference of groups;
    where two traits are equally frequent, either may be the group's.

    Args:
        subject: The corpus.
        traits: The trait of each row.
        factor: The place of the factor among the levels of a row; all other factors are held equal.
    """
    found = []
    for item, cells in subject.items.items():
        usual = {cell: traits_of for cell, rows in cells.items() if (traits_of := _usual(rows, traits))}
        alike: dict[tuple[object, ...], list[Cell]] = defaultdict(list)
        for kind, levels in usual:
            if levels[factor] is not None:
                alike[kind, levels[:factor], levels[factor + 1 :]].append((kind, levels))
        pair = next(
            (
                (usual[first], usual[cell])
                for first, *others in alike.values()
                for cell in others
                if usual[first].keys().isdisjoint(usual[cell])
            ),
            None,
        )
        if pair:
            (trait, row), (other_trait, other_row) = (next(iter(one.items())) for one in pair)
            found.append(Difference(item, row, trait, other_row, other_trait))
    return found


def outliers(rows: Sequence[Row], traits: Traits, *, at_least: int = 3) -> list[Row]:
    """Return the rows of a group whose trait is not the group's; none where the group is too small to tell."""
    counts = Counter(trait for row in rows if (trait := traits[row.number - 1]) is not None)
    if len(counts) < 2 or counts.total() < at_least:  # noqa: PLR2004
        return []
    common = counts.most_common(1)[0][0]
    return [row for row in rows if traits[row.number - 1] not in (common, None)]


def _usual(rows: Sequence[Row], traits: Traits) -> dict[str, Row]:
    """Return the most frequent trait with its first row; several where they are equally frequent."""
    first: dict[str, Row] = {}
    counts = Counter[str]()
    for row in rows:
        trait = traits[row.number - 1]
        if trait is not None:
            first.setdefault(trait, row)
            counts[trait] += 1
    return {trait: first[trait] for trait, count in counts.items() if count == max(counts.values())}
