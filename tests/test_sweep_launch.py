"""How cells survive launchers that give up, with launchers that die in known ways."""

import json

import pytest
from hydra.core.utils import JobReturn, JobStatus

from bias_lab.errors import ConfigError, DataError
from bias_lab.manifest import Manifest
from bias_lab.sweep.launch import CellLauncher, quoted
from bias_lab.sweep.plan import PlannedCell


class Launcher:
    """Base of launchers that run cells named ok, raise_early, die, quiet; notes the groups it was given."""

    def __init__(self, sweep):
        self.sweep = sweep
        self.groups = []

    def names(self, lines):
        self.groups.append([line[0].removeprefix("cell=") for line in lines])
        return self.groups[-1]

    def job(self, name):
        if "early" in name:
            raise OSError("no folder for the job")
        manifest = Manifest.start(self.sweep / name, overrides=[f"cell={name}"])
        if "quiet" in name:
            return JobReturn(status=JobStatus.FAILED, _return_value=ValueError("told to nobody"))
        if "die" not in name:
            manifest.end("finished")
        return JobReturn(status=JobStatus.COMPLETED, _return_value="label")


class BasicLauncher(Launcher):
    """One after the other, in this process."""

    def launch(self, lines, initial_job_idx):
        return [self.job(name) for name in self.names(lines)]


class JoblibLauncher(Launcher):
    """All in flight at once; when one dies all are lost."""

    def launch(self, lines, initial_job_idx):
        names = self.names(lines)
        if any("die" in name for name in names):
            for name in names:
                Manifest.start(self.sweep / name, overrides=[f"cell={name}"])
            raise RuntimeError("a worker was terminated\n\nmuch advice\n\nThe exit codes are {3}")
        return [self.job(name) for name in names]


class RayLauncher(Launcher):
    """A cluster that is not there."""

    def launch(self, lines, initial_job_idx):
        self.names(lines)
        raise ConnectionError("no cluster")


def run(kind, sweep, *names):
    launcher = kind(sweep)
    cells = [PlannedCell((f"cell={name}",), label=name, model="m", name=name, folder=sweep / name) for name in names]
    cell_launcher = CellLauncher(launcher, sweep=sweep, command="c")
    cell_launcher.run(cells)
    contents = [json.loads((sweep / name / "manifest.json").read_text(encoding="utf-8")) for name in names]
    return launcher.groups, {
        name: (told["status"], told.get("error")) for name, told in zip(names, contents, strict=True)
    }


def test_a_job_that_raises_outside_itself_is_failed_and_the_rest_launched_again(tmp_path):
    groups, ended = run(BasicLauncher, tmp_path, "ok1", "early", "ok2")
    assert groups == [["ok1", "early", "ok2"], ["ok2"]]
    assert ended == {
        "ok1": ("finished", None),
        "early": ("failed", "OSError: no folder for the job"),
        "ok2": ("finished", None),
    }
    assert "OSError" in (tmp_path / "early" / "bias_lab.log").read_text(encoding="utf-8")


def test_of_a_pool_that_died_the_culprit_is_found_by_halves_and_the_others_finish(tmp_path):
    names = ("a", "b", "c", "d", "die", "f", "g", "h")
    groups, ended = run(JoblibLauncher, tmp_path, *names)
    assert groups == [
        list(names),
        ["a", "b", "c", "d"],
        ["die", "f", "g", "h"],
        ["die", "f"],
        ["die"],
        ["f"],
        ["g", "h"],
    ]
    assert ended.pop("die") == ("failed", "RuntimeError: a worker was terminated The exit codes are {3}")
    assert set(ended.values()) == {("finished", None)}


def test_every_pool_that_dies_is_survived(tmp_path):
    _, ended = run(JoblibLauncher, tmp_path, "die1", "a", "die2", "die3")
    assert {name: status for name, (status, _) in ended.items()} == {
        "die1": "failed",
        "a": "finished",
        "die2": "failed",
        "die3": "failed",
    }


def test_a_job_that_ends_without_a_status_has_failed(tmp_path):
    _, ended = run(BasicLauncher, tmp_path, "ok", "quiet")
    assert ended["quiet"] == ("failed", "ValueError: told to nobody")


def test_a_cluster_that_takes_no_job_is_one_error(tmp_path):
    with pytest.raises(ConfigError, match=r"^the launcher started no cell: ConnectionError: no cluster$"):
        run(RayLauncher, tmp_path, "a", "b")


def test_a_status_that_the_disk_does_not_take_is_told(tmp_path):
    launcher = CellLauncher(BasicLauncher(tmp_path), sweep=tmp_path, command="c")
    (tmp_path / "file").touch()
    cell = PlannedCell(("seed=1",), label="l", model="m", name="x", folder=tmp_path / "file" / "x")
    launcher.record(cell, "it broke")
    with pytest.raises(
        DataError, match=r"^1 cells failed, and .* does not take their status:\nfailed: seed=1\n  it brok"
    ):
        launcher.check_recorded()


@pytest.mark.parametrize("value", ["a b", "it's", "x=1,y=2", "${now:%Y}", "C:\\runs", "[1]"])
def test_a_quoted_value_survives_hydras_grammar(value):
    from hydra.core.override_parser.overrides_parser import OverridesParser

    (override,) = OverridesParser.create().parse_overrides([f"hydra.sweep.subdir={quoted(value)}"])
    assert override.value() == value
    assert not override.is_sweep_override()


def test_a_launcher_that_is_not_installed_says_what_to_install(tmp_path, monkeypatch, capsys):
    import importlib.util
    import sys

    from hydra.core.global_hydra import GlobalHydra

    from bias_lab import cli

    if importlib.util.find_spec("hydra_plugins.hydra_ray_launcher"):
        pytest.skip("Hydra's Ray launcher is installed here")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HYDRA_FULL_ERROR", "0")
    monkeypatch.setattr(
        sys, "argv", ["bias_lab", "-m", "model=svm_tfidf", "task=sample", "hydra/launcher=ray", "seed=0"]
    )
    GlobalHydra.instance().clear()
    with pytest.raises(SystemExit) as stop:
        cli.main()
    assert stop.value.code == 1
    assert "error: hydra/launcher=ray is not installed: pip install 'bias-lab[ray]'" in capsys.readouterr().err
