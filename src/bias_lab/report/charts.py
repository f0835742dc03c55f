"""The charts as Vega-Lite specifications, built with Altair: the page draws them, and `bias_lab.figures` prints them.

Each reads a data set named `rows` and knows no colours of its own: those come with the theme. A row's key is its group,
a separator and its label. The first row of a group is its heading: it has no label, and the group's name as `heading`.
"""

from collections.abc import Sequence
from typing import Any

import altair as alt

from bias_lab.report.effects import KINDS

ROWS, SENTENCES = "rows", "sentences"
SEPARATOR = "\x1f"
SHAPES = ["circle", "square", "diamond", "triangle-up", "cross"]  # of KINDS: colour alone must not tell them apart
SIZES = [80, 70, 60, 35, 30]
KIND_TITLES = {
    "finding": "holds after adjustment (q)",
    "bounded": "no larger than the smallest effect of interest",
    "paper_only": "inconclusive, only the published test claims it",
    "inconclusive": "inconclusive",
    "no_test": "no test",
}
STEP, NAME_STEP, HEAT_STEP = 19, 16, 24
_EFFECT = "effect (difference of mean score)"
_SIGNED_LABEL = "datum.value == 0 ? '0' : format(datum.value, '+.2~f')"


def forest(*, width: int | str = "container", legend: Sequence[str] = ()) -> dict[str, Any]:
    """Effects with intervals, one row each.

    Rows have key, effect, low, high, low_iid, high_iid, kind, note (shown instead of an estimate) and tip (what the
    pointer shows). Parameters: `least` and `most`, the ends of the axis; `paper`, whether to draw the i.i.d. intervals.
    legend: the kinds of claim to explain.
    """
    base = alt.Chart(alt.NamedData(name=ROWS)).encode(y=_key_axis())
    kinds = list(KINDS)
    colour = alt.Color("kind:N", scale=alt.Scale(domain=kinds), legend=_kind_legend(legend))
    shape = alt.Shape("kind:N", scale=alt.Scale(domain=kinds, range=SHAPES), legend=_kind_legend(legend))
    size = alt.Size("kind:O", scale=alt.Scale(domain=kinds, range=SIZES), legend=None)
    ends = alt.Scale(domain=[alt.ExprRef("least"), alt.ExprRef("most")], nice=False, zero=False)
    effect = alt.X("effect:Q", title=_EFFECT, scale=ends, axis=alt.Axis(labelExpr=_SIGNED_LABEL, tickCount=4))
    known = base.transform_filter("isValid(datum.effect)")
    iid: dict[str, Any] = {
        "yOffset": 5,
        "strokeWidth": 2.5,
        "color": alt.ExprRef("accent"),
        "opacity": alt.ExprRef("paper ? 1 : 0"),
    }
    layers = [
        _headings(base),
        alt.Chart(alt.NamedData(name=ROWS)).mark_rule(color=alt.ExprRef("soft")).encode(x=alt.datum(0)),
        base.mark_text(align="left", dx=5, color=alt.ExprRef("soft")).encode(x=alt.datum(0), text="note:N"),
        known.mark_rule(clip=True, **iid).encode(x=alt.X("low_iid:Q"), x2="high_iid:Q"),
        known.mark_rule(clip=True, strokeWidth=2).encode(x=alt.X("low:Q"), x2="high:Q", color=colour),
        known.mark_point(filled=True, opacity=1).encode(
            x=effect, color=colour, shape=shape, size=size, tooltip="tip:N"
        ),
    ]
    values = {"least": -0.1, "most": 0.1, "paper": False}
    params = [alt.param(name=name, value=value) for name, value in values.items()]
    return _plain(alt.layer(*layers).properties(width=width, height=alt.Step(STEP)).add_params(*params))


