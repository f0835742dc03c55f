"""check: missing, malformed, short and changed files are told apart."""

import pytest

from bias_lab.data import semeval
from bias_lab.data.__main__ import main
from bias_lab.data.check import check_folder
from bias_lab.data.semeval import EMOTIONS, HOW_TO_GET
from semeval_archive import content, facts, member_names


@pytest.fixture(autouse=True)
def small_files(monkeypatch):
    """Small files count as the published ones."""
    monkeypatch.setattr(semeval, "_facts", facts)


def install(folder):
    for name, raw in member_names():
        path = folder / name.rsplit("/", 1)[-1]
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(raw)
    return folder


def test_check_tells_missing_malformed_short_and_changed_files_apart(tmp_path, capsys):
    folder = install(tmp_path / "flat")
    (folder / "2018-EI-reg-Ar-joy-dev.txt").unlink()
    malformed = folder / "2018-EI-reg-Es-fear-dev.txt"
    malformed.write_bytes(malformed.read_bytes().replace(b"0.100", b"NONE"))
    short = folder / "2018-EI-reg-Es-joy-train.txt"
    short.write_bytes(b"\r\n".join(short.read_bytes().split(b"\r\n")[:3]) + b"\r\n")
    changed = folder / "EI-reg-En-anger-train.txt"
    changed.write_bytes(changed.read_bytes().replace(b"text 1", b"text 7"))
    assert main(["check", str(folder)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[-6:] == [
        f"problem: es fear dev: {malformed}, line 3: the score is NONE: this file has no labels; "
        "the labelled test files end in -test-gold.txt",
        f"problem: es joy train: {short} has 2 rows; 3 were published",
        "problem: ar joy dev: no file; looked for 2018-EI-reg-Ar-joy-dev.txt or EI-reg-Ar-joy-dev.txt",
        f"warning: {changed}: the rows are complete, the content is not the published one",
        "35 of 36 files found, 32 with the published content.",
        HOW_TO_GET,
    ]


def test_changed_content_alone_is_only_a_warning(tmp_path, capsys):
    folder = install(tmp_path / "flat")
    changed = folder / "EI-reg-En-anger-train.txt"
    changed.write_bytes(changed.read_bytes().replace(b"text 1", b"text 7"))
    assert main(["check", str(folder)]) == 0
    assert f"warning: {changed}" in capsys.readouterr().out


def test_valence_is_checked_where_there_is_any(tmp_path):
    folder = install(tmp_path / "flat")
    assert {one.emotion for one in check_folder(folder)} == set(EMOTIONS)
    (folder / "2018-Valence-reg-Es-train.txt").write_bytes(content("valence", "train"))
    found = [one for one in check_folder(folder) if one.emotion == "valence"]
    assert [(one.language, one.split, one.rows, one.checksum) for one in found] == [
        ("es", "train", 3, "unknown"),
        ("es", "dev", None, "unknown"),
        ("es", "test", None, "unknown"),
    ]
    assert [bool(one.problem) for one in found] == [False, True, True]


def test_check_of_no_folder(tmp_path, capsys):
    assert main(["check", str(tmp_path / "none")]) == 1
    assert capsys.readouterr().err == (
        f"error: task.data_dir={tmp_path / 'none'}: there is no such folder. {HOW_TO_GET}\n"
    )


def test_the_published_checksums_are_those_of_the_real_files(shared, monkeypatch):
    monkeypatch.undo()
    findings = check_folder(shared / "data" / "semeval2018")
    assert len(findings) == 36
    assert {(one.checksum, one.problem) for one in findings} == {("ok", None)}
