"""The shipped sample: its reader on small input, then the shipped files themselves."""

import hashlib
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import bias_lab
from bias_lab.data.reading import decode
from bias_lab.data.sample import COLUMNS, load_sample, parse_sample
from bias_lab.data.task import EMOTIONS, LANGUAGES
from bias_lab.errors import ConfigError, DataError

HEADER = "\t".join(COLUMNS)
ROWS = 'a\tsay "hi\ttrain\t0.000\t0.100\t0.200\t0.300\nb\tho\tdev\t1\t1\t1\t1\nc\tha\ttest\t0.5\t0.6\t0.7\t0.8\n'


def parse(text, emotion="joy"):
    return parse_sample(decode(text.encode(), path="s.tsv"), language="en", emotion=emotion)


def test_rows_go_to_their_split():
    text = f"{HEADER}\n{ROWS}"
    task = parse(text)
    assert (task.name, task.language, task.emotion) == ("sample", "en", "joy")
    assert (task.train.texts, task.train.ids, task.train.scores.tolist()) == (('say "hi',), ("a",), [0.2])
    assert (task.dev.ids, task.test.ids) == (("b",), ("c",))
    assert parse(text, "anger").test.scores.tolist() == [0.5]
    (file,) = task.files
    assert (file.path, file.sha256, file.rows) == ("s.tsv", hashlib.sha256(text.encode()).hexdigest(), 3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ROWS, f"s.tsv, line 1: expected the header {'<TAB>'.join(COLUMNS)}"),
        (f"{HEADER}\n{ROWS}d\tx\ttrain\n", f"s.tsv, line 5: 3 columns, expected 7 ({', '.join(COLUMNS)})"),
        (f"{HEADER}\n{ROWS}{ROWS}", "s.tsv, line 5: the id 'a' occurs twice; ids are unique"),
        (f"{HEADER}\n{ROWS.replace('ho', ' ')}", "s.tsv, line 3: the id or the text is empty"),
        (
            f"{HEADER}\n{ROWS.replace('dev', 'val')}",
            "s.tsv, line 3: the split is 'val'; choose from train, dev, test",
        ),
        (f"{HEADER}\n{ROWS.replace('dev', 'test')}", "s.tsv: no row of the dev split"),
        (
            f"{HEADER}\n{ROWS.replace('0.8', '8')}",
            "s.tsv, line 4: the score is 8, outside [0, 1]; rescale the scores to 0..1",
        ),
    ],
)
def test_malformed_samples(text, message):
    with pytest.raises(DataError) as caught:
        parse(text)
    assert str(caught.value) == message


def test_unknown_cells():
    with pytest.raises(ConfigError) as caught:
        load_sample(language="fr", emotion="joy")
    assert str(caught.value) == "task.lang=fr: choose one of en, es, ar"
    with pytest.raises(ConfigError) as caught:
        load_sample(language="en", emotion="valence")
    assert str(caught.value) == "task.emotion=valence: choose one of anger, fear, joy, sadness"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_shipped_files_can_train_something(language):
    for emotion in EMOTIONS:
        task = load_sample(language=language, emotion=emotion)
        sizes = [len(split) for split in (task.train, task.dev, task.test)]
        assert 120 <= sum(sizes) <= 200
        assert sizes[0] > sizes[1] and sizes[0] > sizes[2] and min(sizes) >= 20
        for split in (task.train, task.dev, task.test):
            assert np.ptp(split.scores) > 0.5
        texts = [text for split in (task.train, task.dev, task.test) for text in split.texts]
        assert len(set(texts)) == len(texts)
        assert all(text == text.strip() for text in texts)


def test_the_sample_is_read_from_inside_an_archive(tmp_path):
    package = Path(bias_lab.__file__).parent
    archive = tmp_path / "bias_lab.zip"
    with zipfile.ZipFile(archive, "w") as bundle:
        for path in [*package.glob("*.py"), *package.glob("data/*.py"), *package.glob("data/sample/*.tsv")]:
            bundle.write(path, Path("bias_lab") / path.relative_to(package))
    code = (
        "import sys, bias_lab.data.sample as s; t = s.load_sample(language='ar', emotion='joy');"
        "assert 'bias_lab.zip' in t.files[0].path, t.files; assert 'torch' not in sys.modules;"
        "print(len(t.train))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(archive)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == len(load_sample(language="ar", emotion="joy").train)
