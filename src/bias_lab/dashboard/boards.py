"""A workspace, or a report, as wandb-workspaces builds it; nothing is sent."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bias_lab.dashboard.effects import Effect
from bias_lab.dashboard.library import load_library
from bias_lab.dashboard.panels import MOST_BARS, Panels
from bias_lab.tracking.names import CELL, EMOTION, LANGUAGE, MODEL, SUMMARY, TEST_PEARSON

READING = (
    "A bar of an effect is a difference of mean score between two groups of people that differ in one respect (a "
    "difference of such differences for a product of terms), averaged over seeds. Its line is the spread between "
    "seeds, not the uncertainty of the effect. Whether an effect is more than chance is told by p_name and q in the "
    "tables, which take names as the units."
)


@dataclass(frozen=True)
class Board:
    """Where a dashboard goes and what it compares. group: of a sweep's runs; None for all runs of the project.

    entity: None for the user's own.
    """

    project: str
    entity: str | None
    group: str | None
    name: str
    effects: tuple[Effect, ...]

    @property
    def corpora(self) -> dict[str, list[Effect]]:
        """The effects by corpus."""
        found: dict[str, list[Effect]] = {}
        for effect in self.effects:
            found.setdefault(effect.eec, []).append(effect)
        return found


def workspace(board: Board) -> Any:
    """A workspace; its sections: how to read it, agreement, the sweep's tables, each corpus, training, single runs."""
    workspaces, reports, expr = load_library()
    panels = Panels(reports)

    def section(title: str, content: Sequence[Any], *, columns: int = 3, rows: int = 2, is_open: bool = True) -> Any:
        layout = workspaces.SectionLayoutSettings(columns=columns, rows=rows)
        return workspaces.Section(name=title, panels=list(content), is_open=is_open, layout_settings=layout)

    sections = [
        section("How to read the effects", panels.words(READING), columns=1, rows=1),
        section("Agreement with gold scores", panels.pearson(), columns=2),
        section("Sweep summary", panels.summary_tables(), columns=1),
        *(section(_title(shown), panels.effects(shown), columns=2) for shown in board.corpora.values()),
        section("Training", panels.curves(), rows=1),
        section("Single runs", panels.cell_details(), columns=1, is_open=False),
    ]
    columns = [f"summary:{TEST_PEARSON}", *(f"config:{key}.value" for key in (MODEL, LANGUAGE, EMOTION))]
    return workspaces.Workspace(
        entity=board.entity or "",
        project=board.project,
        name=board.name,
        sections=sections,
        settings=workspaces.WorkspaceSettings(max_runs=MOST_BARS),
        runset_settings=workspaces.RunsetSettings(
            filters=_filters(expr, board) or "",
            order=[expr.Ordering(expr.Metric("Name"), ascending=True)],
            pinned_columns=columns,
        ),
    )


def report(board: Board, *, with_project: bool = True) -> Any:
    """A report with the same panels, each language with its own runs, and words on how to read them.

    with_project: name the project in each set of runs, for which the server is asked for the project's number.
    """
    _, reports, _ = load_library()
    return reports.Report(
        entity=board.entity or "",
        project=board.project,
        title=board.name,
        description="Does the score depend on who a sentence is about? Runs of bias_lab.",
        blocks=list(_blocks(board, with_project=with_project)),
        width="fluid",
    )


def _blocks(board: Board, *, with_project: bool) -> Iterator[Any]:
    _, reports, expr = load_library()
    panels = Panels(reports)

    def grid(name: str, content: Sequence[Any], **chosen: str) -> Any:
        place = {"entity": board.entity, "project": board.project} if with_project else {}
        order = [reports.OrderBy("Name", ascending=True)]
        runs = reports.Runset(name=name, filters=_filters(expr, board, **chosen) or "", order=order, **place)
        return reports.PanelGrid(runsets=[runs], panels=list(content))

    yield reports.H1("Agreement with gold scores")
    yield grid("all cells", panels.pearson(), job_type=CELL)
    yield reports.H1("Effects by corpus and term")
    yield reports.P(READING)
    for shown in board.corpora.values():
        yield reports.H2(_title(shown))
        yield grid(shown[0].eec, panels.effects(shown), job_type=CELL, language=shown[0].language)
    yield reports.H1("Tables over all cells")
    yield grid("summaries of sweeps", panels.summary_tables(), job_type=SUMMARY)
    yield reports.H1("Training")
    yield grid("all cells", panels.curves(), job_type=CELL)
    yield reports.H1("Single runs")
    yield grid("all cells", panels.cell_details(), job_type=CELL)


def _filters(expr: Any, board: Board, *, job_type: str | None = None, language: str | None = None) -> Any:
    asked = [
        expr.Metric("Group") == board.group if board.group else None,
        expr.Metric("JobType") == job_type if job_type else None,
        expr.Config(LANGUAGE) == language if language else None,
    ]
    given = [one for one in asked if one is not None]
    return expr.And(*given) if given else None


def _title(shown: Sequence[Effect]) -> str:
    return f"Effects: {shown[0].eec} ({shown[0].language})"
