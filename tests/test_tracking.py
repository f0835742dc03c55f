import re
import socket
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bias_lab.errors import ConfigError
from bias_lab.tracking import WandbTracker, bias_metrics, choose_mode
from bias_lab.tracking.names import describe_cell, term_part
from wandb_reader import offline_runs, read_run


@pytest.fixture
def no_wandb_environment(monkeypatch, tmp_path):
    for name in ("WANDB_MODE", "WANDB_API_KEY", "WANDB_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(tmp_path / "none"))


@pytest.mark.usefixtures("no_wandb_environment")
class TestMode:
    def test_without_a_key_it_is_offline_without_asking(self):
        assert choose_mode("auto") == "offline"

    def test_with_a_key_and_no_network_it_is_offline_within_seconds(self, monkeypatch):
        monkeypatch.setenv("WANDB_API_KEY", "k" * 40)
        monkeypatch.setenv("WANDB_BASE_URL", "http://127.0.0.1:9")
        assert choose_mode("auto") == "offline"

    def test_with_a_key_and_a_server_it_is_online(self, monkeypatch):
        with socket.create_server(("127.0.0.1", 0)) as server:
            monkeypatch.setenv("WANDB_API_KEY", "k" * 40)
            monkeypatch.setenv("WANDB_BASE_URL", f"http://127.0.0.1:{server.getsockname()[1]}")
            assert choose_mode("auto") == "online"

    def test_what_is_asked_for_is_not_second_guessed_but_by_wandb_mode(self, monkeypatch):
        assert choose_mode("online") == "online"
        monkeypatch.setenv("WANDB_MODE", "offline")
        assert choose_mode("online") == "offline"


def test_an_unknown_mode_is_refused():
    with pytest.raises(ConfigError) as caught:
        WandbTracker(mode="on")
    assert str(caught.value) == "tracking.mode=on: choose one of auto, online, offline (or tracking=off)"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning:wandb.*")
def test_an_offline_run_holds_what_was_logged_and_how_it_ended(tmp_path, monkeypatch):
    monkeypatch.setenv("WANDB_MODE", "offline")
    for number, succeeded in enumerate((True, False)):
        tracker = WandbTracker(project="proj", tags=["t"])
        tracker.start(run_id=f"id{number}", name=f"n{number}", group="g", config={"a": {"b": 1}}, folder=tmp_path)
        tracker.log_history(pd.DataFrame({"epoch": [0, 1], "train/loss": [0.5, 0.25]}))
        table = pd.DataFrame({"term": ["race"], "coefficient": [0.5]})
        tracker.log_results({"test/pearson": 0.6, "bias/x/race/p": 0.04}, {"coefficients": table}, [])
        tracker.finish(succeeded=succeeded)
    first, second = (read_run(path) for path in offline_runs(tmp_path))
    assert (first["id"], first["name"], first["group"], first["job_type"]) == ("id0", "n0", "g", "cell")
    assert (first["project"], first["tags"], first["config"]["a"]) == ("proj", ["t"], {"b": 1})
    assert [row["train/loss"] for row in first["history"]] == [0.5, 0.25]
    assert (first["summary"]["test/pearson"], first["summary"]["bias/x/race/p"]) == (0.6, 0.04)
    assert (first["exit_code"], second["exit_code"]) == (0, 1)
    assert any(key.startswith("tables/coefficients") for row in first["history"] for key in row)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning:wandb.*")
def test_a_cell_can_be_found_by_its_model_language_and_emotion(tmp_path, monkeypatch):
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_TAGS", "paper, mine")
    tracker = WandbTracker(tags=["mine", "x" * 80])
    config = {"seed": 3, "task": {"lang": "ar", "emotion": "joy"}, "model": {"pooling": "cls"}}
    tracker.start(run_id="id", name="all-mini-LM-ar-joy-s3", group=None, config=config, folder=tmp_path)
    tracker.finish(succeeded=True)
    found = read_run(*offline_runs(tmp_path))
    assert set(found["tags"]) == {"all-mini-LM", "ar", "joy", "mine", "x" * 64, "paper"}  # W&B takes 64 characters
    assert {key: found["config"][key] for key in ("cell", "model_name", "language", "emotion", "seed")} == {
        "cell": "all-mini-LM-ar-joy",
        "model_name": "all-mini-LM",
        "language": "ar",
        "emotion": "joy",
        "seed": 3,
    }
    assert found["config"]["model"] == {"pooling": "cls"}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning:wandb.*")
def test_files_are_kept_with_the_run_and_large_ones_are_left_out_with_a_word(tmp_path, monkeypatch, caplog):
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setattr("bias_lab.tracking.wandb_tracker.LARGEST_FILE", 1_000_000)
    small, large = tmp_path / "small.html", tmp_path / "large.html"
    small.write_text("a")
    large.write_text("a" * 2_000_000)
    tracker = WandbTracker()
    tracker.start(run_id="id", name="n", group=None, config={}, folder=tmp_path)
    with caplog.at_level("INFO", logger="bias_lab"):
        tracker.log_files("summary of: it", {"page/small.html": small, "large.html": large})
    tracker.finish(succeeded=True)
    content = read_run(*offline_runs(tmp_path))["bytes"]
    assert b"page/small.html" in content
    assert b"summary_of__it" in content
    assert b"large.html" not in content
    assert f"{large} is not sent to W&B: 2 MB, at most 1" in caplog.messages


class TestNames:
    @pytest.mark.parametrize(
        ("term", "part"),
        [
            ("race[African-American]", "race_African_American"),
            ("race[Arab]:gender[female]", "race_Arab_x_gender_female"),
            ("age[60 +]", "age_60__"),
            ("race[عربي]", "race_عربي"),
            ("Intercept", "Intercept"),
        ],
    )
    def test_a_term_becomes_one_level_of_a_name(self, term, part):
        assert term_part(term) == part

    def test_other_persons_and_codings_than_the_papers_are_told_at_the_end(self):
        assert term_part("gender[female]", subset="noun_phrases") == "gender_female_noun_phrases"
        assert term_part("gender[female]", coding="deviation") == "gender_female_deviation"

    def test_coefficients_become_metrics_by_corpus_and_term_without_what_is_undefined(self):
        row = {"eec": "my-eec", "subset": "names", "coding": "treatment", "term": "race[A]", "status": "invariant"}
        row |= {"coefficient": 0.5, "p_iid": 0.25, "std_error_name": 0.1, "p_name": np.nan, "effect_response": 0.125}
        assert bias_metrics(pd.DataFrame([row])) == {
            "bias/my_eec/race_A/status": "invariant",
            "bias/my_eec/race_A/coefficient": 0.5,
            "bias/my_eec/race_A/p_iid": 0.25,
            "bias/my_eec/race_A/std_error_name": 0.1,
            "bias/my_eec/race_A/effect_response": 0.125,
        }
        assert bias_metrics(pd.DataFrame()) == {}

    def test_what_has_no_task_is_no_cell(self):
        assert describe_cell("n", {"a": 1}) == {}
        assert describe_cell("n", {"task": {"lang": "en"}}) == {}


def test_nothing_but_tracking_and_dashboards_imports_wandb():
    sources = Path(__file__).resolve().parents[1] / "src" / "bias_lab"
    importing = re.compile(r"^\s*(import|from) wandb|import_module\([\"']wandb", re.MULTILINE)
    users = {path.parent.name for path in sources.rglob("*.py") if importing.search(path.read_text(encoding="utf-8"))}
    assert users == {"tracking", "dashboard"}
