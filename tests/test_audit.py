"""`python -m bias_lab.audit`: what it writes and prints is what a run does."""

import json
import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from bias_lab.audit import sentence_id
from bias_lab.audit.__main__ import main
from bias_lab.corpora import load_corpus
from bias_lab.errors import DataError
from bias_lab.stats import analyse


@pytest.fixture
def no_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spare the time that the report page takes."""
    monkeypatch.setattr("bias_lab.audit.writing.write_page", lambda *_, **__: "")


@pytest.fixture(scope="module")
def lexicon(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scores of the sentences of anger in black_white_en by a made-up rule with an effect of gender, from -1 to 1."""
    corpus = load_corpus("black_white_en")
    rows = corpus.table[corpus.table["emotion"] == "anger"]
    rng = np.random.default_rng(0)
    person = rows["person"].map({name: rng.normal(0, 0.1) for name in rows["person"].unique()})
    score = np.tanh(rng.normal(0, 0.3, len(rows)) + person - 0.5 * (rows["gender"] == "female"))
    path = tmp_path_factory.mktemp("lexicon") / "lexicon.csv"
    rows[["sentence"]].assign(score=score).sample(frac=1, random_state=1).to_csv(path, index=False)
    return path


@pytest.mark.usefixtures("no_page")
def test_an_audit_is_the_analysis_of_the_same_long_table(
    lexicon: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    arguments = [str(lexicon), "--eec", "black_white_en", "--range", "-1", "1", "--out", str(out)]
    assert main([*arguments, "--stats", "smallest_effect=0.05", "--stats", "permutations=100"]) == 0
    corpus = load_corpus("black_white_en")
    rows = corpus.table[corpus.table["emotion"] == "anger"]
    scores = pd.read_csv(lexicon).set_index("sentence")["score"]
    long = rows.assign(prediction=((scores[rows["sentence"]] + 1) / 2).to_numpy())
    expected = analyse(long, corpus.factors, smallest_effect=0.05, permutations=100)
    found = pd.read_csv(out / "coefficients.csv", keep_default_na=False, na_values=[""])
    numbers = expected.select_dtypes("number").columns
    pd.testing.assert_frame_equal(found[numbers], expected[numbers], check_dtype=False, rtol=1e-12)
    written = pd.read_parquet(out / "predictions" / "black_white_en.parquet")
    pd.testing.assert_frame_equal(written, long.reset_index(drop=True))
    for name in ("figures/coefficients.png", "figures/coefficients.svg"):
        assert (out / name).stat().st_size > 0
    told = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    assert (told["status"], told["kind"], told["label"]) == ("finished", "audit", "lexicon-en-anger-s0")
    assert told["corpora"][0]["scored_rows"] == 2100
    assert told["data"][0]["rows"] == 2100
    config = yaml.safe_load((out / "config.yaml").read_text(encoding="utf-8"))
    assert config["task"] == {"kind": "audit", "lang": "en", "emotion": "anger"}
    assert config["model"]["range"] == [-1.0, 1.0]
    shown = capsys.readouterr().out
    assert "2,100 sentences of black_white_en (emotion: anger), scored by score in" in shown
    assert "black_white_en, names, gender[female]: lower for female than male (race: European)" in shown
    assert "Scores from -1 to 1 were mapped to 0 to 1; an effect of .010 is 0.02 there." in shown
    assert f"audit folder: {out}" in shown


@pytest.mark.usefixtures("no_page")
def test_the_summary_takes_an_audit_as_a_run(lexicon: Path, tmp_path: Path) -> None:
    from bias_lab.summary.collect import collect

    for name in ("one", "two"):
        arguments = ["--eec", "black_white_en", "--range", "-1", "1", "--out", str(tmp_path / name), "--name", name]
        assert main([str(lexicon), *arguments, "--stats", "permutations=0"]) == 0
    summary = collect([tmp_path / "one", tmp_path / "two"])
    assert summary.cells[["model", "language", "emotion", "status"]].to_numpy().tolist() == [
        ["one", "en", "anger", "finished"],
        ["two", "en", "anger", "finished"],
    ]
    assert set(summary.coefficients["model"]) == {"one", "two"}


def test_the_page_is_written_where_its_library_is(lexicon: Path, tmp_path: Path) -> None:
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    out = tmp_path / "out"
    arguments = [str(lexicon), "--eec", "black_white_en", "--range", "-1", "1", "--out", str(out)]
    assert main([*arguments, "--stats", "permutations=0", "--name", "my lexicon"]) == 0
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "<title>Audit of my lexicon</title>" in page
    assert "black_white_en" in page


def test_without_the_page_all_else_is_there(
    lexicon: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "bias_lab.report", None)
    out = tmp_path / "out"
    arguments = [str(lexicon), "--eec", "black_white_en", "--range", "-1", "1", "--out", str(out)]
    assert main([*arguments, "--stats", "permutations=0"]) == 0
    assert (out / "coefficients.csv").is_file()
    assert "note: no report page: " in capsys.readouterr().err


@pytest.mark.usefixtures("no_page")
def test_a_second_audit_replaces_the_first_but_nothing_else(
    lexicon: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [str(lexicon), "--eec", "black_white_en", "--range", "-1", "1", "--stats", "permutations=0"]
    out = tmp_path / "out"
    assert main([*arguments, "--out", str(out)]) == 0
    (out / "predictions" / "other.parquet").write_bytes(b"of an earlier corpus")
    assert main([*arguments, "--out", str(out)]) == 0
    assert [path.name for path in (out / "predictions").iterdir()] == ["black_white_en.parquet"]
    capsys.readouterr()
    assert main([*arguments, "--out", str(tmp_path)]) == 1
    assert capsys.readouterr().err == f"error: --out {tmp_path}: is there already and is no audit; give a new folder\n"
    assert out.is_dir()


def test_an_analysis_that_fails_is_recorded(
    lexicon: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_arguments: object) -> None:
        raise DataError("no statistics today")

    monkeypatch.setattr("bias_lab.analysis.fit_corpora", broken)
    assert main([str(lexicon), "--eec", "black_white_en", "--range", "-1", "1", "--out", str(tmp_path / "out")]) == 1
    assert capsys.readouterr().err == "error: no statistics today\n"
    told = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert (told["status"], told["error"]) == ("failed", "DataError: no statistics today")


def test_the_sheet_to_be_scored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "to_score.csv"
    assert main(["--eec", "black_white_en", "--emotion", "anger", "--sentences", str(out)]) == 0
    assert capsys.readouterr().out == f"2,100 sentences are in {out}; add a column score\n"
    sheet = pd.read_csv(out)
    assert list(sheet.columns) == ["id", "sentence"]
    assert sheet["id"].tolist() == [sentence_id(sentence) for sentence in sheet["sentence"]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--eec", "blackwhite"], "unknown corpus 'blackwhite'; did you mean 'black_white_en'?"),
        (["--eec", "black_white_en", "--emotion", "disgust"], "--emotion disgust: black_white_en has no sentence of "
         "it; its emotions: anger, fear, joy, sadness"),
        (["--eec", "black_white_en", "--eec", "arab_anglo_ar"], "--eec: the corpora must be of one language, got ar, "
         "en"),
        (["--eec", "black_white_en", "--stats", "levl=0.9"], "--stats levl is not a setting; did you mean level?"),
        (["--eec", "black_white_en", "--stats", "level=9"], "stats.level: got 9; a number between 0 and 1"),
        (["--eec", "black_white_en", "--emotion", "joy"], "no sentence of black_white_en has a score"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line(
    lexicon: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert main([str(lexicon), "--range", "-1", "1", *arguments]) == 1
    shown = capsys.readouterr().err
    assert message in shown
    assert shown.startswith("error: ") and shown.count("\n") == 1


def test_usage_errors_exit_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["--eec", "black_white_en"], ["a.csv", "--eec", "x", "--sentences", "b.csv"], ["a.csv"]):
        with pytest.raises(SystemExit) as stop:
            main(arguments)
        assert stop.value.code == 2
    assert "give a file of scores, or --sentences FILE" in capsys.readouterr().err


def test_the_page_on_audits_names_options_that_exist(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).resolve().parents[1] / "docs" / "audit.md").read_text(encoding="utf-8")
    with pytest.raises(SystemExit):
        main(["--help"])
    known = set(re.findall(r"--[a-z][a-z-]*", capsys.readouterr().out))
    assert set(re.findall(r"--[a-z][a-z-]*", page)) <= known
    assert f"`Alonzo feels angry.` it is `{sentence_id('Alonzo feels angry.')}`" in page
