"""fetch: a local server with small archives, and folders that are never half full."""

import stat
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from bias_lab.data import fetch as fetching
from bias_lab.data import semeval
from bias_lab.data.__main__ import main
from bias_lab.data.fetch import URL, fetch, unpack
from bias_lab.data.semeval import load_semeval
from bias_lab.errors import DataError
from semeval_archive import GOOD, ROOT, facts, member_names, pack

BY_HAND = (
    f"By hand: open {URL} in a browser, unpack it into DIR, run `python -m bias_lab.data check DIR` "
    "and pass `task.data_dir=DIR`."
)


@pytest.fixture(autouse=True)
def surroundings(tmp_path, monkeypatch):
    """Small files count as the published ones; the cache is the test's own; waiting takes no time."""
    monkeypatch.setattr(semeval, "_facts", facts)
    monkeypatch.setenv("BIAS_LAB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setattr("pooch.core.time.sleep", lambda seconds: None)


@pytest.fixture
def server():
    """Serve `server.answers`, one (status, body) after the other, the last one again and again."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            answers = self.server.answers
            status, body = answers.pop(0) if len(answers) > 1 else answers[0]
            self.server.hits += 1
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        running.answers, running.hits = [(200, pack(GOOD))], 0
        running.url = f"http://127.0.0.1:{running.server_port}/all-data.zip"
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def files_below(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def leftovers(folder):
    return [path.name for path in folder.iterdir() if path.name.endswith(".part")]


def test_fetch_unpacks_what_is_used_and_verifies_it(tmp_path, server):
    out = tmp_path / "made" / "semeval"
    assert fetch(out=out, url=server.url) is True
    assert files_below(out) == sorted([f"{ROOT}/README.txt", *(name for name, _ in member_names())])
    assert leftovers(out.parent) == []
    task = load_semeval(out, language="en", emotion="fear")
    assert task.train.scores.tolist() == [0.0, 0.1, 0.2]
    assert stat.S_IMODE(out.stat().st_mode) == stat.S_IMODE(out.parent.stat().st_mode)


def test_fetch_is_safe_to_repeat_and_uses_its_cache(tmp_path, server):
    assert fetch(out=tmp_path / "a", url=server.url) is True
    assert fetch(out=tmp_path / "a", url=server.url) is False
    (tmp_path / "b").mkdir()
    assert fetch(out=tmp_path / "b", url=server.url) is True
    assert server.hits == 1


def test_fetch_tries_again(tmp_path, server):
    server.answers.insert(0, (503, b""))
    assert fetch(out=tmp_path / "a", url=server.url) is True
    assert server.hits == 2


def test_a_server_that_refuses(tmp_path, server):
    server.answers = [(404, b"")]
    with pytest.raises(DataError) as caught:
        fetch(out=tmp_path / "a", url=server.url)
    assert str(caught.value) == (
        f"cannot download {server.url}: 404 Client Error: Not Found for url: {server.url}. {BY_HAND}"
    )
    assert not (tmp_path / "a").exists()


def test_offline(tmp_path, server, capsys):
    url = server.url
    server.shutdown()
    server.server_close()
    assert main(["fetch", "--out", str(tmp_path / "a"), "--url", url]) == 1
    told = capsys.readouterr()
    assert told.err.splitlines()[-1] == (
        f"error: cannot download {url}: no connection, or it broke off; is this machine offline? {BY_HAND}"
    )
    assert "Traceback" not in told.err
    assert "research use" in told.out
    assert not (tmp_path / "a").exists()


def test_other_content_is_not_installed_nor_kept(tmp_path, server):
    changed = [
        (name, raw.replace(b"text 1", b"text 7") if name.endswith("Es-joy-dev.txt") else raw) for name, raw in GOOD
    ]
    server.answers = [(200, pack(changed)), (200, pack(GOOD))]
    with pytest.raises(DataError) as caught:
        fetch(out=tmp_path / "a", url=server.url)
    assert str(caught.value) == (
        f"{server.url}: 1 of 36 EI-reg files are not as published, the first: es joy dev: its content is not "
        f"the published one. Nothing was installed. {BY_HAND}"
    )
    assert not (tmp_path / "a").exists() and leftovers(tmp_path) == []
    assert fetch(out=tmp_path / "a", url=server.url) is True


def test_an_incomplete_archive(tmp_path, server):
    server.answers = [(200, pack([item for item in GOOD if "Ar-fear-dev" not in item[0]]))]
    with pytest.raises(DataError) as caught:
        fetch(out=tmp_path / "a", url=server.url)
    assert str(caught.value) == (
        f"{server.url}: 1 of 36 EI-reg files are not as published, the first: ar fear dev: no file; looked "
        f"for 2018-EI-reg-Ar-fear-dev.txt or EI-reg-Ar-fear-dev.txt. Nothing was installed. {BY_HAND}"
    )


def test_line_ends_and_marks_do_not_count_as_other_content(tmp_path, server):
    server.answers = [(200, pack([(name, b"\xef\xbb\xbf" + raw.replace(b"\r\n", b"\n")) for name, raw in GOOD]))]
    assert fetch(out=tmp_path / "a", url=server.url) is True


@pytest.mark.parametrize("body", [b"<html>log in first</html>", pack(GOOD)[:-600]])
def test_no_sound_zip(tmp_path, server, body):
    server.answers = [(200, body), (200, pack(GOOD))]
    with pytest.raises(DataError, match=r"not a sound zip archive \(File is not a zip file\)\. By hand: open"):
        fetch(out=tmp_path / "a", url=server.url)
    assert fetch(out=tmp_path / "a", url=server.url) is True


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path, server):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    with pytest.raises(DataError) as caught:
        fetch(out=tmp_path / "mine", url=server.url)
    assert str(caught.value) == (
        f"--out {tmp_path / 'mine'}: the folder is not empty and does not hold the complete published files "
        f"(see `python -m bias_lab.data check {tmp_path / 'mine'}`); nothing was changed: give a new folder "
        "or remove this one"
    )
    assert files_below(tmp_path / "mine") == ["notes.txt"]
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError) as caught:
        fetch(out=tmp_path / "file", url=server.url)
    assert str(caught.value) == f"--out {tmp_path / 'file'}: is a file; give a folder"
    assert server.hits == 0


def test_another_process_was_faster(tmp_path, server, monkeypatch):
    out, archive = tmp_path / "a", tmp_path / "all.zip"
    archive.write_bytes(pack(GOOD))
    monkeypatch.setattr(fetching, "_verify", lambda part, url: unpack(archive, out))
    assert fetch(out=out, url=server.url) is False
    assert leftovers(tmp_path) == []


def test_an_interrupted_unpacking_leaves_nothing(tmp_path, server, monkeypatch):
    def interrupt(part, url):
        raise KeyboardInterrupt

    monkeypatch.setattr(fetching, "_verify", interrupt)
    with pytest.raises(KeyboardInterrupt):
        fetch(out=tmp_path / "a", url=server.url)
    assert not (tmp_path / "a").exists() and leftovers(tmp_path) == []


def test_the_commands(tmp_path, server, capsys):
    out = str(tmp_path / "a")
    assert main(["fetch", "--out", out, "--url", server.url]) == 0
    assert f"The files are now in {out}; use them with: task.data_dir={out}" in capsys.readouterr().out
    assert main(["fetch", "--out", out, "--url", server.url]) == 0
    assert f"The files are already in {out}" in capsys.readouterr().out
    assert main(["check", out]) == 0
    assert "36 of 36 files found, 36 with the published content." in capsys.readouterr().out
