from bias_lab.files import write_json
from bias_lab.manifest import Manifest
from bias_lab.sweep import read_cells, show_cells


def test_cells_come_in_job_order_with_status_and_figure(tmp_path, capsys):
    for number in (0, 2, 10):
        manifest = Manifest.start(tmp_path / str(number), overrides=[f"seed={number}"])
        manifest.update(label=f"m-en-joy-s{number}")
        if number != 2:
            write_json(manifest.folder / "metrics.json", {"test": {"pearson": 0.5 if number == 0 else None}})
            manifest.end("finished")
    cells = read_cells(tmp_path)
    assert [cell.label for cell in cells] == ["m-en-joy-s0", "m-en-joy-s2", "m-en-joy-s10"]
    assert [cell.failed for cell in cells] == [False, True, False]
    assert [cell.test_pearson for cell in cells] == [0.5, None, None]
    show_cells(cells, tmp_path)
    shown = capsys.readouterr().out
    assert "3 cells, 1 failed" in shown
    assert "running" in shown  # what a killed job leaves
    assert "failed: seed=2" in shown
