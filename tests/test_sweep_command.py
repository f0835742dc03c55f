import shlex
from pathlib import Path

import pytest
import yaml

from bias_lab.cli import hydra_arguments
from bias_lab.errors import ConfigError
from bias_lab.sweep.command import dir_argument


@pytest.fixture
def folder(tmp_path):
    """A sweep's folder that knows its command."""
    overrides = {
        "task": ["model=svm_tfidf", "seed=0,1", "+experiment=paper"],
        "hydra": ["hydra.mode=MULTIRUN", "hydra/launcher=joblib", "hydra.launcher.n_jobs=2"],
    }
    (tmp_path / "multirun.yaml").write_text(yaml.safe_dump({"hydra": {"overrides": overrides}}), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("given", "repeated"),
    [
        ([], "model=svm_tfidf seed=0,1 +experiment=paper hydra/launcher=joblib hydra.launcher.n_jobs=2"),
        (["seed=0,1,2"], "model=svm_tfidf seed=0,1,2 +experiment=paper hydra/launcher=joblib hydra.launcher.n_jobs=2"),
        (
            ["tracking=off", "+seed=3"],
            "model=svm_tfidf +seed=3 +experiment=paper hydra/launcher=joblib hydra.launcher.n_jobs=2 tracking=off",
        ),
        (["~experiment"], "model=svm_tfidf seed=0,1 ~experiment hydra/launcher=joblib hydra.launcher.n_jobs=2"),
        # The options of the launcher that is replaced are not those of the new one.
        (["hydra/launcher=basic"], "model=svm_tfidf seed=0,1 +experiment=paper hydra/launcher=basic"),
        (
            ["hydra.launcher.n_jobs=4"],
            "model=svm_tfidf seed=0,1 +experiment=paper hydra/launcher=joblib hydra.launcher.n_jobs=4",
        ),
        # The whole command gives the whole command.
        (
            ["hydra/launcher=joblib", "hydra.launcher.n_jobs=2", "seed=0,1", "+experiment=paper", "model=svm_tfidf"],
            "model=svm_tfidf seed=0,1 +experiment=paper hydra/launcher=joblib hydra.launcher.n_jobs=2",
        ),
    ],
)
def test_resume_is_the_sweeps_command_with_what_is_given_in_its_place(folder, given, repeated):
    arguments = hydra_arguments([*given[:1], f"resume={folder}", *given[1:]])
    assert arguments == ["-m", *repeated.split(), f"hydra.sweep.dir='{folder}'"]
    assert hydra_arguments([f"resume={folder}", "-m", *given]) == arguments


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
    assert hydra_arguments([f"resume={folder}", "seed=1"])[:3] == ["--config-dir", "/mine/conf", "-m"]
    assert hydra_arguments([f"resume={folder}", "-cd", "/other"])[:3] == ["-cd", "/other", "-m"]


def told(*arguments):
    with pytest.raises(ConfigError) as error:
        hydra_arguments(list(arguments))
    return str(error.value)


def test_a_run_is_not_a_sweep(tmp_path):
    (tmp_path / "manifest.json").touch()
    assert told(f"resume={tmp_path}") == (
        f"resume={tmp_path}: this is one run, not a sweep; give the folder that holds the cells"
    )


def test_a_folder_of_sweeps_names_one_of_them(folder, tmp_path):
    sweep = tmp_path / "all" / "multirun" / "2030-01-31" / "12-00"
    (sweep / "0").mkdir(parents=True)
    (sweep / "0" / "manifest.json").touch()
    (folder / "multirun.yaml").rename(sweep / "multirun.yaml")
    for above in (tmp_path / "all", sweep.parent):
        assert told(f"resume={above}") == f"resume={above}: this folder holds sweeps; give one of them, such as {sweep}"


@pytest.mark.parametrize(
    ("folder", "argument"),
    [
        ("a/b-1", "hydra.sweep.dir=a/b-1"),
        ("k 1, x", "\"hydra.sweep.dir='k 1, x'\""),
        ("a$b", "'hydra.sweep.dir='\"'\"'a$b'\"'\"''"),
    ],
)
def test_a_folder_is_told_as_a_shell_and_hydra_take_it(folder, argument):
    from hydra.core.override_parser.overrides_parser import OverridesParser

    assert dir_argument(Path(folder)) == argument
    (override,) = OverridesParser.create().parse_overrides(shlex.split(argument))
    assert override.value() == folder


@pytest.mark.parametrize("given", [(), ("seed=1",)])
def test_runs_without_the_sweeps_command_ask_for_it(tmp_path, given):
    sweep = tmp_path / "my sweep"
    (sweep / "0").mkdir(parents=True)
    (sweep / "0" / "manifest.json").touch()
    # A part of the command would be another sweep, of the defaults.
    assert told(f"resume={sweep}", *given) == (
        f"resume={sweep}: there are runs, but no multirun.yaml to tell the command that they come from; give that "
        f"command again, with -m and \"hydra.sweep.dir='{sweep}'\""
    )
    (sweep / "multirun.yaml").write_text("hydra: {}", encoding="utf-8")
    assert told(f"resume={sweep}").startswith(
        f"resume={sweep}: {sweep}/multirun.yaml does not tell the sweep's command; give it again, with -m and "
    )
