"""A small stand-in for the organisers' archive: their names and folders, three rows a file."""

import io
import zipfile
from functools import lru_cache

from bias_lab.data.reading import decode
from bias_lab.data.semeval import COLUMNS, DIMENSIONS
from bias_lab.data.task import EMOTIONS, LANGUAGES, SPLITS

FOLDERS = {"en": "English", "es": "Spanish", "ar": "Arabic"}
PARTS = {"train": ("training", "train"), "dev": ("development", "dev"), "test": ("test-gold", "test-gold")}
ROOT = "SemEval2018-Task1-all-data"


def content(emotion, split):
    rows = "".join(f"{split}-{i}\ttext {i}\t{emotion}\t0.{i}00\r\n" for i in range(3))
    return ("\t".join(COLUMNS) + "\r\n" + rows).encode()


def member_names():
    for language in LANGUAGES:
        for emotion in EMOTIONS:
            for split, (part, end) in PARTS.items():
                year = "" if (language, split) == ("en", "train") else "2018-"
                name = f"{year}EI-reg-{language.capitalize()}-{emotion}-{end}.txt"
                yield f"{ROOT}/{FOLDERS[language]}/EI-reg/{part}/{name}", content(emotion, split)


def pack(members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, raw in members:
            bundle.writestr(name, raw)
    return buffer.getvalue()


GOOD = [
    (f"{ROOT}/README.txt", b"terms of use"),
    (f"{ROOT}/English/E-c/2018-E-c-En-train.txt", b"another task"),
    (f"__MACOSX/{ROOT}/._README.txt", b"junk"),
    *member_names(),
]


@lru_cache(maxsize=1)
def facts():
    """What `semeval._facts` would hold had these small files been published."""
    return {
        language: {
            emotion: {
                split: {
                    "rows": 3,
                    "content_sha256": decode(content(emotion, split), path="").content_sha256
                    if emotion in EMOTIONS
                    else None,
                }
                for split in SPLITS
            }
            for emotion in DIMENSIONS
        }
        for language in LANGUAGES
    }
