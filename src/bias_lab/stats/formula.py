"""Which interactions a model has: "all", up to an order, or a formula such as "race * gender + age"."""

from collections.abc import Sequence
from itertools import combinations

from bias_lab.errors import ConfigError

Interactions = str | int
ALL = "all"
_RESPONSE = "prediction"
_GRAMMAR = (
    'allowed: "all", an order (1: main effects, 2: and products of two factors, ...), or a formula of factor '
    'names joined by *, : and +, such as "race * gender" or "race + gender"'
)


def check_interactions(interactions: Interactions) -> None:
    """Raise ConfigError unless `interactions` is "all", an order from 1 or a formula that can be read."""
    if isinstance(interactions, str):
        if interactions.strip() != ALL:
            _parse(interactions)
    elif isinstance(interactions, bool) or not isinstance(interactions, int) or interactions < 1:
        raise ConfigError(f"stats.interactions: got {interactions!r}; {_GRAMMAR}")


def chosen_terms(interactions: Interactions, declared: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """List the products of factors in the model, by order of interaction, then as declared; no intercept.

    declared: the corpus's factors. Raises ConfigError for a factor that the corpus does not have, and for
    an interaction without all of its parts ("race:gender" without "gender"), whose coefficients would not
    be comparisons of groups (the principle of marginality: Nelder 1977, JRSS A 140: 48-77).
    """
    check_interactions(interactions)
    if isinstance(interactions, str) and interactions.strip() != ALL:
        wanted = _parse(interactions)
        _refuse_unknown(interactions, wanted, declared)
    else:
        highest = interactions if isinstance(interactions, int) else len(declared)
        orders = range(1, min(highest, len(declared)) + 1)
        wanted = {frozenset(chosen) for order in orders for chosen in combinations(declared, order)}
    _refuse_incomplete(interactions, wanted, declared)
    every = [c for order in range(1, len(declared) + 1) for c in combinations(declared, order)]
    return tuple(chosen for chosen in every if frozenset(chosen) in wanted)


def write_formula(terms: Sequence[tuple[str, ...]]) -> str:
    """Write terms as a formula, a full factorial as "prediction ~ race * gender"."""
    mains = [term[0] for term in terms if len(term) == 1]
    if len(terms) == 2 ** len(mains) - 1:
        return f"{_RESPONSE} ~ " + (" * ".join(mains) or "1")
    return f"{_RESPONSE} ~ " + " + ".join(":".join(term) for term in terms)


def _parse(formula: str) -> set[frozenset[str]]:
    """The sets of factors that a formula names, products expanded; an explicit intercept adds nothing."""
    response, tilde, right = formula.rpartition("~")
    if tilde and response.strip() != _RESPONSE:
        raise ConfigError(f"stats.interactions: {formula!r} explains {response.strip()!r}; only {_RESPONSE!r} is")
    found: set[frozenset[str]] = set()
    for part in right.split("+"):
        if part.strip() == "1":
            continue
        factors = [[name.strip() for name in product.split(":")] for product in part.split("*")]
        if not all(name and not set(name) & set("()^-|") for names in factors for name in names):
            raise ConfigError(f"stats.interactions: cannot read {part.strip()!r} in {formula!r}; {_GRAMMAR}")
        for size in range(1, len(factors) + 1):
            found |= {frozenset().union(*chosen) for chosen in combinations(factors, size)}
    return found


def _refuse_unknown(formula: Interactions, wanted: set[frozenset[str]], declared: Sequence[str]) -> None:
    for name in sorted(frozenset().union(*wanted)):
        if name not in declared:
            known = ", ".join(declared) or "none"
            raise ConfigError(
                f"stats.interactions: {formula!r} has {name!r}, which is no factor of the corpus (its factors: {known})"
            )


def _refuse_incomplete(formula: Interactions, wanted: set[frozenset[str]], declared: Sequence[str]) -> None:
    for term in sorted(wanted, key=sorted):
        for size in range(1, len(term)):
            for part in combinations([name for name in declared if name in term], size):
                if frozenset(part) not in wanted:
                    whole = ":".join(name for name in declared if name in term)
                    raise ConfigError(
                        f"stats.interactions: {formula!r} has {whole} without {':'.join(part)}; write "
                        f'"{whole.replace(":", " * ")}", which has all parts'
                    )
