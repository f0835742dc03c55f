"""Get the SemEval-2018 Task 1 files from their organisers: download, unpack, verify, put in place."""

import re
import shutil
import stat
import uuid
import zipfile
import zlib
from functools import lru_cache
from itertools import product
from pathlib import Path, PurePosixPath

from bias_lab.data.check import check_folder
from bias_lab.data.download import download
from bias_lab.data.semeval import DIMENSIONS, MAX_DEPTH, file_names
from bias_lab.data.task import EMOTIONS, LANGUAGES, SPLITS
from bias_lab.errors import DataError

URL = "https://saifmohammad.com/WebDocs/AIT-2018/AIT2018-DATA/SemEval2018-Task1-all-data.zip"
PAGE = "https://competitions.codalab.org/competitions/17751"
LICENCE = (
    "The tweets are for research use and may not be redistributed. Their organisers ask you to cite:\n"
    "Mohammad, Bravo-Marquez, Salameh & Kiritchenko (2018), SemEval-2018 Task 1: Affect in Tweets.\n"
    f"Terms: {PAGE}"
)
# What zipfile raises for damage, encryption, unknown compression, and names that occur twice.
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    FileExistsError,
    NotADirectoryError,
)
MAX_MEMBER_BYTES = 20_000_000  # the largest published file has 0.3 MB; more is no text file of this task


def fetch(*, out: str | Path, url: str = URL) -> bool:
    """Make `out` a folder with the published files; False where it already was one.

    The archive is kept in the download cache (BIAS_LAB_CACHE, else the user's cache folder), so a second call
    needs no network. `out` appears in one step, when everything in it is verified.

    Raises:
        DataError: no network, an unsafe or broken archive, content other than the published one, or an `out`
            that holds something else or cannot be written.
    """
    out = Path(out).expanduser().absolute()
    if _is_ready(out):
        return False
    archive = download(url, by_hand=_by_hand())
    part = out.parent / f".{out.name}.{uuid.uuid4().hex}.part"
    try:
        part.mkdir(parents=True)
        unpack(archive, part)
        _verify(part, url)
        return _install(part, out)
    except DataError:
        archive.unlink(missing_ok=True)  # or the next call would meet the same bad archive again
        raise
    except OSError as error:
        raise DataError(f"--out {out}: cannot be written ({error.strerror or error})") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def unpack(archive: Path, folder: Path) -> None:
    """Unpack the regression files and the terms of use into `folder`, keeping the archive's own folders.

    Raises:
        DataError: not a zip file, a damaged one, or one with any member that could land outside `folder`.
    """
    try:
        with zipfile.ZipFile(archive) as bundle:
            members = bundle.infolist()
            for member in members:
                _refuse_unsafe(archive, member)
            for member in filter(_is_wanted, members):
                _extract(bundle, member, folder)
    except _BROKEN as error:
        raise DataError(f"{archive}: not a sound zip archive ({error}). {_by_hand()}") from error


def _is_ready(out: Path) -> bool:
    if not out.exists():
        return False
    if not out.is_dir():
        raise DataError(f"--out {out}: is a file; give a folder")
    if not any(out.iterdir()):
        return False
    if all(one.checksum == "ok" for one in check_folder(out) if one.emotion in EMOTIONS):
        return True
    raise DataError(
        f"--out {out}: the folder is not empty and does not hold the complete published files "
        f"(see `python -m bias_lab.data check {out}`); nothing was changed: give a new folder or remove this "
        "one"
    )


def _install(part: Path, out: Path) -> bool:
    """Give the verified folder its name; False where another process did so meanwhile."""
    try:
        if out.exists():
            out.rmdir()  # Windows does not rename onto an empty folder
        part.rename(out)
    except OSError:
        if _is_ready(out):
            return False
        raise
    return True


def _verify(folder: Path, url: str) -> None:
    cells = [one for one in check_folder(folder) if one.emotion in EMOTIONS]
    bad = [one for one in cells if one.checksum != "ok"]
    if bad:
        first = bad[0]
        told = first.problem or "its content is not the published one"
        raise DataError(
            f"{url}: {len(bad)} of {len(cells)} EI-reg files are not as published, the first: "
            f"{first.language} {first.emotion} {first.split}: {told}. Nothing was installed. {_by_hand()}"
        )


def _refuse_unsafe(archive: Path, member: zipfile.ZipInfo) -> None:
    name = member.filename
    parts = re.split(r"[/\\]", name)
    if not parts[0] or ":" in parts[0] or ".." in parts:
        problem = "would be written outside the folder"
    elif stat.S_ISLNK(member.external_attr >> 16):
        problem = "is a symbolic link"
    elif member.file_size > MAX_MEMBER_BYTES and _is_wanted(member):
        problem = f"has {member.file_size} bytes, more than {MAX_MEMBER_BYTES}"
    else:
        return
    raise DataError(f"{archive}: the member {name!r} {problem}; the archive is refused and nothing was unpacked")


def _is_wanted(member: zipfile.ZipInfo) -> bool:
    path = PurePosixPath(member.filename)
    return not member.is_dir() and path.name in _wanted_names() and len(path.parts) <= MAX_DEPTH + 1


@lru_cache(maxsize=1)
def _wanted_names() -> frozenset[str]:
    cells = product(LANGUAGES, DIMENSIONS, SPLITS)
    return frozenset(name for cell in cells for name in file_names(*cell)) | {"README.txt"}


def _extract(bundle: zipfile.ZipFile, member: zipfile.ZipInfo, folder: Path) -> None:
    target = folder.joinpath(*PurePosixPath(member.filename).parts)
    target.parent.mkdir(parents=True, exist_ok=True)
    with bundle.open(member) as stream, target.open("xb") as file:
        shutil.copyfileobj(stream, file)


def _by_hand() -> str:
    return (
        f"By hand: open {URL} in a browser, unpack it into DIR, run `python -m bias_lab.data check DIR` "
        "and pass `task.data_dir=DIR`."
    )
