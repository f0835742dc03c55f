"""What commands in one folder know of each other. The other command is played by its claims, locks and files."""

import json
import threading
import time
from pathlib import Path

import pytest

from bias_lab.errors import DataError
from bias_lab.manifest import Manifest
from bias_lab.sweep import run
from bias_lab.sweep.cells import is_finished
from bias_lab.sweep.claims import Claim, Claims
from bias_lab.sweep.plan import PlannedCell
from bias_lab.sweep.worker import Surroundings
from sweep_here import manifest, started


class Other:
    """Another command in the folder."""

    def __init__(self, folder):
        self.folder = folder
        self.claims = Claims(folder)
        self.claims.open()

    def claim(self, name, identity, line=("seed=0",)):
        claimed = [vars(claim) for claim in self.claims.living().values()]
        claim = Claim(name, self.claims.command, identity, line)
        path = self.folder / ".locks" / "claims.json"
        path.write_text(json.dumps([*claimed, vars(claim)]), encoding="utf-8")


@pytest.fixture
def other(tmp_path):
    """Another command in tmp_path/"sweep"."""
    other = Other(tmp_path / "sweep")
    yield other
    other.claims.close()


def identity_of(sweep, tmp_path, *line):
    """The identity of a cell, from a run of it elsewhere."""
    assert sweep(*line, "hydra.sweep.dir=elsewhere")[0] == 0
    return manifest(tmp_path / "elsewhere" / "0")["identity"]


def test_claims_count_as_long_as_their_command_lives_or_a_process_works_on(tmp_path):
    one, two = Claims(tmp_path), Claims(tmp_path)
    one.open()
    two.open()
    cells = [PlannedCell((f"seed={n}",), label="l", model="m", name=str(n), folder=tmp_path / str(n)) for n in (0, 1)]
    (tmp_path / ".locks" / "command-killed.lock").touch()
    with one.planning():
        one.take(cells)
    assert len(list((tmp_path / ".locks").glob("command-*"))) == 2
    assert two.living() == {str(n): Claim(str(n), one.command, None, (f"seed={n}",)) for n in (0, 1)}
    assert two.commands() == {one.command}
    assert (two.at_work(["0", "1"]), one.at_work(["0", "1"])) == (["0", "1"], [])
    Manifest.start(tmp_path / "0", overrides=[]).end("failed", "no")
    assert two.at_work(["0", "1"]) == ["1"]
    around = Surroundings(tmp_path / "0")  # another job of the command's works there
    around.enter()
    one.close()
    one.close()
    assert (list(two.living()), two.commands(), two.at_work(["0", "1"])) == (["0"], set(), ["0"])
    around.leave()
    assert (two.living(), two.at_work(["0", "1"])) == ({}, [])


def test_a_list_of_claims_that_cannot_be_read_is_an_error(tmp_path):
    claims = Claims(tmp_path)
    claims.open()
    (tmp_path / ".locks" / "claims.json").write_text("[{}]", encoding="utf-8")
    with pytest.raises(DataError, match=r"claims.json cannot be read \('line'\); delete it when no command is at work"):
        claims.living()
    claims.close()


def test_another_command_that_plans_is_waited_for(tmp_path, capsys):
    one, two = Claims(tmp_path), Claims(tmp_path)
    one.open()
    two.open()
    order = []

    def plan():
        with two.planning():
            order.append("two")

    with one.planning():
        thread = threading.Thread(target=plan)
        thread.start()
        time.sleep(0.2)
        order.append("one")
    thread.join()
    assert order == ["one", "two"]
    assert capsys.readouterr().err == f"another command plans in {tmp_path}: waiting for it\n"


def test_a_folder_that_another_command_planned_for_another_cell_is_not_taken(sweep, tmp_path, other):
    other.claim("0", "another identity")  # it has not begun
    running = Manifest.start(tmp_path / "sweep" / "1", overrides=["seed=0"])  # it has, with the same line
    running.update(label="fault-en-anger-s0")
    other.claim("1", "yet another identity", ("task=sample", "model=fault", "eec=none", "tracking=off", "seed=0"))
    content = manifest(running.folder)
    code, out, err = sweep("seed=0,1")
    assert code == 0
    assert "2 cells: sweep\n" in err
    assert sorted(path.name for path in (tmp_path / "sweep").iterdir() if path.name.isdigit()) == ["1", "2", "3"]
    assert manifest(tmp_path / "sweep" / "2")["seed"] == 0
    assert manifest(running.folder) == content
    # The other's cell is no failure of this command's.
    assert "2 cells: 2 finished (sweep)\n" in out
    assert "of other commands in sweep: 1 cell: 1 did not end\n" in out


