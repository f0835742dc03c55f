import base64
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from bias_lab.report.payload import columns, json_for_html
from bias_lab.report.scores import CAPITALISED, PERSON, pack_sentences, packed, sentence_scores
from bias_lab.summary import Summary
from report_summary import long_table, shared_summary, write_run


@pytest.fixture(scope="module")
def summary(tmp_path_factory: pytest.TempPathFactory) -> Summary:
    return shared_summary(tmp_path_factory)


def unpack(found: dict[str, Any]) -> np.ndarray:
    return np.frombuffer(base64.b64decode(found["base64"]), dtype=f"<u{found['bytes']}")


def sentences_of(layout: dict[str, Any]) -> list[str]:
    """As the page's script puts them together."""
    found = []
    for person, pattern in zip(unpack(layout["person"]), unpack(layout["pattern"]), strict=True):
        name = layout["persons"][person]
        capitalised = name[:1].upper() + name[1:]
        found.append(layout["patterns"][pattern].replace(PERSON, name).replace(CAPITALISED, capitalised))
    return found


def test_sentences_survive_packing() -> None:
    persons = ["my sister", "my sister", "he", "أحمد", "Ann", "Ann"]
    sentences = [
        "My sister feels sad.",
        "I saw my sister.",
        "The news made him sad.",
        "أحمد حزين.",
        "Nobody.",
        "Ann, Ann.",
    ]
    layout = pack_sentences(persons, sentences)
    assert sentences_of(layout) == sentences
    assert layout["persons"] == ["my sister", "he", "أحمد", "Ann"]


def test_sentences_that_differ_in_the_person_only_share_a_pattern() -> None:
    layout = pack_sentences(["Ann", "Bob"], ["Ann feels sad.", "Bob feels sad."])
    assert layout["patterns"] == [f"{PERSON} feels sad."]


@pytest.mark.parametrize(("largest", "size"), [(65535, 2), (65536, 4)])
def test_numbers_take_as_many_bytes_as_they_need(largest: int, size: int) -> None:
    found = packed(np.array([0, largest]))
    assert found["bytes"] == size
    assert unpack(found).tolist() == [0, largest]


def test_scores_are_those_averaged_over_seeds(summary: Summary) -> None:
    found, is_complete = sentence_scores(summary.cells, most=10_000)
    assert is_complete
    run = next(r for r in found["runs"] if (r["model"], r["eec"], r["emotion"]) == ("alpha", "made_up_en", "anger"))
    tables = [long_table("made_up_en", "anger", model="alpha", seed=seed) for seed in (0, 1)]
    expected = (tables[0]["prediction"] + tables[1]["prediction"]) / 2
    # 16 bits: half of 1/65535.
    np.testing.assert_allclose(unpack(run["scores"]) / 65535, expected, atol=0.5 / 65535)
    assert sentences_of(found["layouts"][run["layout"]]) == tables[0]["sentence"].tolist()


def test_models_share_the_sentences_of_a_corpus(summary: Summary) -> None:
    found, _ = sentence_scores(summary.cells, most=10_000)
    assert len(found["runs"]) == 8
    # Two corpora; the made-up sentences are the same for both emotions.
    assert len(found["layouts"]) == 2


def test_failed_cells_have_no_scores(summary: Summary) -> None:
    failed = summary.cells.assign(status="failed")
    assert sentence_scores(failed, most=10_000) == ({"layouts": [], "runs": []}, True)


def test_too_many_scores_are_left_out_and_told(summary: Summary) -> None:
    found, is_complete = sentence_scores(summary.cells, most=60)  # of runs of 36
    assert not is_complete
    assert len(found["runs"]) == 1


def test_predictions_outside_the_scale_are_clipped(tmp_path: Path) -> None:
    write_run(tmp_path / "0", model="alpha", language="en", emotion="anger", seed=0)
    path = tmp_path / "0" / "predictions" / "made_up_en.parquet"
    table = pd.read_parquet(path)
    table.loc[[0, 1], "prediction"] = [-0.2, 1.2]
    table.to_parquet(path, index=False)
    cells = pd.DataFrame(
        [{"status": "finished", "model": "alpha", "language": "en", "emotion": "anger", "folder": str(tmp_path / "0")}]
    )
    found, _ = sentence_scores(cells, most=100)
    assert unpack(found["runs"][0]["scores"])[:2].tolist() == [0, 65535]


def test_columns_keep_numbers_texts_and_what_is_missing() -> None:
    table = pd.DataFrame({"x": [0.1234567, float("nan"), 2.0], "t": ["a", None, "a"], "n": [1, 2, 3]})
    assert columns(table) == {
        "x": [0.123457, None, 2],
        "t": {"values": ["a"], "codes": [0, -1, 0]},
        "n": [1, 2, 3],
    }


def test_json_cannot_leave_its_script_element() -> None:
    assert json_for_html({"a": "</script><!--\u2028"}) == '{"a":"\\u003c/script>\\u003c!--\\u2028"}'
