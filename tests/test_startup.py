"""What a command that computes nothing must not import: each of these libraries takes longer than all the rest."""

import json
import subprocess
import sys

import pytest

HEAVY = ["lightning", "matplotlib", "pandas", "pytorch_lightning", "scipy", "sklearn", "statsmodels", "torch"]
HEAVY += ["transformers", "wandb"]
# Runs `python -m MODULE ARGUMENTS...` and tells its exit code and what of the libraries was imported.
CODE = """
import json, runpy, sys
module, heavy, sys.argv[1:] = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3:]
code = 0
try:
    runpy.run_module(module, run_name="__main__", alter_sys=True)
except SystemExit as stop:
    code = stop.code or 0
print("imported:", json.dumps([code, [name for name in heavy if name in sys.modules]]))
"""


def started(folder, module, *arguments):
    """Exit code, heavy libraries that were imported, standard output, standard error."""
    command = [sys.executable, "-c", CODE, module, json.dumps(HEAVY), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder)
    shown, _, told = done.stdout.rpartition("imported:")
    code, imported = json.loads(told)
    return code, imported, shown, done.stderr


def test_the_libraries_are_installed_under_these_names():
    from importlib.util import find_spec

    assert [name for name in HEAVY if find_spec(name) is None] in ([], ["lightning"])


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (["--help"], "tracking: off, wandb"),
        (["--cfg", "job"], "pooling: cls"),
        (["--cfg", "job", "model=svm_tfidf"], "kernel: linear"),
        (["--cfg", "job", "+experiment=paper", "seed=7"], "seed: 7"),
        (["--info", "defaults"], "Defaults List"),
    ],
)
def test_help_and_configuration_are_shown_at_once(tmp_path, arguments, shown):
    code, imported, out, _ = started(tmp_path, "bias_lab", *arguments)
    assert (code, imported) == (0, [])
    assert shown in out
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["model=nope"], "Could not find 'model/nope'"),
        (["model.lrr=1"], "model.lrr is not a setting"),
        (["-m", "model.lrr=1,2"], "model.lrr"),
        (["seed=-1"], "seed=-1 is not allowed: give a whole number from 0 to 4294967295"),
        (["model=minilm", "model.dropout=2"], "model.dropout=2: must be at least 0 and less than 1"),
        (["stats.level=3"], "stats.level: got 3; a number between 0 and 1 (such as 0.95) is needed"),
        (["tracking.mode=foo"], "tracking.mode=foo: choose one of auto, online, offline (or tracking=off)"),
        (["model.pooling=max"], "model.pooling=max: choose one of cls, mean, last"),
    ],
)
def test_a_mistake_is_told_at_once(tmp_path, arguments, message):
    code, imported, _, err = started(tmp_path, "bias_lab", "task=sample", *arguments)
    assert (code, imported) == (1, [])
    assert message in err


def test_a_mistake_is_recorded_and_no_tracker_was_opened_for_it(tmp_path):
    code, imported, _, _ = started(tmp_path, "bias_lab", "model.dropout=2", "hydra.run.dir=run", "task=sample")
    assert (code, imported) == (1, [])
    told = json.loads((tmp_path / "run" / "manifest.json").read_text(encoding="utf-8"))
    assert (told["status"], told["error"][:28]) == ("failed", "ConfigError: model.dropout=2")
    assert not (tmp_path / "run" / "wandb").exists()


@pytest.mark.parametrize(
    "command", ["audit", "calibration", "corpora", "dashboard", "data", "diagnose", "predict", "summarize"]
)
def test_help_of_the_other_commands_is_shown_at_once(tmp_path, command):
    code, imported, out, _ = started(tmp_path, f"bias_lab.{command}", "--help")
    assert (code, imported) == (0, [])
    assert out.startswith(f"usage: python -m bias_lab.{command} ")
