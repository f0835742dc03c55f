"""Sweeps through a real Slurm of one node, and through a local Ray cluster."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from sweep_faults import conf_with_faults
from sweep_process import TESTS, SweepProcess, told

pytestmark = pytest.mark.slow
NODE = TESTS / "slurm" / "single_node.py"
CONFIGURED = ("/etc/slurm/slurm.conf", "/run/slurm/conf/slurm.conf")
SLURM = (
    "hydra/launcher=submitit_slurm",
    "hydra.launcher.mem_gb=null",
    "hydra.launcher.cpus_per_task=1",
    "hydra.launcher.timeout_min=10",
)


@pytest.fixture(scope="module")
def can_run_slurm():
    """Skips where a Slurm cannot, or had better not, be started."""
    wanted = os.environ.get("BIAS_LAB_TEST_SLURM")
    if wanted == "0":
        pytest.skip("BIAS_LAB_TEST_SLURM is 0")
    if missing := [name for name in ("slurmctld", "slurmd", "munged", "sbatch") if shutil.which(name) is None]:
        pytest.skip(f"Slurm is not installed ({', '.join(missing)}): apt-get install slurm-wlm munge")
    if os.geteuid() != 0:
        pytest.skip("Slurm's daemons need root here")
    if wanted != "1" and (there := [path for path in CONFIGURED if Path(path).exists()]):
        pytest.skip(f"this machine has a Slurm of its own ({there[0]}); BIAS_LAB_TEST_SLURM=1 starts another beside it")


@contextmanager
def running_node(folder, **environment):
    """A running Slurm: its process, and the environment of commands for it, which end with it too."""
    process = subprocess.Popen(
        [sys.executable, NODE, "start", folder],
        env=os.environ | environment,
        stdin=subprocess.PIPE,  # it ends when this does, so even when these tests are killed
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        if process.stdout.readline() != "ready\n":
            raise RuntimeError(process.communicate(timeout=60)[1])
        yield process, {"SLURM_CONF": str(folder / "slurm.conf"), "BIAS_LAB_TEST_NODE": str(folder)}
    finally:
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, "")


@pytest.fixture(scope="module")
def slurm(can_run_slurm, tmp_path_factory):
    """A running Slurm; the environment of commands for it."""
    pytest.importorskip("hydra_plugins.hydra_submitit_launcher")
    with running_node(tmp_path_factory.mktemp("slurm")) as (_, environment):
        yield environment


def test_each_cell_is_a_job_and_one_that_dies_fails_alone(slurm, tmp_path):
    process = SweepProcess(tmp_path, conf_with_faults(tmp_path / "faults"), **slurm)
    code, output = process.run(*SLURM, "model=fault", "eec=none", "model.kind=none,die,error,other")
    assert code == 1, output
    assert "4 cells: 2 finished, 2 failed (" in output
    assert list(process.statuses().values()) == ["finished", "failed", "failed", "finished"]
    errors = [told(process.sweep / name / "manifest.json").get("error") for name in ("1", "2")]
    assert errors == [
        "LostJobsError: its Slurm job ended without a result (killed, out of memory or time)",
        "ValueError: no model today",
    ]
    assert "Bypassing sacct" not in output
    jobs = folders_of_jobs(process)
    assert [name.partition("_")[2] for name in jobs] == ["", "0", "1", "2", "3"]  # an array
    # What finished is not submitted again.
    _, output = process.run(*SLURM, "model=fault", "eec=none", "model.kind=none,other")
    assert "2 of 2 cells are finished already; nothing is left to run" in output
    assert folders_of_jobs(process) == jobs


def folders_of_jobs(process):
    """Names of submitit's folders of jobs, JOB or JOB_TASK."""
    return sorted(path.name for path in (process.sweep / ".submitit").glob("*/*") if path.is_dir())


def test_a_sweep_whose_jobs_are_still_queued_is_not_submitted_twice(slurm, tmp_path):
    process = SweepProcess(tmp_path, conf_with_faults(tmp_path / "faults"), **slurm)
    line = (*SLURM, "model=fault", "eec=none", "seed=0,1", "model.seconds=60")
    with process.start(*line) as running:
        process.wait_for(lambda statuses: len(statuses) > 0)
        running.kill()
    jobs = folders_of_jobs(process)
    code, output = process.run(*line)
    assert code == 1
    assert "jobs of this sweep are still in Slurm (" in output
    assert folders_of_jobs(process) == jobs
    job = output.partition("scancel ")[2].split(";")[0]
    assert job == jobs[0]
    subprocess.run(["scancel", job], env=os.environ | slurm, check=True)
    process.wait_for(lambda _statuses: not subprocess.check_output(["squeue", "-h"], env=os.environ | slurm))
    code, output = process.run(*line[len(SLURM) :], "model.seconds=0")
    assert code == 0, output
    assert process.statuses() == {"0": "finished", "1": "finished"}


