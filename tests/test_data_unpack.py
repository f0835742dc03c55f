"""Archives that are broken or mean harm: nothing is written outside the folder."""

import stat
import zipfile

import pytest

from bias_lab.data import fetch as fetching
from bias_lab.data.fetch import unpack
from bias_lab.errors import DataError
from semeval_archive import GOOD, ROOT, pack


def test_a_damaged_member(tmp_path):
    archive = tmp_path / "x.zip"
    raw = bytearray(pack(GOOD))
    at = raw.index(b"terms") if b"terms" in raw else raw.index(b"README.txt") + 12
    raw[at] ^= 0xFF
    archive.write_bytes(raw)
    with pytest.raises(DataError, match=r"x\.zip: not a sound zip archive"):
        unpack(archive, tmp_path / "out")


@pytest.mark.parametrize(
    "name",
    [
        "../2018-EI-reg-En-joy-dev.txt",
        "a/../../README.txt",
        "/tmp/README.txt",
        "..\\README.txt",
        "C:\\README.txt",
        "C:README.txt",
        "\\\\host\\README.txt",
        "../other.bin",
    ],
)
def test_members_that_leave_the_folder(tmp_path, name):
    archive = tmp_path / "evil.zip"
    archive.write_bytes(pack([(f"{ROOT}/README.txt", b"fine"), (name, b"evil")]))
    (tmp_path / "out").mkdir()
    with pytest.raises(DataError) as caught:
        unpack(archive, tmp_path / "out")
    assert str(caught.value) == (
        f"{archive}: the member {name!r} would be written outside the folder; "
        "the archive is refused and nothing was unpacked"
    )
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["evil.zip", "out"]


def test_links_are_refused(tmp_path):
    link = zipfile.ZipInfo(f"{ROOT}/README.txt")
    link.create_system = 3
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    archive = tmp_path / "evil.zip"
    archive.write_bytes(pack([(link, b"/etc/passwd")]))
    with pytest.raises(DataError, match=r"README\.txt' is a symbolic link; the archive is refused"):
        unpack(archive, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_giants_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(fetching, "MAX_MEMBER_BYTES", 10)
    archive = tmp_path / "evil.zip"
    archive.write_bytes(pack(GOOD))
    with pytest.raises(DataError, match=r"README\.txt' has 12 bytes, more than 10; the archive is refused"):
        unpack(archive, tmp_path / "out")


def test_a_name_that_occurs_twice(tmp_path):
    archive = tmp_path / "evil.zip"
    with pytest.warns(UserWarning, match="Duplicate name"):
        archive.write_bytes(pack([("README.txt", b"one"), ("README.txt", b"two")]))
    with pytest.raises(DataError, match=r"not a sound zip archive .*File exists"):
        unpack(archive, tmp_path / "out")
