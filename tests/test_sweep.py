import shlex

from bias_lab.files import write_json
from bias_lab.manifest import Manifest
from bias_lab.sweep.cells import read_cell, read_cells
from bias_lab.sweep.show import show_cells, upload_line
from bias_lab.sweep.worker import Surroundings


def write_cells(folder):
    """Finished, killed while it was analysed, failed when its analysis was done, and undefined."""
    for number, status in (("0", "finished"), ("2", "predicted"), ("4", "failed"), ("10", "finished")):
        manifest = Manifest.start(folder / number, overrides=["eec=none", f"seed={number}"])
        manifest.update(label=f"m-en-joy-s{number}")
        write_json(manifest.folder / "metrics.json", {"test": {"pearson": None if number == "10" else 0.5}})
        manifest.end(status, "OSError: no" if status == "failed" else None)


def test_cells_come_in_job_order_with_status_and_figure(tmp_path):
    write_cells(tmp_path)
    cells = read_cells(tmp_path)
    assert [cell.label for cell in cells] == ["m-en-joy-s0", "m-en-joy-s2", "m-en-joy-s4", "m-en-joy-s10"]
    assert [cell.status for cell in cells] == ["finished", "did not end", "failed", "finished"]
    assert [cell.failed for cell in cells] == [False, True, True, False]
    assert [cell.test_pearson for cell in cells] == [0.5, None, None, None]


def test_a_cell_that_a_process_works_on_has_not_failed(tmp_path):
    write_cells(tmp_path)
    around = Surroundings(tmp_path / "2")
    around.enter()
    cell = read_cell(tmp_path / "2")
    around.leave()
    assert (cell.status, cell.failed, cell.error) == ("at work", False, None)
    missing = read_cell(tmp_path / "7", label="m", overrides=["seed=7"])
    assert (missing.status, missing.failed, missing.label, missing.overrides) == ("missing", False, "m", ("seed=7",))


def test_the_screen_counts_all_that_was_planned_and_tells_each_failure_once(tmp_path, capsys):
    write_cells(tmp_path)
    cells = [*read_cells(tmp_path), read_cell(tmp_path / "11", label="m-en-joy-s11", overrides=["eec=none", "seed=11"])]
    show_cells(cells[1:], tmp_path, others=cells[:1])
    first, *table, _, killed, reason, failed, error, others = capsys.readouterr().out.splitlines()
    assert first == f"4 cells: 1 finished, 1 failed, 1 did not end, 1 missing ({tmp_path})"
    assert [row.split()[1::2] for row in table if "m-en" in row and "did" not in row] == [
        ["m-en-joy-s4", "seed=4", "failed", "–"],
        ["m-en-joy-s10", "seed=10", "finished", "–"],
        ["m-en-joy-s11", "seed=11", "missing", "–"],
    ]
    assert (killed, reason) == (
        f"did not end: eec=none seed=2 (log: {tmp_path}/2/bias_lab.log)",
        "  its process was killed",
    )
    assert (failed, error) == (f"failed: eec=none seed=4 (log: {tmp_path}/4/bias_lab.log)", "  OSError: no")
    assert others == f"of other commands in {tmp_path}: 1 cell: 1 finished"


def test_what_is_to_be_uploaded_is_told_as_a_shell_takes_it(tmp_path):
    sweep = tmp_path / "my sweep, 1"
    write_cells(sweep)
    write_cells(sweep / "en")
    assert upload_line(sweep) is None
    for run in ("0/wandb/offline-run-a", "en/10/wandb/offline-run-b", "wandb/offline-run-summary"):
        (sweep / run).mkdir(parents=True)
    quoted = shlex.quote(str(sweep))
    assert quoted.startswith("'")
    assert upload_line(sweep) == (
        f"W&B is offline; to upload later: wandb sync {quoted}/*/*/wandb/offline-run-* {quoted}/*/wandb/offline-run-* "
        f"{quoted}/wandb/offline-run-*"
    )
