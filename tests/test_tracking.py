import socket
from pathlib import Path

import pandas as pd
import pytest

from bias_lab.errors import ConfigError
from bias_lab.tracking import WandbTracker, choose_mode
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


def test_nothing_but_the_tracking_module_imports_wandb():
    sources = Path(__file__).resolve().parents[1] / "src" / "bias_lab"
    users = [path.name for path in sources.rglob("*.py") if "import wandb" in path.read_text(encoding="utf-8")]
    assert users == ["tracking.py"]
