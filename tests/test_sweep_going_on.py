"""`resume=FOLDER`, and what a command that was stopped says of how it goes on."""

import shlex

import pytest

from sweep_here import manifest, started


def test_resume_changes_what_is_given_and_nothing_else(sweep, tmp_path):
    assert sweep("seed=0,1")[0] == 0
    first = started(tmp_path / "sweep")
    code, out, err = sweep("resume=sweep", "cache_dir=another", alone=True)
    assert code == 0, err
    assert "2 of 2 cells are finished already; nothing is left to run (sweep)" in err
    code, out, err = sweep("resume=sweep", "seed=0,1,2", alone=True)
    assert "2 of 3 cells are finished already; to run: 1 missing (sweep)" in err
    assert "3 cells: 3 finished (sweep)\n" in out
    assert {name: started(tmp_path / "sweep")[name] for name in first} == first
    assert manifest(tmp_path / "sweep" / "2")["label"] == "fault-en-anger-s2"


@pytest.mark.parametrize(
    ("line", "resumed"),
    [
        (("seed=0,1,2",), 3),  # more of them: it is the sweep's command from now on
        (("seed=0,1", "model.slope=5"), 2),  # all of them
        (("seed=1",), 2),  # a part
        (("seed=0,1,2", "task.emotion=joy"), 2),  # others
    ],
)
def test_the_sweeps_command_is_the_last_that_asked_for_all_its_cells(sweep, tmp_path, line, resumed):
    assert sweep("seed=0,1")[0] == 0
    assert sweep(*line)[0] == 0
    before = started(tmp_path / "sweep")
    code, _, err = sweep("resume=sweep", alone=True)
    assert code == 0
    assert f"{resumed} of {resumed} cells are finished already; nothing is left to run" in err
    assert started(tmp_path / "sweep") == before


def test_an_interrupted_command_that_is_not_the_sweeps_own_says_how_it_goes_on(sweep, tmp_path):
    where = "hydra.sweep.dir='my sweep'"
    assert sweep("seed=0", where)[0] == 0
    line = ("task.emotion=joy", "model.kind=none,interrupt,late_none", where)
    code, out, _ = sweep(*line)
    assert code == 130
    assert "3 cells: 1 finished, 1 failed, 1 missing (my sweep)\n" in out
    assert "of other commands in my sweep: 1 cell: 1 finished\n" in out
    assert out.endswith(f'interrupted; to go on: the same command again, with "{where}"\n')


def test_how_to_go_on_can_be_pasted_into_a_shell(sweep, tmp_path):
    folder = tmp_path / "k 1, x"
    code, out, _ = sweep("model.kind=interrupt,none", f"hydra.sweep.dir='{folder}'")
    assert code == 130
    told = shlex.split(out.splitlines()[-1].removeprefix("interrupted; to go on: python -m bias_lab "))
    assert told == [f"resume={folder}"]
    code, out, err = sweep(*told, "model.kind=other,none", alone=True)
    assert code == 0, err
    assert f"2 cells: 2 finished ({folder})\n" in out
