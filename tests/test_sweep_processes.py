"""Sweeps that are killed and interrupted, and joblib's processes."""

import os
import signal
import subprocess
import time

import pandas as pd
import pytest
from safetensors.numpy import load_file

from bias_lab.data.sample import load_sample
from sweep_faults import FaultyModel, conf_with_faults
from sweep_process import SweepProcess, told

pytestmark = pytest.mark.slow
JOBLIB = ("hydra/launcher=joblib", "hydra.launcher.n_jobs=2")


@pytest.fixture
def process(tmp_path):
    return SweepProcess(tmp_path, conf_with_faults(tmp_path / "faults"))


def manifests(process):
    return [told(path) for path in sorted(process.sweep.glob("*/manifest.json"))]


def test_kill_9_loses_the_cell_in_flight_and_the_same_command_runs_the_rest(process):
    line = ("model=fault", "eec=none", "seed=0,1,2,3", "model.seconds=1")
    with process.start(*line) as running:
        process.wait_for(lambda statuses: statuses.get("1") == "finished" and "2" in statuses)
        running.kill()
    assert process.statuses()["2"] in ("running", "predicted")
    before = manifests(process)[:2]
    code, output = process.run(*line)
    assert code == 0, output
    assert "2 of 4 cells are finished already; to run: 1 did not end, 1 missing" in output
    assert process.statuses() == dict.fromkeys("0123", "finished")
    assert manifests(process)[:2] == before


def test_after_kill_9_of_joblibs_parent_its_jobs_in_flight_are_left_to_end(process):
    pytest.importorskip("hydra_plugins.hydra_joblib_launcher")
    line = (*JOBLIB, "model=fault", "eec=none", "seed=0,1,2")
    with process.start(*line, "model.seconds=18") as running:
        process.wait_for(lambda statuses: len(statuses) == 2)
        running.kill()
        workers = [content["pid"] for content in manifests(process)]
        # Its output stays open in the workers, so that its end is not to be waited for.
        assert running.stdout is not None
        running.stdout.close()
    started = [content["started"] for content in manifests(process)]
    code, output = process.run(*line, "model.seconds=18")
    assert code == 0, output
    assert "0 of 3 cells are finished already; 2 at work in another command, left to it; to run: 1 missing" in output
    assert process.statuses() == dict.fromkeys("012", "finished")
    assert [content["started"] for content in manifests(process)][:2] == started
    assert not [pid for pid in workers if alive(pid)]  # nobody would give them work any more


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_under_joblib_jobs_that_die_exit_or_are_interrupted_fail_alone(process):
    pytest.importorskip("hydra_plugins.hydra_joblib_launcher")
    code, output = process.run(*JOBLIB, "model=fault", "eec=none", "model.kind=none,die,exit,interrupt,late_die,other")
    assert code == 1, output
    assert "6 cells: 2 finished, 4 failed (" in output
    assert list(process.statuses().values()) == ["finished", "failed", "failed", "failed", "failed", "finished"]
    errors = [content.get("error") for content in manifests(process)]
    assert "The exit codes of the workers are {EXIT(3)}" in errors[1]
    assert errors[2:4] == ["RuntimeError: the job called exit(4)", "interrupted"]
    assert "TerminatedWorkerError" in errors[4]
    code, output = process.run("resume=sweep", sweep=False)
    assert "2 of 6 cells are finished already; to run: 4 failed before (sweep)" in output


def test_ctrl_c_ends_joblibs_jobs_too(process):
    pytest.importorskip("hydra_plugins.hydra_joblib_launcher")
    with process.start(*JOBLIB, "model=fault", "eec=none", "seed=0,1,2", "model.seconds=60") as running:
        process.wait_for(lambda statuses: len(statuses) == 2)
        os.killpg(running.pid, signal.SIGINT)
        output, _ = running.communicate(timeout=30)
    assert running.returncode == 130, output
    assert [content["error"] for content in manifests(process)] == ["interrupted", "interrupted"]
    assert "interrupted; to go on: python -m bias_lab resume=" in output
    assert "3 cells: 2 failed, 1 missing (" in output
    assert "Traceback" not in output


