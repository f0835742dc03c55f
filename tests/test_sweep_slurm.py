"""Sweeps through a real Slurm of one node, and through a local Ray cluster."""

import os
import shutil
import subprocess

import pytest

from sweep_faults import conf_with_faults
from sweep_process import TESTS, SweepProcess, told

pytestmark = pytest.mark.slow
SLURM = (
    "hydra/launcher=submitit_slurm",
    "hydra.launcher.mem_gb=null",
    "hydra.launcher.cpus_per_task=1",
    "hydra.launcher.timeout_min=10",
)


@pytest.fixture
def slurm(tmp_path):
    """A running Slurm; the folder of its configuration."""
    pytest.importorskip("hydra_plugins.hydra_submitit_launcher")
    if missing := [name for name in ("slurmctld", "slurmd", "munged", "sbatch") if shutil.which(name) is None]:
        pytest.skip(f"Slurm is not installed ({', '.join(missing)}): apt-get install slurm-wlm munge")
    if not os.environ.get("BIAS_LAB_TEST_SLURM"):
        pytest.skip("it starts the system's Slurm daemons: set BIAS_LAB_TEST_SLURM=1 to run it")
    if os.geteuid() != 0:
        pytest.skip("Slurm's daemons need root here")
    script, folder = str(TESTS / "slurm" / "single_node.sh"), str(tmp_path / "slurm")
    subprocess.run([script, "start", folder], check=True, timeout=60)
    yield tmp_path / "slurm"
    subprocess.run([script, "stop", folder], check=True, timeout=60)


def test_each_cell_is_a_job_and_one_that_dies_fails_alone(slurm, tmp_path):
    process = SweepProcess(tmp_path, conf_with_faults(tmp_path / "faults"), SLURM_CONF=str(slurm / "slurm.conf"))
    code, output = process.run(*SLURM, "model=fault", "eec=none", "model.kind=none,die,error,other")
    assert code == 1, output
    assert "4 cells, 2 failed" in output
    assert list(process.statuses().values()) == ["finished", "failed", "failed", "finished"]
    errors = [told(process.sweep / name / "manifest.json").get("error") for name in ("1", "2")]
    assert errors == [
        "LostJobsError: its Slurm job ended without a result (killed, out of memory or time)",
        "ValueError: no model today",
    ]
    assert "Bypassing sacct" not in output
    # What finished is not submitted again; what is left can run elsewhere.
    code, output = process.run("model=fault", "eec=none", "model.kind=none,other")
    assert "2 of 2 cells are finished already; nothing is left to run" in output


def test_a_sweep_whose_jobs_are_still_queued_is_not_submitted_twice(slurm, tmp_path):
    environment = {"SLURM_CONF": str(slurm / "slurm.conf")}
    process = SweepProcess(tmp_path, conf_with_faults(tmp_path / "faults"), **environment)
    line = (*SLURM, "model=fault", "eec=none", "seed=0,1", "model.seconds=60")
    with process.start(*line) as running:
        process.wait_for(lambda statuses: len(statuses) > 0)
        running.kill()
    code, output = process.run(*line)
    assert code == 1
    assert "jobs of this sweep are still in Slurm (" in output
    job = output.partition("scancel ")[2].split(";")[0]
    subprocess.run(["scancel", job], env=os.environ | environment, check=True)
    process.wait_for(lambda _statuses: not subprocess.check_output(["squeue", "-h"], env=os.environ | environment))
    code, output = process.run(*line[len(SLURM) :], "model.seconds=0")
    assert code == 0, output
    assert process.statuses() == {"0": "finished", "1": "finished"}


def test_ray_runs_the_cells_and_survives_one_that_dies(tmp_path):
    pytest.importorskip("ray")
    pytest.importorskip("hydra_plugins.hydra_ray_launcher")
    process = SweepProcess(tmp_path, conf_with_faults(tmp_path / "faults"))
    code, output = process.run("hydra/launcher=ray", "model=fault", "eec=none", "model.kind=none,die,other")
    assert code == 1, output
    assert list(process.statuses().values()) == ["finished", "failed", "finished"]
    assert "WorkerCrashedError" in told(process.sweep / "1" / "manifest.json")["error"]