def test_two_commands_at_once_in_one_folder_share_what_is_the_same(slurm, tmp_path):
    process = SweepProcess(tmp_path, conf_with_faults(tmp_path / "faults"), **slurm)
    line = (*SLURM, "model=fault", "eec=none", "model.seconds=3")
    with process.start(*line, "seed=0,1") as first:
        process.wait_for(lambda statuses: len(statuses) > 0)
        with process.start(*line, "seed=1,2") as second:
            outputs = [running.communicate(timeout=200)[0] for running in (first, second)]
    assert (first.returncode, second.returncode) == (0, 0), outputs
    assert (
        "0 of 2 cells are finished already; 1 at work in another command, left to it; to run: 1 missing" in outputs[1]
    )
    assert [told(process.sweep / name / "manifest.json")["seed"] for name in "012"] == [0, 1, 2]
    assert process.statuses() == dict.fromkeys("012", "finished")


def test_the_tables_are_those_of_the_same_sweep_without_slurm(slurm, tiny_checkpoint, tmp_path):
    line = ("model=encoder", f"model.name_or_path={tiny_checkpoint}", "trainer.max_epochs=3", "eec=black_white_en")
    summaries = []
    for name, launcher in (("slurm", SLURM), ("basic", ())):
        folder = tmp_path / name
        # One thread, as each job has: the last bits of torch's sums depend on how many share them.
        process = SweepProcess(folder, conf_with_faults(folder / "faults"), OMP_NUM_THREADS="1", **slurm)
        code, output = process.run(*launcher, *line, "seed=0,1")
        assert code == 0, output
        assert (process.sweep / ".submitit").is_dir() == bool(launcher)
        files = [path for path in (process.sweep / "summary").rglob("*.*") if path.name != "report.html"]  # has paths
        summaries.append({path.name: path.read_text(encoding="utf-8") for path in files})
    assert summaries[0] == summaries[1]
    assert {"summary.md", "tables.tex", "coefficients_black_white_en.tex", "metrics.csv"} < set(summaries[0])
    assert "2 cells: 2 finished" in summaries[0]["summary.md"]


HOLDER = """
import subprocess, sys, time
node = subprocess.Popen([sys.executable, *sys.argv[1:]], stdin=subprocess.PIPE, start_new_session=True)
time.sleep(600)
"""


@pytest.mark.parametrize("killed", ["those who started it", "the node itself"])
def test_kill_9_leaves_no_process_behind(slurm, killed, tmp_path):
    folder = tmp_path / "node"
    command = [sys.executable, *(["-c", HOLDER] if killed == "those who started it" else []), NODE, "start", folder]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        with running_job(folder):
            assert {"munged", "slurmctld", "slurmd", "slurmstepd:", "sleep"} <= names_of_processes(folder)
            process.kill()
            if killed == "the node itself":
                subprocess.run([sys.executable, NODE, "stop", folder], check=True, timeout=60)
            end = time.monotonic() + 15
            while left := names_of_processes(folder):
                assert time.monotonic() < end, left
                time.sleep(0.1)
    assert subprocess.check_output(["sinfo", "-h", "-o", "%t"], env=os.environ | slurm) == b"idle\n"  # not this one's


@contextmanager
def running_job(folder):
    """A job that does not end when it is asked to, and that nothing but its parents shows to be this node's."""
    environment = os.environ | {"SLURM_CONF": str(folder / "slurm.conf"), "BIAS_LAB_TEST_NODE": str(folder)}
    job = "trap '' TERM; echo started; exec env -u BIAS_LAB_TEST_NODE sleep 600"
    command = ["srun", "--quiet", "sh", "-c", job]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "started\n"
        yield


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_node(can_run_slurm, number, tmp_path):
    with running_node(tmp_path / "node") as (process, _):
        process.send_signal(number)
        process.wait(timeout=30)
    assert not names_of_processes(tmp_path / "node")


def test_a_node_that_starts_half_way_says_why_and_leaves_nothing(can_run_slurm, tmp_path):
    (tmp_path / "slurmd").write_text("#!/bin/sh\necho slurmd: no cores >&2\nexit 1\n", encoding="utf-8")
    (tmp_path / "slurmd").chmod(0o755)
    folder = tmp_path / "node"
    with (
        pytest.raises(RuntimeError, match=r"slurmd ended; the logs in (?s:.*)\n  slurmd: slurmd: no cores\n$"),
        running_node(folder, PATH=f"{tmp_path}:{os.environ['PATH']}"),
    ):
        pass
    assert not names_of_processes(folder)


def names_of_processes(folder):
    """First words of the command lines of processes in whose command line or environment a folder is."""
    names = set()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes()
            if os.fsencode(folder) in command + (process / "environ").read_bytes():
                names.add(Path(re.split(rb"[\0 ]", command)[0].decode()).name)
        except OSError:  # it ended meanwhile
            continue
    return names


def test_ray_runs_the_cells_and_survives_one_that_dies(tmp_path):
    pytest.importorskip("ray")
    pytest.importorskip("hydra_plugins.hydra_ray_launcher")
    process = SweepProcess(tmp_path, conf_with_faults(tmp_path / "faults"))
    code, output = process.run("hydra/launcher=ray", "model=fault", "eec=none", "model.kind=none,die,other")
    assert code == 1, output
    assert list(process.statuses().values()) == ["finished", "failed", "finished"]
    assert "WorkerCrashedError" in told(process.sweep / "1" / "manifest.json")["error"]