def test_a_cell_alone_equals_the_same_cell_in_a_parallel_sweep_bit_for_bit(tiny_checkpoint, tmp_path):
    pytest.importorskip("hydra_plugins.hydra_joblib_launcher")
    # The last bits of torch's sums depend on how many threads share them.
    process = SweepProcess(tmp_path, conf_with_faults(tmp_path / "faults"), OMP_NUM_THREADS="1")
    encoder = ("model=encoder", f"model.name_or_path={tiny_checkpoint}", "trainer.max_epochs=3", "eec=black_white_en")
    code, output = process.run(*JOBLIB, *encoder, "task.emotion=anger,joy", "seed=0,1")
    assert code == 0, output
    alone = [*process.common, *encoder, "task.emotion=joy", "seed=1", "hydra.run.dir=alone", "cache_dir=another"]
    assert process.run(*alone, sweep=False)[0] == 0
    same = process.sweep / "3"
    assert told(same / "manifest.json")["identity"] == told(tmp_path / "alone" / "manifest.json")["identity"]
    for name in ("predictions/black_white_en.parquet", "task_predictions.parquet"):
        one, two = (pd.read_parquet(folder / name) for folder in (same, tmp_path / "alone"))
        pd.testing.assert_frame_equal(one, two, check_exact=True)
    for name in ("metrics.json", "coefficients.csv", "history.csv"):
        assert (same / name).read_bytes() == (tmp_path / "alone" / name).read_bytes(), name
    # The processes share one cache: no text was encoded twice, whoever came first.
    encoded = [content["model"]["encoder"]["cache"]["encoded"] for content in manifests(process)]
    shards = [load_file(path)["keys"] for path in (tmp_path / "cache").rglob("*.safetensors")]
    keys = [key.tobytes() for shard in shards for key in shard]
    assert sum(encoded) == len(keys) == len(set(keys)) > 0


def test_a_full_disk_loses_the_cells_in_flight_and_the_rest_runs_when_there_is_room(process, tmp_path):
    process.sweep.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(process.sweep)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("needs the right to mount a small disk")
    try:
        line = ("model=fault", "eec=none", f"seed={','.join(map(str, range(12)))}")
        code, output = process.run(*line)
        assert code == 1
        assert "No space left on device" in output
        assert "Traceback" not in output
        statuses = process.statuses()
        done = {name for name, status in statuses.items() if status == "finished"}
        assert 0 < len(done) < 12
        before = {name: told(process.sweep / name / "manifest.json") for name in done}
        subprocess.run(["mount", "-o", "remount,size=20m", str(process.sweep)], check=True)
        code, output = process.run(*line)
        assert code == 0, output
        assert f"{len(done)} of 12 cells are finished already" in output
        assert set(process.statuses().values()) == {"finished"}
        assert {name: told(process.sweep / name / "manifest.json") for name in done} == before
    finally:
        subprocess.run(["umount", str(process.sweep)], check=True)


def cells_of(folder):
    """Label and slope of each finished cell, with the number of texts' scores that are this cell's own."""
    found = {}
    for path in folder.glob("*/manifest.json"):
        content, scores = told(path), pd.read_parquet(path.parent / "task_predictions.parquet")
        slope = content["model"]["slope"]
        own = FaultyModel(language="en", kind="none", seconds=0, slope=slope)
        own.fit([], [], dev_texts=[], dev_scores=[], seed=content["seed"])
        texts = load_sample(language="en", emotion="anger")
        expected = [*own.predict(texts.dev.texts), *own.predict(texts.test.texts)]
        assert scores["prediction"].tolist() == pytest.approx(expected, abs=1e-12), path
        assert content["status"] == "finished", path
        found[path.parent.name] = (content["label"], slope)
    return found


