"""Whether every person stands in every item once, and every emotion has as many items."""

import math
from collections import Counter, defaultdict

from bias_lab.corpora.lint.finding import Finding, brief, in_rows, listed, told
from bias_lab.corpora.lint.subject import GRAMMATICAL, Cell, Row, Subject, cell_name
from bias_lab.data.task import EMOTIONS


def rows_per_person(subject: Subject) -> list[Finding]:
    """Find persons with fewer or more rows than most persons of their kind."""
    odd: list[Row] = []
    cases = []
    for kind in sorted({row.kind for row in subject.persons.values()}):
        counts = Counter(row.person for row in subject.rows if row.kind == kind)
        usual = Counter(counts.values()).most_common(1)[0][0]
        unlike = [person for person, count in counts.items() if count != usual]
        odd += [subject.persons[person] for person in unlike]
        if unlike:
            these = told([f"{person} has {counts[person]}" for person in unlike], limit=6)
            cases.append(f"{these}; the others {usual}")
    message = f"{'; '.join(cases)}; a person with more rows weighs more (EEC202, EEC203 say what is missing)"
    return [Finding("EEC201", len(odd), "persons", message, odd[0])] if odd else []


def missing_persons(subject: Subject) -> list[Finding]:
    """Find persons who are not in an item that others of their group are in."""
    missing = _missing(subject)
    if not missing or _derived(subject):
        return []
    message = f"missing: {_cases(missing)}; add these sentences, or take the item out for everybody"
    return [Finding("EEC202", len(missing), "sentences", message, missing[0][1])]


def missing_groups(subject: Subject) -> list[Finding]:
    """Find items that a whole group is not in; by gender, the emotion word's agreement is the likely reason."""
    if _derived(subject):
        return []
    everyone = {(row.kind, row.levels) for row in subject.persons.values()}
    grammatical = [at for at, factor in enumerate(subject.corpus.factors) if factor.name in GRAMMATICAL]
    by_gender: list[tuple[Row, set[Cell]]] = []
    by_group: list[tuple[Row, set[Cell]]] = []
    for cells in subject.items.values():
        if absent := everyone - cells.keys():
            here = {tuple(levels[at] for at in grammatical) for _, levels in cells}
            of_gender = bool(grammatical) and not any(
                tuple(levels[at] for at in grammatical) in here for _, levels in absent
            )
            (by_gender if of_gender else by_group).append((next(iter(cells.values()))[0], absent))
    return [
        *_without("EEC203", by_group, "groups are compared within items: write it for every group, or take it out"),
        *_without(
            "EEC204",
            by_gender,
            "where the emotion word agrees with the person, a column `concept` with one word for all genders makes it "
            "one item",
        ),
    ]


def unmatched_items(subject: Subject) -> list[Finding]:
    """Find persons missing from items where the items come from the sentences, so that another form makes another item.

    A CSV file without templates and items is read so; "I saw him" is then an item that "he" alone stands in.
    """
    missing = _missing(subject) if _derived(subject) else []
    if not missing:
        return []
    items = len({row.item for _, row in missing})
    message = (
        f"{items} of {len(subject.items)} items lack persons of a group they have: {_cases(missing)}; the file has "
        "neither templates nor items, so the sentence without the person was taken: a column `template` or `item` says "
        "which sentences belong together"
    )
    return [Finding("EEC208", len(missing), "sentences", message, missing[0][1])]


def _missing(subject: Subject) -> list[tuple[str, Row]]:
    """Return each person missing from an item, with a sentence that the item has of the person's group."""
    members: dict[Cell, list[str]] = defaultdict(list)
    for person, row in subject.persons.items():
        members[row.kind, row.levels].append(person)
    missing: list[tuple[str, Row]] = []
    for cells in subject.items.values():
        for cell, rows in cells.items():
            there = {row.person for row in rows}
            missing += [(person, rows[0]) for person in members[cell] if person not in there]
    return missing


def _cases(missing: list[tuple[str, Row]]) -> str:
    return told([f"{person} in {brief(row.item, 80)}" for person, row in missing])


def _derived(subject: Subject) -> bool:
    """Whether the items were made of the sentences, with <person> for the person."""
    return all(row.template == row.item for row in subject.rows) and any("<person>" in row.item for row in subject.rows)


def _without(code: str, items: list[tuple[Row, set[Cell]]], advice: str) -> list[Finding]:
    if not items:
        return []
    row, absent = items[0]
    groups = ", ".join(sorted(map(cell_name, absent)))
    return [Finding(code, len(items), "items", f"{brief(row.item, 80)} has nobody of: {groups}; {advice}", row)]


def repeated_persons(subject: Subject) -> list[Finding]:
    """Find persons who stand in an item with two different sentences."""
    first: dict[tuple[str, str], Row] = {}
    again = []
    for row in subject.rows:
        before = first.setdefault((row.item, row.person), row)
        if before is not row and before.sentence != row.sentence:
            again.append(row)
    where = told([f"{row.person} in {brief(row.item)}" for row in again])
    return in_rows("EEC205", again, f"a person has one sentence in an item: {where}; give them items of their own")


def items_per_emotion(subject: Subject) -> list[Finding]:
    """Find templates in which some emotion has fewer words than another."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    first: dict[tuple[str, str], Row] = {}
    for row in subject.rows:
        if row.emotion:
            counts[row.template][row.emotion] += 1
            first.setdefault((row.template, row.emotion), row)
    short = []
    for template, emotions in counts.items():
        # Words that agree with the person make items of one gender; per person the number is the same.
        words = {emotion: math.ceil(count / len(subject.persons)) for emotion, count in emotions.items()}
        most = max(words.values())
        short += [
            (first[template, emotion], f"{emotion} {count}, others {most} in {brief(template)}")
            for emotion, count in words.items()
            if count < most
        ]
    if not short:
        return []
    message = (
        f"words per emotion and template: {told([text for _, text in short])}; "
        "an average over emotions then weighs them unequally; a word may be missing or doubled"
    )
    return [Finding("EEC206", len(short), "gaps", message, short[0][0])]


def known_emotions(subject: Subject) -> list[Finding]:
    """Find emotions that no task is about: no model of theirs will score these sentences."""
    rows = [row for row in subject.rows if row.emotion and row.emotion not in EMOTIONS]
    emotions = Counter(row.emotion or "" for row in rows)
    message = f"{listed(emotions)}; the tasks are {', '.join(EMOTIONS)}: is it a typing mistake?"
    return in_rows("EEC207", rows, message)
