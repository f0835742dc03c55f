"""A sweep in the test's own process, of a model that takes no time."""

import json
import sys

from hydra.core.global_hydra import GlobalHydra

from bias_lab import cli
from sweep_faults import conf_with_faults


class SweepHere:
    """Run a sweep in tmp_path/"sweep"; returns (exit code, standard output, standard error)."""

    def __init__(self, tmp_path, monkeypatch, capsys):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("BIAS_LAB_CACHE", str(tmp_path / "cache"))
        # Summaries have tests of their own.
        monkeypatch.setattr("bias_lab.summarize.summarise", lambda *_arguments, **_options: None)
        monkeypatch.setattr("bias_lab.tracking.track_summary", lambda *_arguments, **_options: None)
        self._faults = conf_with_faults(tmp_path / "faults")
        self._monkeypatch, self._capsys = monkeypatch, capsys

    def __call__(self, *arguments, alone=False):
        common = ["-m", "task=sample", "model=fault", "eec=none", "tracking=off"]
        where = [] if alone else [*common, "hydra.sweep.dir=sweep"]
        self._monkeypatch.setattr(sys, "argv", ["bias_lab", "--config-dir", str(self._faults), *where, *arguments])
        self._monkeypatch.setenv("HYDRA_FULL_ERROR", "0")  # the entry point sets it for its own process
        GlobalHydra.instance().clear()
        code = 0
        try:
            cli.main()
        except SystemExit as stop:
            code = stop.code
        told = self._capsys.readouterr()
        return code, told.out, told.err


def manifest(folder):
    return json.loads((folder / "manifest.json").read_text(encoding="utf-8"))


def started(folder):
    """When each cell was started, by folder name: unchanged where a cell did not run again."""
    return {path.parent.name: manifest(path.parent)["started"] for path in sorted(folder.glob("*/manifest.json"))}