@pytest.mark.parametrize("launcher", [(), JOBLIB], ids=["basic", "joblib"])
@pytest.mark.parametrize("delay", [0, 1.5])
def test_sweeps_at_once_in_one_folder_keep_their_own_cells(process, launcher, delay):
    if launcher:
        pytest.importorskip("hydra_plugins.hydra_joblib_launcher")
    common = (*launcher, "model=fault", "eec=none", "model.seconds=0.5")
    with process.start(*common, "seed=0,1,2,3") as first:
        time.sleep(delay)
        with process.start(*common, "model.slope=7", "seed=0,1,2") as second:
            outputs = [running.communicate(timeout=150)[0] for running in (first, second)]
    assert (first.returncode, second.returncode) == (0, 0), outputs
    expected = [(f"fault-en-anger-s{seed}", 1) for seed in range(4)] + [(f"fault-en-anger-s{n}", 7) for n in range(3)]
    assert sorted(cells_of(process.sweep).values()) == sorted(expected)
    assert "4 cells: 4 finished (" in outputs[0]
    assert "3 cells: 3 finished (" in outputs[1]
    assert not (process.sweep / "replaced").exists()


def test_the_same_sweep_twice_at_once_runs_each_cell_once(process):
    line = ("model=fault", "eec=none", "model.seconds=0.5")
    with process.start(*line, "seed=0,1,2") as first, process.start(*line, "seed=0,1,2,3") as second:
        outputs = [running.communicate(timeout=150)[0] for running in (first, second)]
    assert (first.returncode, second.returncode) == (0, 0), outputs
    assert len(cells_of(process.sweep)) == 4
    ended = [line for output in outputs for line in output.splitlines() if " finished in " in line]
    pids = {content["pid"] for content in manifests(process)}
    assert pids <= {first.pid, second.pid}
    assert len(ended) in (4, 7), outputs  # a cell is told by the command that ran it, and by one that waited for it


def test_a_command_that_waits_for_another_may_be_interrupted_or_take_over(process):
    line = ("model=fault", "eec=none", "seed=0")
    with process.start(*line, "model.seconds=60") as first:
        process.wait_for(lambda statuses: len(statuses) == 1)
        began = manifests(process)[0]["started"]
        with process.start(*line, "model.seconds=60") as second:
            wait_for_output(second, "1 at work in another command, left to it; nothing is left to run")
            os.killpg(second.pid, signal.SIGINT)
            output, _ = second.communicate(timeout=30)
        assert second.returncode == 130, output
        assert "1 cell: 1 at work (" in output
        assert (manifests(process)[0]["status"], manifests(process)[0]["started"]) == ("running", began)
        first.kill()
    with process.start(*line, "model.seconds=3") as first:  # with another configuration, in the killed one's folder
        process.wait_for(lambda statuses: statuses == {"0": "running"} and manifests(process)[0]["pid"] == first.pid)
        with process.start(*line, "model.seconds=3") as second:
            wait_for_output(second, "1 at work in another command, left to it; nothing is left to run")
            first.kill()
            output, _ = second.communicate(timeout=60)
    assert second.returncode == 0, output
    assert "left unfinished by another command, now run here: 1" in output
    assert (process.statuses(), manifests(process)[0]["pid"]) == ({"0": "finished"}, second.pid)


def wait_for_output(running, text):
    """Wait until a process says so, or ends."""
    for line in running.stdout:
        if text in line:
            return
    raise AssertionError(f"it ended without saying {text!r}")


def test_sweeps_that_start_together_have_folders_of_their_own(process):
    line = ["-m", *process.common, "model=fault", "eec=none"]
    running = [process.start(*line, f"model.slope={slope}", "seed=0,1", sweep=False) for slope in (1, 2, 3)]
    outputs = [one.communicate(timeout=150)[0] for one in running]
    assert [one.returncode for one in running] == [0, 0, 0], outputs
    folders = sorted((process.folder / "multirun").glob("*/*"))
    assert sorted(sorted(cells_of(folder).values()) for folder in folders) == [
        [("fault-en-anger-s0", slope), ("fault-en-anger-s1", slope)] for slope in (1, 2, 3)
    ]
