import os
import subprocess
import sys
import threading

import pytest

from bias_lab.sweep import worker
from bias_lab.sweep.process import InterruptedJobError, as_job_error
from bias_lab.sweep.worker import Surroundings, claim_gpu, is_locked, visible_gpus


def test_what_would_end_the_process_becomes_the_jobs_error():
    with pytest.raises(InterruptedJobError, match=r"^interrupted$"), as_job_error():
        raise KeyboardInterrupt
    with pytest.raises(RuntimeError, match=r"^the job called exit\(2\)$"), as_job_error():
        sys.exit(2)
    with pytest.raises(RuntimeError, match=r"^the job called exit\(\)$"), as_job_error():
        sys.exit()
    with pytest.raises(ValueError, match=r"^as it is$"), as_job_error():
        raise ValueError("as it is")


def test_output_goes_to_the_jobs_file_and_comes_back(tmp_path, capfd):
    out, err = sys.stdout, sys.stderr
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        around = Surroundings(tmp_path / name)
        around.enter()
        print(f"to {name}")
        print("trouble", file=sys.stderr)
        subprocess.run([sys.executable, "-c", "print('from a child')"], check=True, stdout=sys.stdout)
        around.leave()
        around.leave()
        assert (sys.stdout, sys.stderr) == (out, err)
        text = (tmp_path / name / "output.log").read_text(encoding="utf-8")
        assert text == f"to {name}\ntrouble\nfrom a child\n"
    assert capfd.readouterr().out == ""


def test_a_library_that_kept_the_stream_of_a_job_that_ended_writes_to_standard_error(tmp_path, capfd):
    around = Surroundings(tmp_path)
    around.enter()
    kept = sys.stderr
    around.leave()
    kept.write("late")
    kept.flush()
    assert capfd.readouterr().err == "late"


def test_a_folder_is_locked_while_a_job_is_in_it_and_another_waits_for_it(tmp_path):
    assert not is_locked(tmp_path)
    code = (
        "import sys; from pathlib import Path; from bias_lab.sweep.worker import Surroundings\n"
        f"Surroundings(Path({str(tmp_path)!r})).enter(); sys.__stdout__.write('in\\n'); sys.__stdout__.flush()\n"
        "sys.stdin.read()"
    )
    holder = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None and holder.stdin is not None
    with holder:
        assert holder.stdout.readline() == "in\n"
        assert is_locked(tmp_path)
        threading.Timer(0.5, holder.kill).start()
        around = Surroundings(tmp_path)
        around.enter()  # comes back as soon as the other process is gone, however it ended
        assert holder.wait(10) != 0
        around.leave()
    assert not is_locked(tmp_path)


@pytest.mark.parametrize(
    ("told", "devices"),
    [("0,1", ["0", "1"]), ("", []), ("-1", []), ("GPU-8f2a, GPU-11b0", ["GPU-8f2a", "GPU-11b0"])],
)
def test_visible_gpus_are_those_that_the_environment_names(monkeypatch, told, devices):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", told)
    assert visible_gpus() == devices


def test_each_process_claims_a_free_gpu_and_the_next_shares_by_job_number(tmp_path, monkeypatch):
    claimed = []
    monkeypatch.setattr(worker, "_held", [])
    for job in (0, 2, 5):
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4,7")
        claim_gpu(tmp_path, job)  # its locks stand for another process's: they are other file handles
        claimed.append(os.environ["CUDA_VISIBLE_DEVICES"])
        claim_gpu(tmp_path, job + 1)  # the next job of the same process
        assert os.environ["CUDA_VISIBLE_DEVICES"] == claimed[-1]
    assert claimed == ["4", "7", "7"]
    for lock in worker._held:
        lock.release()


def test_one_gpu_or_none_is_left_as_it_is(tmp_path, monkeypatch):
    for told in ("3", ""):
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", told)
        claim_gpu(tmp_path, 0)
        assert os.environ["CUDA_VISIBLE_DEVICES"] == told
    assert not list(tmp_path.iterdir())
