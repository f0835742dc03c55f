import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.slow
def test_the_wheel_works_from_an_empty_directory_with_paths_relative_to_it(tmp_path):
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    empty = tmp_path / "empty"
    empty.mkdir()
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site"), "BIAS_LAB_CACHE": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "bias_lab", "task=sample", "model=svm_tfidf", "eec=black_white_en", "tracking=off"]
    where = [sys.executable, "-c", "import bias_lab.paths as p; print(p.conf_dir())"]
    conf = subprocess.run(where, cwd=empty, env=environment, check=True, capture_output=True, text=True).stdout.strip()
    assert conf == str(tmp_path / "site" / "bias_lab" / "conf")
    done = subprocess.run(
        [*command, "hydra.run.dir=out"], cwd=empty, env=environment, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert (empty / "out" / "coefficients.csv").is_file()
    assert "gender[female]" in done.stdout
