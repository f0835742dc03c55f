import io
import re
import time

import pytest

from bias_lab.files import write_json
from bias_lab.manifest import Manifest
from bias_lab.sweep.plan import PlannedCell
from bias_lab.sweep.progress import Watch, duration, spoken


def planned(folder, name, *, reason="missing", model="m"):
    return PlannedCell(
        (f"seed={name}",), label=f"cell-{name}", model=model, name=name, folder=folder / name, reason=reason
    )


def ended(cell, *, seconds, status="finished", error=None):
    manifest = Manifest.start(cell.folder, overrides=list(cell.line))
    write_json(cell.folder / "metrics.json", {"test": {"pearson": 0.5}})
    manifest.update(
        status=status,
        error=error,
        started="2030-01-01T00:00:00.000+00:00",
        ended=f"2030-01-01T00:{seconds // 60:02}:{seconds % 60:02}.000+00:00",
    )


def wait_for(stream, text):
    for _ in range(100):
        if text in stream.getvalue():
            return stream.getvalue()
        time.sleep(0.05)
    raise AssertionError(f"{text!r} not in {stream.getvalue()!r}")


def test_each_cell_that_ends_is_a_plain_line_where_no_terminal_is(tmp_path):
    cells = [planned(tmp_path, name) for name in ("0", "1", "2")]
    stream = io.StringIO()
    with Watch(cells, stream=stream):
        ended(cells[0], seconds=90)
        wait_for(stream, "1/3")
        ended(cells[2], seconds=5, status="failed", error="ValueError: [bold]no")
        wait_for(stream, "2/3")
    first, second, line, reason = re.sub(r"\d\d:\d\d:\d\d", "TIME", stream.getvalue()).splitlines()
    assert re.fullmatch(r"TIME 1/3 cell-0 finished in 2 min, test Pearson 0.500; about .* left", first)
    assert re.fullmatch(r"TIME 2/3 cell-2 failed; about .* left", second)
    assert (line, reason) == ("  seed=2", "  ValueError: [bold]no")


def test_a_cell_that_ended_before_is_not_told_but_teaches_how_long_its_model_takes(tmp_path):
    cells = [planned(tmp_path, "0", reason=None), planned(tmp_path, "1"), planned(tmp_path, "2")]
    ended(cells[0], seconds=3600)
    ended(cells[1], seconds=1, status="failed", error="earlier")
    stream = io.StringIO()
    with Watch(cells, stream=stream) as watch:
        time.sleep(0.2)
        assert stream.getvalue() == ""
        watch.say("[a line]")
        ended(cells[2], seconds=10)
        wait_for(stream, "1/2 cell-2")
    assert stream.getvalue().startswith("[a line]\n")
    assert "earlier" not in stream.getvalue()
    # One cell left of a model whose cells took 3600 and 10 seconds, and the end of the one at hand took no time here.
    assert re.search(r"about .* left", stream.getvalue())


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.4, "0 s"), (59, "59 s"), (90, "2 min"), (3600, "1 h 0 min"), (12_600, "3 h 30 min")]
)
def test_time_spans_are_told_as_people_say_them(seconds, words):
    assert spoken(seconds) == words


def test_a_manifest_without_times_took_no_time():
    assert duration({}) == duration({"started": "2030-01-01T00:00:00+00:00", "ended": None}) == 0.0
