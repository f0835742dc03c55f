import json
import subprocess

import pytest

from bias_lab import manifest as module
from bias_lab.manifest import Manifest, git_revision, versions


def test_a_started_run_is_known_as_running_until_it_ends(tmp_path):
    manifest = Manifest.start(tmp_path, overrides=["seed=1"])
    assert Manifest.read(tmp_path).content["status"] == "running"
    with manifest.timed("fit"):
        pass
    manifest.end("failed", "DataError: no file")
    told = json.loads((tmp_path / "manifest.json").read_text(encoding="utf-8"))
    assert (told["status"], told["error"], told["overrides"]) == ("failed", "DataError: no file", ["seed=1"])
    assert told["timings"]["fit"] >= 0
    assert told["started"] <= told["ended"]


def test_a_nan_cannot_get_into_a_manifest(tmp_path):
    manifest = Manifest.start(tmp_path, overrides=[])
    with pytest.raises(ValueError, match="Out of range float"):
        manifest.update(value=float("nan"))
    assert "value" not in Manifest.read(tmp_path).content


def test_versions_name_what_can_change_a_number():
    import torch

    found = versions()
    assert found["torch"] == torch.__version__
    assert {"python", "bias_lab", "transformers", "statsmodels", "numpy"} <= set(found)


def test_the_revision_is_the_checkouts_and_tells_changes(tmp_path, monkeypatch):
    def git(*arguments):
        subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=e@x", *arguments], cwd=tmp_path, check=True)

    code = tmp_path / "manifest.py"
    code.write_text("", encoding="utf-8")
    monkeypatch.setattr(module, "__file__", str(code))
    assert git_revision() is None
    git("init", "-q")
    git("add", "manifest.py")
    git("commit", "-qm", "start")
    commit = git_revision()
    assert len(commit) == 40
    code.write_text("changed", encoding="utf-8")
    assert git_revision() == f"{commit}+changes"
    git("rm", "-q", "--cached", "manifest.py")
    assert git_revision() is None  # somebody else's repository
