"""What follows the cells: the screen, the summary, how all ended."""

import threading
import time

import pytest
from filelock import FileLock

from bias_lab.files import write_text
from bias_lab.manifest import Manifest
from bias_lab.sweep import ending
from bias_lab.sweep.claims import Claims
from bias_lab.sweep.plan import PlannedCell
from bias_lab.tracking import NoTracker
from summary_cells import write_cell, write_failed

REASON = "DataError: train.tsv, line 7: no"


@pytest.fixture
def folder(tmp_path):
    """A cell that finished and one that failed."""
    write_cell(tmp_path / "0", overrides=["model=a"])
    write_failed(tmp_path / "1", overrides=["model=broken", "task.emotion=joy"], error=REASON)
    return tmp_path


def planned(folder, name):
    return PlannedCell((f"seed={name}",), label=f"cell-{name}", model="m", name=name, folder=folder / name)


def test_a_failed_cell_is_told_once_with_its_line_reason_and_log(folder, capsys):
    assert not ending.end_sweep(folder, make_tracker=NoTracker)
    out = capsys.readouterr().out
    assert "2 cells: 1 finished, 1 failed\n" in out  # the summary's
    assert "Test Pearson, average over emotions" in out
    assert out.count(REASON) == 1
    assert f"failed: model=broken task.emotion=joy (log: {folder}/1/bias_lab.log)\n  {REASON}\n" in out


def test_a_command_answers_for_its_own_cells_and_gives_them_up(folder, capsys):
    claims = Claims(folder)
    claims.open()
    ending.remember(folder, [planned(folder, "0")], claims)
    Manifest.start(folder / "2", overrides=["seed=2"])
    assert claims.commands() == set()  # nothing was planned yet
    with claims.planning():
        claims.take([planned(folder, "0")])
    assert ending.end_sweep(folder, make_tracker=NoTracker)
    out = capsys.readouterr().out
    assert f"1 cell: 1 finished ({folder})\n" in out
    assert f"of other commands in {folder}: 2 cells: 1 failed, 1 did not end\n" in out
    assert REASON not in out
    assert claims.commands() == set()
    # What was asked for is forgotten: without a command of ours all cells of the folder are told.
    assert len(ending.own_and_others(folder)[0]) == 3


def test_claims_are_given_up_and_uploads_told_even_if_the_summary_fails(folder, capsys):
    claims = Claims(folder)
    claims.open()
    ending.remember(folder, [planned(folder, "0")], claims)
    (folder / "0" / "wandb" / "offline-run-1").mkdir(parents=True)

    def broken():
        raise OSError("no tracker today")

    with pytest.raises(OSError, match=r"^no tracker today$"):
        ending.end_sweep(folder, make_tracker=broken)
    assert not list((folder / ".locks").glob("command-*"))
    assert capsys.readouterr().out.endswith(f"to upload later: wandb sync {folder}/*/wandb/offline-run-*\n")


def test_two_commands_do_not_write_one_summary_at_a_time(folder, monkeypatch):
    at = []

    def summarise(folders, **_options):
        at.append("summary")
        write_text(folders[0] / "summary" / "x", "")

    monkeypatch.setattr("bias_lab.summarize.summarise", summarise)
    monkeypatch.setattr("bias_lab.tracking.track_summary", lambda *_arguments, **_options: None)
    (folder / ".locks").mkdir()
    with FileLock(folder / ".locks" / "summary.lock"):
        thread = threading.Thread(target=ending.end_sweep, args=(folder,), kwargs={"make_tracker": NoTracker})
        thread.start()
        time.sleep(0.3)
        at.append("another's end")
    thread.join()
    assert at == ["another's end", "summary"]
