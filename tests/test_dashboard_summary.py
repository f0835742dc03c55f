import json
from pathlib import Path

import pandas as pd
import pytest

from bias_lab.summary import collect
from bias_lab.summary.write import write_summary
from bias_lab.tracking import NoTracker, WandbTracker, track_summary
from bias_lab.tracking.summary_run import kind_of_error, summary_id, summary_metrics, summary_tables, without_reasons
from summary_cells import predictions, write_cell, write_failed
from wandb_reader import offline_runs, read_run

TWEET = "so angry at the bus again"
REASON = f"DataError: train.tsv, line 7: the score is {TWEET!r}, expected a number"


def scored(seed: int, *, eec: str = "made_up") -> pd.DataFrame:
    return predictions(seed=seed, eec=eec).assign(sentence=lambda table: table["person"] + " " + table["item"])


@pytest.fixture
def sweep(tmp_path) -> Path:
    """Two models, one of them with two seeds, and a cell that failed with a text of the task in its reason."""
    folder = tmp_path / "2030-01-31" / "12-00-00"
    data = [{"path": "train.tsv", "sha256": "0" * 64, "rows": 9}]
    write_cell(folder / "0", model="svm-a", pearson=0.5, identity="i0", table=scored(0), data=data)
    write_cell(folder / "1", model="svm-a", seed=1, pearson=0.75, identity="i1", table=scored(1), data=data)
    other = scored(2, eec="made-up-too")
    write_cell(folder / "2", model="mini", language="ar", pearson=None, identity="i2", table=other, data=data)
    write_failed(folder / "3", overrides=["model=broken", "task.emotion=joy"], error=REASON)
    return folder


class Spy:
    """A tracker that remembers the order of what it is told, and may break."""

    def __init__(self, *, breaks: bool = False) -> None:
        self.told, self.breaks = [], breaks

    def start(self, **how):
        self.told.append(("start", how))

    def log_results(self, metrics, tables, figures):
        if self.breaks:
            raise RuntimeError("the disk is full")
        self.told.append(("results", {"metrics": metrics, "tables": tables, "figures": figures}))

    def log_files(self, name, files):
        self.told.append(("files", {"name": name, "files": {k: path.read_text() for k, path in files.items()}}))

    def finish(self, *, succeeded):
        self.told.append(("finish", succeeded))


class TestContent:
    def test_pearson_is_the_mean_over_seeds_and_left_out_where_undefined(self, sweep):
        metrics = summary_metrics(collect([sweep]))
        assert {name: value for name, value in metrics.items() if name.startswith("pearson/")} == {
            "pearson/svm_a/en/anger": 0.625,
            "pearson/svm_a/en/average": 0.625,
        }

    def test_effects_stand_under_corpus_and_term_by_model_and_emotion(self, sweep):
        summary = collect([sweep])
        metrics = summary_metrics(summary)
        coefficients = summary.coefficients.set_index(["model", "subset", "coding", "term"])
        row = coefficients.loc["mini", "names", "treatment", "gender[female]"]
        for value in ("effect_response", "p_name", "q"):
            assert metrics[f"bias/made_up_too/gender_female/mini/anger/{value}"] == row[value]
        assert not [name for name in metrics if "Intercept" in name or "deviation" in name]

    def test_counts_of_cells_and_findings(self, sweep):
        metrics = summary_metrics(collect([sweep]))
        assert (metrics["cells/finished"], metrics["cells/failed"], metrics["cells/missing"]) == (3, 1, 0)
        assert metrics["findings/made_up/tests"] == 4  # three terms for names, one for noun phrases

    def test_tables_hold_pearson_coefficients_findings_and_failed_cells(self, sweep):
        tables = summary_tables(without_reasons(collect([sweep])))
        assert list(tables) == ["summary_pearson", "summary_coefficients", "summary_findings", "summary_failed"]
        pearson = tables["summary_pearson"].set_index(["model", "emotion"])
        assert pearson.loc[("svm-a", "anger"), ["mean", "n_seeds"]].tolist() == [0.625, 2]
        assert tables["summary_failed"].to_dict("records") == [
            {
                "status": "failed",
                "label": "broken-?-joy-s?",
                "line": "model=broken task.emotion=joy",
                "reason": "DataError",
                "folder": "3",
            }
        ]

    @pytest.mark.parametrize(
        ("reason", "kind"),
        [
            (REASON, "DataError"),
            ("hydra.errors.MissingConfigException: In 'config'", "hydra.errors.MissingConfigException"),
            ("interrupted", "interrupted"),
            (f"{TWEET}: what?", "the reason is in the cell's log"),
        ],
    )
    def test_of_a_reason_the_kind_is_sent(self, reason, kind):
        assert kind_of_error(reason) == kind

    def test_a_missing_reason_stays_missing(self):
        assert pd.isna(kind_of_error(float("nan")))


