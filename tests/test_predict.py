"""`python -m bias_lab.predict`: new texts get the scores that the run itself would have given."""

import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bias_lab.errors import BiasLabError
from bias_lab.models.regressor import Regressor
from bias_lab.predict import load_regressor, main, read_texts
from bias_lab.run_folder import open_run
from run_folders import real_run, write_run
from stats_tables import corpus


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def head_run(tiny_checkpoint: Path, cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of a (tiny) encoder with options that differ from the defaults."""
    model = ["model=encoder", f"model.name_or_path={tiny_checkpoint}", "model.hidden=16", "model.pooling=mean"]
    more = ["model.prefix='query: '", "model.cleaning.mentions=keep", "trainer.max_epochs=2", f"cache_dir={cache}"]
    return real_run(tmp_path_factory.mktemp("runs") / "head", *model, *more)


@pytest.fixture(scope="module")
def svm_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return real_run(tmp_path_factory.mktemp("runs") / "svm", "model=svm_tfidf")


@pytest.fixture(scope="module")
def fasttext_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return real_run(tmp_path_factory.mktemp("runs") / "fasttext", "model=fasttext", "model.dim=10", "model.epochs=2")


@pytest.mark.parametrize("name", ["head_run", "svm_run", "fasttext_run"])
def test_a_runs_own_sentences_get_its_own_scores(name: str, request: pytest.FixtureRequest) -> None:
    run = open_run(request.getfixturevalue(name))
    table = run.table("black_white_en")
    regressor = load_regressor(run)
    assert isinstance(regressor, Regressor)
    assert table["prediction"].nunique() > 10
    np.testing.assert_array_equal(regressor.predict(table["sentence"].tolist()), table["prediction"])
    # Alone, a text may differ by the rounding of a float32 product of another shape.
    few = table.sample(3, random_state=0)
    np.testing.assert_allclose(regressor.predict(few["sentence"].tolist()), few["prediction"], rtol=3e-7)


def test_the_command_scores_lines_of_a_text_file(
    svm_run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = tmp_path / "texts.txt"
    texts.write_bytes('\ufeffAlonzo feels angry.\r\n¡Qué día, "amigo"!\r\n'.encode())
    assert main([str(svm_run), str(texts)]) == 0
    printed = capsys.readouterr().out
    expected = load_regressor(open_run(svm_run)).predict(["Alonzo feels angry.", '¡Qué día, "amigo"!'])
    first, second = (repr(float(value)) for value in expected)
    assert printed == f'text,score\nAlonzo feels angry.,{first}\n"¡Qué día, ""amigo""!",{second}\n'


def test_the_command_adds_a_column_to_a_csv(svm_run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts, out = tmp_path / "texts.csv", tmp_path / "new" / "scored.csv"
    texts.write_text("id;tweet\n007;so angry, again\n008;happy\n", encoding="utf-8")
    assert main([str(svm_run), str(texts), "--column", "tweet", "--out", str(out)]) == 0
    assert capsys.readouterr().out == f"2 texts scored by {open_run(svm_run).label}: {out}\n"
    scored = pd.read_csv(out, dtype={"id": "str"})
    assert scored.columns.tolist() == ["id", "tweet", "score"]
    assert scored["id"].tolist() == ["007", "008"]
    expected = load_regressor(open_run(svm_run)).predict(["so angry, again", "happy"])
    np.testing.assert_array_equal(scored["score"], expected)


@pytest.mark.parametrize(
    ("name", "content", "column", "message"),
    [
        ("t.txt", "a\n\n \nb\n", None, "no text in line 2, 3; every line needs a text, so that scores and lines go "
         "together"),
        ("t.txt", "", None, "there is no text in it; every line needs a text, so that scores and lines go together"),
        ("t.csv", "text,n\n,1\n", None, "no text in line 2; every line needs a text, so that scores and lines go "
         "together"),
        ("t.csv", "tweet,n\na,1\n", None, "no column 'text'; the columns are tweet, n. Name it with --column"),
        ("t.csv", "tweet,n\na,1\n", "twet", "no column 'twet'; the columns are tweet, n. Name it with --column"),
    ],
)  # fmt: skip
def test_texts_that_cannot_be_scored(tmp_path: Path, name: str, content: str, column: str | None, message: str) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    with pytest.raises(BiasLabError) as caught:
        read_texts(path, column=column)
    assert str(caught.value) == f"{path}: {message}"


def edited(run: Path, tmp_path: Path, **entries: object) -> Path:
    """A copy of a run with other entries in its manifest."""
    copy = Path(shutil.copytree(run, tmp_path / "copy"))
    content = json.loads((copy / "manifest.json").read_text(encoding="utf-8"))
    (copy / "manifest.json").write_text(json.dumps(content | entries), encoding="utf-8")
    return copy


@pytest.mark.parametrize(
    ("status", "error", "reason"),
    [
        ("failed", "DataError: no such file", " (DataError: no such file)"),
        ("running", None, ""),
        ("predicted", None, ""),
    ],
)
def test_a_run_that_did_not_finish_is_refused(
    svm_run: Path, tmp_path: Path, status: str, error: str | None, reason: str
) -> None:
    run = edited(svm_run, tmp_path, status=status, error=error)
    with pytest.raises(BiasLabError) as caught:
        open_run(run)
    assert str(caught.value) == f"{run}: its status is {status}, not finished{reason}; run the cell again"


def test_folders_without_a_model(svm_run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.txt").write_text("a\n")
    audit = write_run(tmp_path / "sweep" / "0", corpus(), kind="audit")
    bare = write_run(tmp_path / "sweep" / "1", corpus())
    for folder, message in {
        audit: "is an audit of scores from elsewhere, there is no model in it",
        bare: "no trained model here (neither head.ckpt nor baseline.skops); run the cell again",
        audit.parent: f"is no run folder (no manifest.json in it); it holds runs: give one of them, such as {audit}",
        tmp_path / "x": "is no run folder (no manifest.json in it); there is no such folder",
    }.items():
        assert main([str(folder), str(tmp_path / "t.txt")]) == 1
        assert capsys.readouterr().err == f"error: {folder}: {message}\n"
    assert main([str(svm_run), str(tmp_path / "t.txt"), "--encoder", "x"]) == 1
    assert capsys.readouterr().err.endswith("is a baseline, which has no encoder\n")


def test_another_encoder_is_refused_and_a_moved_one_found(
    head_run: Path, tiny_checkpoint: Path, tmp_path: Path
) -> None:
    run = open_run(head_run)
    moved = Path(shutil.copytree(tiny_checkpoint, tmp_path / "moved"))
    table = run.table("black_white_en").head(20)
    expected = load_regressor(run).predict(table["sentence"].tolist())
    again = load_regressor(run, encoder=str(moved)).predict(table["sentence"].tolist())
    np.testing.assert_array_equal(again, expected)

    config = json.loads((moved / "config.json").read_text(encoding="utf-8"))
    (moved / "config.json").write_text(json.dumps(config | {"layer_norm_eps": 1e-5}), encoding="utf-8")
    with pytest.raises(BiasLabError) as caught:
        load_regressor(run, encoder=str(moved))
    was = run.manifest["model"]["encoder"]["checkpoint"]
    assert str(caught.value).startswith(
        f"{run.label}: its encoder is not the one that the run used: checkpoint was {was}, {moved} has folder:"
    )
    assert str(caught.value).endswith("Give the run's own checkpoint with --encoder, or run the cell again")
    with pytest.raises(
        BiasLabError, match=r"there is no folder .* Where the run's checkpoint was moved, say where with"
    ):
        load_regressor(run, encoder=str(tmp_path / "gone"))


def test_every_option_that_decides_a_vector_is_compared(head_run: Path, tmp_path: Path) -> None:
    encoder = open_run(head_run).manifest["model"]["encoder"]
    for key, other in {"format": 0, "max_length": 5, "cleaning": {"mentions": "remove"}, "prefix": ""}.items():
        folder = tmp_path / key
        folder.mkdir()
        run = edited(head_run, folder, model={"encoder": encoder | {key: other}})
        with pytest.raises(BiasLabError, match=f"not the one that the run used: {key} was"):
            load_regressor(open_run(run))


def test_a_damaged_head_or_another_class_is_refused(head_run: Path, tmp_path: Path) -> None:
    run = edited(head_run, tmp_path)
    config = (run / "config.yaml").read_text(encoding="utf-8")
    (run / "config.yaml").write_text(config.replace("EncoderHeadRegressor", "SomethingElse"), encoding="utf-8")
    with pytest.raises(BiasLabError, match="SomethingElse, which only its owner can load"):
        load_regressor(open_run(run))
    (run / "config.yaml").write_text(config, encoding="utf-8")
    (run / "head.ckpt").write_bytes((run / "head.ckpt").read_bytes()[:200])
    with pytest.raises(BiasLabError, match=r"head.ckpt: cannot be loaded \(.*\); run the cell again"):
        load_regressor(open_run(run))


def test_usage_errors_exit_with_2() -> None:
    with pytest.raises(SystemExit) as stop:
        main(["only-a-run"])
    assert stop.value.code == 2
