"""Read the factors and the grammatical features of a corpus."""

from collections.abc import Sequence

from bias_lab.corpora.corpus import RESERVED_COLUMNS, Factor
from bias_lab.corpora.grammar import Feature
from bias_lab.corpora.node import Node, choice, repeated, unknown


def parse_factors(node: Node) -> tuple[Factor, ...]:
    """Read the factors, in the order given.

    Raises:
        ConfigError: A level is given twice, the reference is no level, or the name is a column's already.
    """
    factors = []
    for name, child in node.mapping().items():
        check_factor_name(child, name)
        entries = child.record(("levels", "reference"), required=("levels", "reference"))
        levels = parse_levels(entries["levels"])
        reference = entries["reference"].text()
        if reference not in levels:
            raise entries["reference"].error(unknown("level", reference, levels))
        factors.append(Factor(name, levels, reference))
    if not factors:
        raise node.error("has no factors; a corpus compares at least one, such as gender")
    return tuple(factors)


def check_factor_name(node: Node, name: str) -> None:
    """Raise ConfigError where a name cannot be a column of the long table and a term of the regression."""
    if name in RESERVED_COLUMNS or not name.isidentifier():
        raise node.error(
            f"{name!r} cannot be a factor's name: it must be one word of letters, digits and _, "
            f"and none of {', '.join(RESERVED_COLUMNS)}"
        )


def parse_levels(node: Node) -> tuple[str, ...]:
    """Read the levels of a factor, each of them once."""
    levels = node.texts()
    if not levels:
        raise node.error("has no levels")
    if doubles := repeated(levels):
        raise node.error(f"the level {doubles[0]!r} is given twice")
    return levels


def parse_features(node: Node, factors: Sequence[Factor]) -> dict[str, Feature]:
    """Read the grammatical features; where a factor has the same name, its levels are values too."""
    levels = {factor.name: factor.levels for factor in factors}
    features: dict[str, Feature] = {}
    for name, child in node.mapping().items():
        entries = child.record(("values", "default", "starts_with"), required=("values",))
        values = tuple(dict.fromkeys((*entries["values"].texts(), *levels.get(name, ()))))
        default = choice(entries["default"], name, values) if "default" in entries else None
        starts = entries["starts_with"].mapping() if "starts_with" in entries else {}
        for value, beginning in starts.items():
            if value not in values:
                raise beginning.error(unknown(name, value, values))
        beginnings = tuple((value, beginning.texts()) for value, beginning in starts.items())
        features[name] = Feature(name, values, default, beginnings)
    # A bare value such as {state:female} must say which feature it is of.
    words = ["forms", *(word for feature in features.values() for word in (feature.name, *feature.values))]
    if doubles := repeated(words):
        raise node.error(f"{doubles[0]!r} has two meanings; features and values need names of their own")
    return features


def as_features(factors: Sequence[Factor]) -> dict[str, Feature]:
    """Return the factors as features, which persons may state and function words may follow."""
    return {factor.name: Feature(factor.name, factor.levels) for factor in factors}