class TestIdentity:
    def test_it_does_not_depend_on_folder_and_order(self, sweep, tmp_path):
        first = summary_id(collect([sweep]))
        assert len(first) == 16
        renamed = sweep.rename(tmp_path / "moved")
        for folder in sorted(renamed.iterdir()):
            folder.rename(renamed / f"x{9 - int(folder.name)}")
        assert summary_id(collect([renamed])) == first

    def test_other_cells_give_another_one(self, sweep):
        first = summary_id(collect([sweep]))
        write_cell(sweep / "4", model="svm-a", seed=2, identity="i4", table=scored(3))
        assert summary_id(collect([sweep])) != first

    def test_a_cell_that_is_run_again_gives_the_same(self, sweep):
        first = summary_id(collect([sweep]))
        again = {"identity": "i0", "ended": "2030-01-02T00:00:00+00:00"}
        write_cell(sweep / "4", model="svm-a", table=scored(0), **again)
        assert summary_id(collect([sweep])) == first


class TestTracking:
    def test_nothing_is_done_where_nothing_is_tracked(self):
        track_summary(NoTracker(), None, Path("nowhere"), group="g")

    def test_it_is_a_run_of_the_group_that_is_closed(self, sweep):
        summary = collect([sweep])
        folder = write_summary(summary, sweep / "summary")
        (folder / "paper.tex").write_text("by hand")
        spy = Spy()
        track_summary(spy, summary, folder, group="g")
        (_, start), (_, results), (_, files), (_, succeeded) = spy.told
        assert {key: start[key] for key in ("run_id", "name", "group", "folder", "job_type")} == {
            "run_id": summary_id(summary),
            "name": "summary-g",
            "group": "g",
            "folder": sweep,
            "job_type": "summary",
        }
        assert start["config"]["models"] == ["mini", "svm-a"]
        assert start["config"]["seeds"] == [0, 1]
        assert json.loads(json.dumps(start["config"])) == start["config"]
        assert results["figures"] == []
        assert "tables/pearson.tex" in files["files"]
        assert "tables.tex" in files["files"]
        assert "paper.tex" not in files["files"]
        assert succeeded is True

    def test_a_run_that_could_not_be_filled_is_closed_as_failed(self, sweep):
        summary, spy = collect([sweep]), Spy(breaks=True)
        with pytest.raises(RuntimeError, match="the disk is full"):
            track_summary(spy, summary, sweep / "summary", group="g")
        assert [name for name, _ in spy.told] == ["start", "finish"]
        assert spy.told[-1] == ("finish", False)

    @pytest.mark.slow
    @pytest.mark.filterwarnings("ignore::DeprecationWarning:wandb.*")
    def test_the_offline_run_holds_it_and_no_text_of_the_task(self, sweep, monkeypatch, tmp_path):
        from bias_lab.report.page import write_report

        monkeypatch.setenv("WANDB_MODE", "offline")
        monkeypatch.setenv("WANDB_DATA_DIR", str(tmp_path / "data"))
        summary = collect([sweep])
        folder = write_summary(summary, sweep / "summary", pages=[lambda s, out: write_report(s, out, title="t")])
        assert TWEET in (folder / "report.html").read_text(encoding="utf-8")
        track_summary(WandbTracker(project="proj"), summary, folder, group="2030-01-31_12-00-00")
        found = read_run(*offline_runs(sweep))
        assert {key: found[key] for key in ("id", "name", "group", "job_type", "tags", "project", "exit_code")} == {
            "id": summary_id(summary),
            "name": "summary-2030-01-31_12-00-00",
            "group": "2030-01-31_12-00-00",
            "job_type": "summary",
            "tags": ["summary"],
            "project": "proj",
            "exit_code": 0,
        }
        assert found["summary"]["pearson/svm_a/en/anger"] == 0.625
        logged = {key.rpartition(".")[0] for row in found["history"] for key in row}
        for name in ("summary_pearson", "summary_coefficients", "summary_findings", "summary_failed"):
            assert f"tables/{name}" in logged
        assert b"report.html" in found["bytes"]
        assert b"tables/pearson.tex" in found["bytes"]
        sent = [*(sweep / "wandb").rglob("*"), *(tmp_path / "data").rglob("*")]
        content = [path.read_bytes() for path in sent if path.is_file()]
        assert any(b"<title>Sweep 2030-01-31_12-00-00" in part for part in content)
        assert not any(TWEET.encode() in part for part in content)
