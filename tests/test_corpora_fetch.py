"""fetch: a local server with small files; all of them or none, verified by content."""

import hashlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from bias_lab.corpora import fetch as fetching
from bias_lab.corpora.__main__ import main
from bias_lab.corpora.fetch import fetch
from bias_lab.data.reading import read_source
from bias_lab.errors import ConfigError, DataError

BY_HAND = "By hand: the files are in the folder eec of https://example.org/eec; put them into the folder --out."
GOOD = b"sentence,person,gender\r\nAnn is here.,Ann,female\r\nTim is here.,Tim,male\r\n"


def _content_sha256(raw: bytes) -> str:
    return hashlib.sha256(raw.replace(b"\r\n", b"\n")).hexdigest()


FACTS: dict[str, Any] = {
    "repository": "https://example.org/eec",
    "url": "https://example.org/eec/{file}",
    "files": {
        "en.csv": {"language": "en", "rows": 2, "content_sha256": _content_sha256(GOOD)},
        "en_ar.csv": {"language": "en", "rows": 2, "content_sha256": None},
    },
}


class _Server(ThreadingHTTPServer):
    files: dict[str, bytes]
    hits: list[str]
    url: str


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        name = self.path.rsplit("/", 1)[-1]
        self.server.hits.append(name)
        body = self.server.files.get(name)
        self.send_response(200 if body is not None else 404)
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture(autouse=True)
def surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small files count as the published ones; the cache is the test's own; waiting takes no time."""
    monkeypatch.setattr(fetching, "_facts", lambda: FACTS)
    monkeypatch.setenv("BIAS_LAB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setattr("pooch.core.time.sleep", lambda seconds: None)


@pytest.fixture
def server() -> Iterator[_Server]:
    with _Server(("127.0.0.1", 0), _Handler) as running:
        running.files, running.hits = {"en.csv": GOOD, "en_ar.csv": GOOD}, []
        running.url = f"http://127.0.0.1:{running.server_port}/eec/{{file}}"
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def test_fetch_puts_verified_files_there_once(tmp_path: Path, server: _Server) -> None:
    out = tmp_path / "made" / "eec"
    first = fetch(out=out, url=server.url)
    assert [(one.path.name, one.new, one.verified) for one in first] == [
        ("en.csv", True, True),
        ("en_ar.csv", True, False),
    ]
    assert sorted(file.name for file in out.iterdir()) == ["en.csv", "en_ar.csv"]
    assert (out / "en.csv").read_bytes() == GOOD
    assert not any(one.new for one in fetch(out=out, url=server.url))
    (out / "en.csv").unlink()
    assert [one.new for one in fetch(out=out, url=server.url)] == [True, False]
    fetch(out=tmp_path / "other", url=server.url)
    assert server.hits == ["en.csv", "en_ar.csv"]


def test_line_ends_and_marks_are_no_other_content(tmp_path: Path, server: _Server) -> None:
    server.files["en.csv"] = b"\xef\xbb\xbf" + GOOD.replace(b"\r\n", b"\n")
    assert fetch(out=tmp_path / "eec", url=server.url)[0].verified


def test_other_content_is_neither_installed_nor_kept(tmp_path: Path, server: _Server) -> None:
    server.files["en.csv"] = GOOD.replace(b"Ann is", b"Ann was")
    with pytest.raises(DataError) as caught:
        fetch(out=tmp_path / "eec", url=server.url)
    address = server.url.replace("{file}", "en.csv")
    assert str(caught.value) == (f"{address}: its content is not the published one. Nothing was installed. {BY_HAND}")
    assert not (tmp_path / "eec").exists()
    server.files["en.csv"] = GOOD
    assert fetch(out=tmp_path / "eec", url=server.url)[0].new


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (GOOD + b"Mia is here.,Mia,female\r\n", "has 3 sentences; 2 were published"),
        (b"<html>log in first</html>", "is no such corpus ("),
    ],
)
def test_without_a_checksum_the_rows_are_counted(tmp_path: Path, server: _Server, body: bytes, message: str) -> None:
    server.files["en_ar.csv"] = body
    with pytest.raises(DataError) as caught:
        fetch(out=tmp_path / "eec", url=server.url)
    assert f"en_ar.csv: {message}" in str(caught.value)
    assert not (tmp_path / "eec").exists()


def test_a_missing_file_and_no_network(tmp_path: Path, server: _Server) -> None:
    del server.files["en_ar.csv"]
    with pytest.raises(DataError) as caught:
        fetch(out=tmp_path / "eec", url=server.url)
    address = server.url.replace("{file}", "en_ar.csv")
    assert str(caught.value) == (
        f"cannot download {address}: 404 Client Error: Not Found for url: {address}. {BY_HAND}"
    )
    assert not (tmp_path / "eec").exists()


def test_offline(tmp_path: Path, server: _Server, capsys: pytest.CaptureFixture[str]) -> None:
    server.shutdown()
    server.server_close()
    assert main(["fetch", "--out", str(tmp_path / "eec"), "--url", server.url]) == 2
    told = capsys.readouterr()
    address = server.url.replace("{file}", "en.csv")
    assert told.err == (
        f"error: cannot download {address}: no connection, or it broke off; is this machine offline? {BY_HAND}\n"
    )
    assert "Câmara, Taneja, Azad, Allaway & Zemel (2022)" in told.out


def test_files_of_ones_own_are_left_alone(tmp_path: Path, server: _Server) -> None:
    (tmp_path / "en.csv").write_text("mine")
    with pytest.raises(DataError) as caught:
        fetch(out=tmp_path, url=server.url)
    assert str(caught.value) == (
        f"{tmp_path / 'en.csv'}: its content is not the published one; nothing was changed: remove it or give "
        "another --out"
    )
    assert (tmp_path / "en.csv").read_text() == "mine" and server.hits == []
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError) as caught:
        fetch(out=tmp_path / "file", url=server.url)
    assert str(caught.value) == f"--out {tmp_path / 'file'}: is a file; give a folder"
    with pytest.raises(ConfigError) as wrong:
        fetch(out=tmp_path / "eec", url="https://example.org")
    assert str(wrong.value) == "--url https://example.org: must hold {file}, the place of the file's name"


def test_the_command(tmp_path: Path, server: _Server, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "eec"
    assert main(["fetch", "--out", str(out), "--url", server.url]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-3:] == [
        f"{out}/en.csv: now there, as published",
        f"{out}/en_ar.csv: now there, no checksum is on record: only its sentences were counted",
        f"Use one with: eec=csv eec.corpora.csv.path={out}/ar.csv eec.corpora.csv.language=ar",
    ]
    assert main(["fetch", "--out", str(out), "--url", server.url]) == 0
    assert f"{out}/en.csv: already there, as published" in capsys.readouterr().out


def test_checksums_on_record_are_those_of_the_published_files(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    facts = fetching._facts()
    assert list(facts["files"]) == ["en.csv", "en_es.csv", "en_ar.csv", "es.csv", "ar.csv"]
    assert facts["url"].startswith("https://") and facts["url"].endswith("/eec/{file}")
    for name, fact in facts["files"].items():
        if fact["content_sha256"] is None:
            assert name == "en_ar.csv"
            continue
        source = read_source(shared / "data" / "eec_published" / name)
        assert source.content_sha256 == fact["content_sha256"]
        assert len(source.lines) - 1 == fact["rows"]
        assert fetching._problem(name, shared / "data" / "eec_published" / name) is None