def heat_map(*, width: int | str = "container") -> dict[str, Any]:
    """Effects by corpus and emotion (rows) and model (columns).

    Rows have key, model, effect, shown (the text in the cell) and tip. Parameter: `most`, the end of the colours.
    """
    base = alt.Chart(alt.NamedData(name=ROWS)).encode(y=_key_axis())
    model = alt.X(
        "model:N", title=None, axis=alt.Axis(orient="top", labelAngle=-35, labelLimit=110, domain=False, ticks=False)
    )
    scale = alt.Scale(domain=[alt.ExprRef("-most"), alt.ExprRef("most")], domainMid=0, clamp=True, interpolate="rgb")
    legend = alt.Legend(title=_EFFECT, orient="bottom", labelExpr=_SIGNED_LABEL, titleLimit=300)
    on_cell = "scale('color', datum.effect)"
    strong = f"isValid(datum.effect) && contrast(ink_strong, {on_cell}) > contrast(ink, {on_cell})"
    cells = (
        base.transform_filter("isValid(datum.effect)")
        .mark_rect()
        .encode(x=model, color=alt.Color("effect:Q", scale=scale, legend=legend), tooltip="tip:N")
    )
    text = (
        base.transform_filter("isValid(datum.model)")
        .mark_text()
        .encode(
            x=model,
            text="shown:N",
            color=alt.condition(strong, alt.value(alt.ExprRef("ink_strong")), alt.value(alt.ExprRef("ink"))),
        )
    )
    chart = alt.layer(_headings(base), cells, text).properties(width=width, height=alt.Step(HEAT_STEP))
    return _plain(chart.add_params(alt.param(name="most", value=0.1)))


def names(*, width: int | str = "container") -> dict[str, Any]:
    """Scores by name within groups: a tick a sentence, a dot for the name's mean, a line for the group's.

    Rows have key, mean, group_mean and tip; the data set `sentences` has key, score and tip.
    """
    base = alt.Chart(alt.NamedData(name=ROWS)).encode(y=_key_axis())
    score = alt.X(
        "mean:Q", title="score", scale=alt.Scale(zero=False, nice=True), axis=alt.Axis(format=".2~f", tickCount=6)
    )
    known = base.transform_filter("isValid(datum.mean)")
    ticks = alt.Chart(alt.NamedData(name=SENTENCES)).mark_tick(thickness=2, opacity=0.35, color=alt.ExprRef("soft"))
    group = known.mark_tick(thickness=2.5, size=NAME_STEP, opacity=1, color=alt.ExprRef("accent"))
    name = known.mark_point(filled=True, opacity=1, size=60, color=alt.ExprRef("main"))
    layers = [
        _headings(base),
        group.encode(x=alt.X("group_mean:Q")),
        ticks.encode(y=_key_axis(), x=alt.X("score:Q"), tooltip="tip:N"),
        name.encode(x=score, tooltip="tip:N"),
    ]
    return _plain(alt.layer(*layers).properties(width=width, height=alt.Step(NAME_STEP)))


def _key_axis() -> alt.Y:
    """Rows in the order of the data; a heading has no label."""
    label = f"split(datum.value, '{SEPARATOR}')[1]"
    axis = alt.Axis(labelExpr=label, ticks=False, domain=False, labelOverlap=False)
    return alt.Y("key:N", sort=None, title=None, axis=axis)


def _headings(base: alt.Chart) -> alt.Chart:
    """The groups' names; as it draws every row, it also sets the order of all rows."""
    # Wider than the chart, a heading would push the chart itself together.
    mark = base.mark_text(align="left", fontWeight="bold", color=alt.ExprRef("ink"), limit=alt.ExprRef("width"))
    return mark.encode(x=alt.value(0), text="heading:N")


def _kind_legend(kinds: Sequence[str]) -> alt.Legend | None:
    if not kinds:
        return None
    words = " : ".join(f"datum.value == '{kind}' ? '{title}'" for kind, title in KIND_TITLES.items())
    return alt.Legend(
        title=None, orient="bottom", columns=2, values=list(kinds), labelExpr=f"{words} : datum.value", labelLimit=400
    )


def _plain(chart: Any) -> dict[str, Any]:
    """The specification without a theme, so that each reader of it chooses one."""
    with alt.theme.enable("none"):
        return chart.to_dict()