def test_finished_results_of_a_living_command_are_not_replaced(sweep, tmp_path, other):
    assert sweep("seed=0")[0] == 0
    before = manifest(tmp_path / "sweep" / "0")
    other.claim("0", before["identity"])
    assert sweep("seed=0", "model.slope=5")[0] == 0
    assert manifest(tmp_path / "sweep" / "0") == before
    assert not (tmp_path / "sweep" / "replaced").exists()
    assert "slope: 5" in (tmp_path / "sweep" / "1" / "config.yaml").read_text(encoding="utf-8")


def end_after(other, own, folder, *, status):
    """Let the other command end, and before it its cell in `folder`, once this one's cell in `own` has finished."""

    def finish():
        while not is_finished(own):
            time.sleep(0.05)
        if status:
            Manifest.read(folder).end(status)
        other.claims.close()

    thread = threading.Thread(target=finish)
    thread.start()
    return thread


@pytest.mark.parametrize("status", ["finished", None])
def test_the_same_cell_is_left_to_the_command_that_has_it_or_taken_over(sweep, tmp_path, other, monkeypatch, status):
    monkeypatch.setattr(run, "POLL_SECONDS", 0.05)
    identity = identity_of(sweep, tmp_path, "seed=0")
    folder = tmp_path / "sweep" / "7"
    Manifest.start(folder, overrides=[]).update(identity=identity, data=[], corpora=[])
    if status:  # what it will have written
        done = manifest(tmp_path / "elsewhere" / "0")
        Manifest(folder, done | {"status": "predicted", "host": "the other's"}).save()
    other.claim("7", identity)
    thread = end_after(other, tmp_path / "sweep" / "0", folder, status=status)
    code, out, err = sweep("seed=0,1")
    thread.join()
    assert code == 0
    told = "0 of 2 cells are finished already; 1 at work in another command, left to it; to run: 1 missing"
    assert f"{told} (sweep)\n" in err
    assert "2 cells: 2 finished (sweep)\n" in out
    assert ("left unfinished by another command, now run here: 1" in err) == (status is None)
    assert (manifest(folder)["host"] == "the other's") == (status is not None)
    assert sorted(started(tmp_path / "sweep")) == ["0", "7"]


def test_a_subdir_without_numbers_that_another_command_has_is_refused(sweep, tmp_path, other):
    other.claim("seed-0", "another identity")
    code, _, err = sweep("seed=0,1", "hydra.sweep.subdir=seed-${seed}")
    assert code == 1
    line = "task=sample model=fault eec=none tracking=off seed=0"
    assert err.splitlines()[-1] == (
        f"error: sweep/seed-0 is at work for another command, and hydra.sweep.subdir gives it to {line} too: wait, or "
        "choose another hydra.sweep.dir"
    )


def test_a_subdir_without_numbers_keeps_the_results_of_another_model_aside(sweep, tmp_path):
    name = "hydra.sweep.subdir=seed-${seed}"
    assert sweep("seed=0", name)[0] == 0
    before = manifest(tmp_path / "sweep" / "seed-0")
    code, _, err = sweep("model=svm_tfidf", "seed=0", name)
    assert code == 0
    assert "finished results of 1 changed cells are kept in sweep/replaced" in err
    (aside,) = (tmp_path / "sweep" / "replaced").glob("seed-0-*")
    assert json.loads((aside / "manifest.replaced.json").read_text(encoding="utf-8")) == before


def test_hydras_own_sweeper_keeps_the_results_of_another_cell_aside(sweep, tmp_path):
    assert sweep("seed=0")[0] == 0
    before = manifest(tmp_path / "sweep" / "0")
    code, out, _ = sweep("seed=3", "hydra/sweeper=basic")
    assert code == 0
    assert "1 cell: 1 finished (sweep)\n" in out
    assert manifest(tmp_path / "sweep" / "0")["seed"] == 3
    (aside,) = (tmp_path / "sweep" / "replaced").glob("0-*")
    assert json.loads((aside / "manifest.replaced.json").read_text(encoding="utf-8")) == before
    assert not (aside / ".hydra").exists()
    assert Path(tmp_path / "sweep" / "0" / ".hydra" / "config.yaml").is_file()
