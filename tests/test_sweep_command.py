import pytest
import yaml

from bias_lab.cli import hydra_arguments
from bias_lab.errors import ConfigError


@pytest.fixture
def folder(tmp_path):
    """A sweep's folder that knows its command."""
    overrides = {"task": ["model=svm_tfidf", "seed=0,1"], "hydra": ["hydra.mode=MULTIRUN", "hydra/launcher=joblib"]}
    (tmp_path / "multirun.yaml").write_text(yaml.safe_dump({"hydra": {"overrides": overrides}}), encoding="utf-8")
    return tmp_path


def test_a_given_command_goes_on_in_the_folder(folder):
    given = ["seed=0,1,2", f"resume={folder}", "-m"]
    assert hydra_arguments(given) == ["-m", "seed=0,1,2", f"hydra.sweep.dir='{folder}'"]


def test_no_command_repeats_the_sweeps_own(folder):
    assert hydra_arguments([f"resume={folder}"]) == [
        "-m",
        "model=svm_tfidf",
        "seed=0,1",
        "hydra/launcher=joblib",
        f"hydra.sweep.dir='{folder}'",
    ]


def test_options_of_hydras_alone_go_on_top(folder):
    assert hydra_arguments([f"resume={folder}", "hydra/launcher=basic"]) == [
        "-m",
        "model=svm_tfidf",
        "seed=0,1",
        "hydra/launcher=basic",
        f"hydra.sweep.dir='{folder}'",
    ]


def test_the_folder_of_the_users_own_settings_is_repeated(folder):
    content = yaml.safe_load((folder / "multirun.yaml").read_text(encoding="utf-8"))
    content["hydra"]["runtime"] = {
        "config_sources": [
            {"path": "/here/conf", "schema": "file", "provider": "main"},
            {"path": "/mine/conf", "schema": "file", "provider": "command-line"},
        ]
    }
    (folder / "multirun.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    assert hydra_arguments([f"resume={folder}"])[:3] == ["--config-dir", "/mine/conf", "-m"]
    assert hydra_arguments([f"resume={folder}", "-cd", "/other"])[:3] == ["-cd", "/other", "-m"]
    assert "--config-dir" not in hydra_arguments([f"resume={folder}", "seed=1"])


def test_a_run_is_not_a_sweep(tmp_path):
    (tmp_path / "manifest.json").touch()
    with pytest.raises(ConfigError, match=r": this is one run, not a sweep; give the folder that holds the cells$"):
        hydra_arguments([f"resume={tmp_path}"])


def test_a_sweep_that_does_not_know_its_command_asks_for_it(tmp_path):
    (tmp_path / "0").mkdir()
    (tmp_path / "0" / "manifest.json").touch()
    with pytest.raises(ConfigError, match=r"does not tell the sweep's command; give it again, with resume=FOLDER$"):
        hydra_arguments([f"resume={tmp_path}"])
    assert "seed=1" in hydra_arguments([f"resume={tmp_path}", "seed=1"])
