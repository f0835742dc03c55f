"""`python -m bias_lab.diagnose`: the tables are those of the statistics, and the figures show what they say."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bias_lab.diagnose import diagnose
from bias_lab.diagnose.__main__ import main
from bias_lab.diagnose.show import residual_line
from bias_lab.diagnostic_figures import fit_figure, influence_figure, name_figure
from bias_lab.run_folder import open_run
from bias_lab.stats import analyse, boundary_counts, leave_one_name_out, name_spread, precision_by_group
from run_folders import write_run
from stats_tables import FACTORS, corpus, with_noun_phrases

ARABIC = {"name 0.0": "مريم", "name 0.1": "فاطمة"}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    table = with_noun_phrases()
    table["person"] = table["person"].replace(ARABIC)
    table.loc[0, "prediction"], table.loc[1, "prediction"] = 1.0, -0.5
    return write_run(tmp_path / "run", table, stats={"level": 0.9, "interactions": 1})


def test_tables_are_the_statistics_with_the_runs_own_settings(run: Path) -> None:
    found, table = diagnose(open_run(run)), open_run(run).table("made_up")
    assert found.fits == [("made_up", "names"), ("made_up", "noun_phrases")]
    expected = leave_one_name_out(table, FACTORS, level=0.9, interactions=1)
    pd.testing.assert_frame_equal(found.influence, expected.reset_index(drop=True))
    pd.testing.assert_frame_equal(found.names, name_spread(table, FACTORS, interactions=1))
    groups, ends = (f(table, FACTORS, interactions=1) for f in (precision_by_group, boundary_counts))
    assert found.groups["group"].tolist() == ends["group"].tolist()
    pd.testing.assert_frame_equal(found.groups[groups.columns.tolist()], groups)
    assert found.groups[["below_0", "at_1"]].iloc[0].tolist() == [1, 1]
    assert len(found.residuals) == len(table)
    pd.testing.assert_frame_equal(found.effects, analyse(table, FACTORS, level=0.9, interactions=1, permutations=0))
    names = found.of("made_up", "names")
    assert set(names.influence["subset"]) == {"names"} and set(names.residuals["subset"]) == {"names"}


def test_the_command_writes_tables_and_figures(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(run)]) == 0
    out = run / "diagnostics"
    assert sorted(path.name for path in out.glob("*.csv")) == [
        "groups.csv",
        "influence.csv",
        "names.csv",
        "residuals.csv",
    ]
    stems = [
        f"made_up-{subset}-{kind}" for subset in ("names", "noun_phrases") for kind in ("fit", "influence", "names")
    ]
    assert sorted(path.name for path in (out / "figures").iterdir()) == sorted(
        f"{stem}{suffix}" for stem in stems for suffix in (".png", ".svg")
    )
    assert all(path.stat().st_size > 5000 for path in (out / "figures").iterdir())
    influence = pd.read_csv(out / "influence.csv")
    first = influence[(influence["coding"] == "treatment") & (influence["term"] == "gender[female]")].iloc[0]
    shown = capsys.readouterr().out
    line = next(line for line in shown.splitlines() if "gender[female]" in line)
    assert first["person"] in line and f"{first['effect_without']:+.3f}" in line
    assert "made_up, noun phrases: " in shown
    assert f"tables and figures: {out}" in shown


def test_the_figure_of_names_shows_each_name_as_written_in_its_group(run: Path) -> None:
    names = diagnose(open_run(run)).of("made_up", "names").names
    axes = name_figure(names, title="a run").axes[0]
    labels = [label.get_text() for label in axes.get_yticklabels()]
    # Matplotlib shapes Arabic itself: a label that had been reshaped or reversed would come out wrong.
    assert set(ARABIC.values()) <= set(labels)
    assert sorted(labels) == sorted(names["person"])
    points = {
        label: line.get_xdata()[0]
        for line in axes.lines
        if line.get_marker() == "o"
        for label, at in zip(labels, axes.get_yticks(), strict=True)
        if at == line.get_ydata()[0]
    }
    assert points == names.set_index("person")["mean_score"].to_dict()
    assert [text.get_text() for text in axes.texts] == list(dict.fromkeys(names["group"]))


def test_the_figure_of_influence_labels_the_largest_and_marks_the_deciding(run: Path) -> None:
    found = diagnose(open_run(run)).of("made_up", "names")
    influence = found.influence.assign(decides=lambda t: t["person"] == "مريم")
    axes = influence_figure(influence, found.effects, title="a run").axes[0]
    terms = [label.get_text() for label in axes.get_yticklabels()]
    assert terms == ["race[African-American]", "gender[female]"]
    told = influence[(influence["coding"] == "treatment") & influence["term"].isin(terms)]
    largest = [person for term in terms for person in told.loc[told["term"] == term, "person"].head(3)]
    assert [text.get_text() for text in axes.texts] == largest
    points = [line for line in axes.lines if line.get_marker() == "o"]
    assert [len(line.get_xdata()) for line in points] == [15, 1, 15, 1]
    deciding = told[told["decides"]]["effect_without"].tolist()
    assert [line.get_xdata()[0] for line in points[1::2]] == deciding
    band = [line for line in axes.lines if line.get_linewidth() == 7]
    expected = found.effects.query("coding == 'treatment' and term != 'Intercept'")
    ends = expected[["effect_ci_name_low", "effect_ci_name_high"]].to_numpy().tolist()
    assert [list(line.get_xdata()) for line in band] == ends


def test_the_figure_of_fit_has_sorted_residuals_and_every_group(run: Path) -> None:
    found = diagnose(open_run(run)).of("made_up", "noun_phrases")
    quantiles, by_group, precision = fit_figure(found.residuals, found.groups, title="a run").axes
    points = quantiles.lines[1]
    np.testing.assert_allclose(points.get_ydata(), np.sort(found.residuals["residual"]))
    assert points.get_xdata()[0] == pytest.approx(-points.get_xdata()[-1])
    for axes in (by_group, precision):
        assert [label.get_text() for label in axes.get_yticklabels()] == ["male", "female"]
    assert [tuple(line.get_xdata()) for line in precision.lines[::2]] == [
        tuple(row) for row in found.groups[["phi_low", "phi_high"]].to_numpy()
    ]


def test_without_a_fit_tables_and_figures_say_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, table, status in (
        ("flat", corpus().assign(prediction=0.5), "degenerate"),
        ("alone", corpus(persons=1), "too_few_persons"),
    ):
        run = write_run(tmp_path / name, table)
        assert main([str(run)]) == 0
        assert status in capsys.readouterr().out
        found = diagnose(open_run(run))
        axes = influence_figure(found.influence, found.effects, title="a run").axes[0]
        assert [text.get_text().strip() for text in axes.texts] == [status] * 3
    assert residual_line(diagnose(open_run(tmp_path / "flat")).residuals) == "none (degenerate)"


def test_tails_of_the_residuals_by_hand() -> None:
    residuals = pd.DataFrame({"residual": [0.0, 2.5, -2.5, 3.5, np.nan], "status": "ok"})
    assert residual_line(residuals) == "75.0 % beyond ±2 (normal: 4.6 %), 25.0 % beyond ±3 (normal: 0.3 %)"


def test_another_analysis_is_said_to_be_replaced(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    run = write_run(tmp_path / "run", corpus(), stats={"_target_": "mine.Regression", "depth": 3})
    diagnose(open_run(run))
    assert caplog.messages == [
        f"{run} was analysed by mine.Regression; here its scores meet the default Beta regression"
    ]


def test_mistakes_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = write_run(tmp_path / "a", corpus(), stats={"levl": 0.9})
    assert main([str(run)]) == 1
    assert "config.yaml: stats: " in capsys.readouterr().err
    run = write_run(tmp_path / "b", corpus())
    (run / "predictions" / "made_up.parquet").write_bytes(b"cut")
    assert main([str(run)]) == 1
    assert capsys.readouterr().err.startswith(f"error: {run}/predictions/made_up.parquet: cannot be read (")
    run = write_run(tmp_path / "c", corpus(), corpora=[])
    assert main([str(run)]) == 1
    assert capsys.readouterr().err == f"error: {run}: it scored no corpus, so there is nothing to diagnose\n"
    (run / "manifest.json").write_text("[]")
    assert main([str(run)]) == 1
    assert capsys.readouterr().err == f"error: {run}/manifest.json: must hold a mapping, but holds list\n"
    with pytest.raises(SystemExit) as stop:
        main([])
    assert stop.value.code == 2
