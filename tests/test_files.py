import hashlib
import json

import pytest

from bias_lab.files import canonical_json, digest_of, sha256_of, write_atomic, write_json


def test_digests_are_sha256(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"abc")
    assert sha256_of(path) == hashlib.sha256(b"abc").hexdigest()
    path.write_bytes(b"abcd")
    assert sha256_of(path) == hashlib.sha256(b"abcd").hexdigest()
    assert digest_of({"b": [1, None], "a": "ä"}) == hashlib.sha256('{"a":"ä","b":[1,null]}'.encode()).hexdigest()


def test_canonical_json_has_one_form_and_no_nan():
    assert canonical_json({"b": 1, "a": 2}) == canonical_json({"a": 2, "b": 1}) == '{"a":2,"b":1}'
    with pytest.raises(ValueError, match="Out of range float"):
        canonical_json({"a": float("nan")})


def test_a_failed_write_leaves_the_old_file_and_no_litter(tmp_path):
    target = tmp_path / "deep" / "out.json"
    write_json(target, {"a": 1})

    def fail(part):
        part.write_text("half")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        write_atomic(target, fail)
    assert json.loads(target.read_text(encoding="utf-8")) == {"a": 1}
    assert [path.name for path in target.parent.iterdir()] == ["out.json"]


def test_written_files_can_be_read_by_others(tmp_path):
    import os

    mask = os.umask(0o022)
    try:
        write_json(tmp_path / "a.json", {})
    finally:
        os.umask(mask)
    assert (tmp_path / "a.json").stat().st_mode & 0o777 == 0o644
