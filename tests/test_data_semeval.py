"""SemEval files: every quirk of the format, every error with its line, and the real files."""

import csv
import hashlib
import logging

import pytest

from bias_lab.data.semeval import COLUMNS, EMOTIONS, HOW_TO_GET, file_names, load_semeval, published
from bias_lab.data.task import LANGUAGES, SPLITS
from bias_lab.errors import ConfigError, DataError

HEADER = "\t".join(COLUMNS)
NAMES = {"train": "train", "dev": "dev", "test": "test-gold"}
ROW_COUNTS = {
    "en": [(1701, 388, 1002), (2252, 389, 986), (1616, 290, 1105), (1533, 397, 975)],
    "es": [(1166, 193, 627), (1166, 202, 618), (1058, 202, 730), (1154, 196, 641)],
    "ar": [(877, 150, 373), (882, 146, 372), (728, 224, 448), (889, 141, 370)],
}


def write(folder, name="2018-EI-reg-Es-joy-{}.txt", emotion="joy", **changed):
    """Write three small files; `changed` replaces the whole bytes of a split."""
    folder.mkdir(parents=True, exist_ok=True)
    for split, end in NAMES.items():
        rows = f"{HEADER}\r\n{split}-1\tuno\t{emotion}\t0.250\r\n{split}-2\tdos\t{emotion}\t0.750\r\n"
        (folder / name.format(end)).write_bytes(changed.get(split, rows.encode()))
    return folder


def load(folder, emotion="joy"):
    return load_semeval(folder, language="es", emotion=emotion)


def dev_error(tmp_path, content):
    raw = content if isinstance(content, bytes) else content.encode()
    with pytest.raises(DataError) as caught:
        load(write(tmp_path, dev=raw))
    start = str(tmp_path / "2018-EI-reg-Es-joy-dev.txt")
    assert str(caught.value).startswith(start)
    return str(caught.value).removeprefix(start)


def test_the_quirks_of_the_format(tmp_path):
    raw = (
        "\ufeff" + HEADER + "\r\n"
        'a\t"open quote &amp; \\n literal\tjoy\t0\r\n'
        'b\t say "hi\u2028there\x85" \tjoy\t1\r\n'
        "c\tthree decimals\tjoy\t0.517\r\n"
        "\r\n"
    ).encode()
    task = load(write(tmp_path, train=raw))
    assert (task.name, task.language, task.emotion) == ("semeval2018", "es", "joy")
    assert task.train.ids == ("a", "b", "c")
    assert task.train.texts == (
        '"open quote &amp; \\n literal',
        ' say "hi\u2028there\x85" ',
        "three decimals",
    )
    assert task.train.scores.tolist() == [0.0, 1.0, 0.517]
    assert [(file.path, file.rows) for file in task.files] == [
        (str(tmp_path / f"2018-EI-reg-Es-joy-{end}.txt"), rows)
        for end, rows in (("train", 3), ("dev", 2), ("test-gold", 2))
    ]
    assert task.files[0].sha256 == hashlib.sha256(raw).hexdigest()


def test_a_last_line_without_newline_is_fine_when_complete(tmp_path):
    task = load(write(tmp_path, dev=f"{HEADER}\na\tuno\tjoy\t0.500".encode()))
    assert task.dev.scores.tolist() == [0.5]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            f"{HEADER}\na\tuno\tjoy\t0.5\nb\tdos\tjoy\tNONE\n",
            ", line 3: the score is NONE: this file has no labels; the labelled test files end in -test-gold.txt",
        ),
        (
            f"{HEADER}\na\tuno\tjoy\t1.2\n",
            ", line 2: the score is 1.2, outside [0, 1]; rescale the scores to 0..1",
        ),
        (
            f"{HEADER}\na\tuno\tjoy\t0,5\n",
            ", line 2: the score is '0,5'; expected a number from 0 to 1, such as 0.517",
        ),
        (f"{HEADER}\na\t \tjoy\t0.5\n", ", line 2: the tweet of a is empty"),
        (f"{HEADER}\n\tuno\tjoy\t0.5\n", ", line 2: the ID is empty"),
        (
            f"{HEADER}\na\tuno\tjoy\t0.5\nb\tdos\tjoy\t0.5\na\ttres\tjoy\t0.5\n",
            ", line 4: the ID a is already on line 2; IDs must be unique",
        ),
        (
            f"{HEADER}\na\tuno\tjoy\t0.500\nb\tdos",
            ", line 3: 2 columns, expected 4 (ID, Tweet, Affect Dimension, Intensity Score); "
            "the file seems to be cut off here",
        ),
        (
            f"{HEADER}\na\tuno\tjoy\t0.500\nb\tdos\tjoy\t0.5",
            ", line 3: the last line has no newline and ends in '0.5', expected a score with three decimals; "
            "the file seems to be cut off (if it is whole, end it with a newline)",
        ),
        (
            f"{HEADER}\na\tuno\tjoy\t0.500\textra\n",
            ", line 2: 5 columns, expected 4 (ID, Tweet, Affect Dimension, Intensity Score)",
        ),
        (
            f"{HEADER}\na\tuno\tjoy\t0.500\n\nb\tdos\tjoy\t0.5\n",
            ", line 3: 1 columns, expected 4 (ID, Tweet, Affect Dimension, Intensity Score)",
        ),
        (
            f"{HEADER}\na\tuno\tanger\t0.500\n",
            ", line 2: the affect dimension is 'anger', expected joy: another task's file?",
        ),
        (
            "a\tuno\tjoy\t0.500\n",
            ", line 1: expected the header ID<TAB>Tweet<TAB>Affect Dimension<TAB>Intensity Score, "
            "got 'a<TAB>uno<TAB>joy<TAB>0.500'",
        ),
        (
            "",
            ", line 1: expected the header ID<TAB>Tweet<TAB>Affect Dimension<TAB>Intensity Score, got 'an empty file'",
        ),
        (f"{HEADER}\r\n", ": there is a header but no row below it"),
        (
            f"{HEADER}\na\tuno\tjoy\t0.5\n".encode("utf-16"),
            ", line 1: the file is UTF-16 (or binary), expected UTF-8; save it as UTF-8, "
            "for example with `iconv -f UTF-16 -t UTF-8`",
        ),
        (
            f"{HEADER}\na\tuno\tjoy\t0.5\n".encode("utf-16-le"),
            ", line 1: the file is UTF-16 (or binary), expected UTF-8; save it as UTF-8, "
            "for example with `iconv -f UTF-16 -t UTF-8`",
        ),
        (
            f"{HEADER}\na\tuno\tjoy\t0.5\nb\taño\tjoy\t0.5\n".encode("latin-1"),
            ", line 3: byte 0xf1 is not UTF-8; save the file as UTF-8",
        ),
    ],
)
def test_malformed_files(tmp_path, content, message):
    assert dev_error(tmp_path, content) == message


def test_other_row_counts_are_a_warning(tmp_path, caplog):
    with caplog.at_level(logging.WARNING, logger="bias_lab.data"):
        load(write(tmp_path))
    assert caplog.messages[0] == f"{tmp_path / '2018-EI-reg-Es-joy-train.txt'} has 2 rows; 1058 were published"
    assert len(caplog.messages) == 3


def test_the_organisers_tree_and_names(tmp_path):
    root = tmp_path / "SemEval2018-Task1-all-data" / "Spanish" / "EI-reg"
    for part, split in (("training", "train"), ("development", "dev"), ("test-gold", "test")):
        write(root / part, name="EI-reg-Es-joy-{}.txt" if split == "train" else "2018-EI-reg-Es-joy-{}.txt")
        for other in set(NAMES) - {split}:
            for path in (root / part).glob(f"*-{NAMES[other]}.txt"):
                path.unlink()
    (root / "test").mkdir()
    (root / "test" / "2018-EI-reg-Es-joy-test.txt").write_text("unlabelled: must not be taken")
    task = load(tmp_path)
    assert [file.path for file in task.files] == [
        str(root / "training" / "EI-reg-Es-joy-train.txt"),
        str(root / "development" / "2018-EI-reg-Es-joy-dev.txt"),
        str(root / "test-gold" / "2018-EI-reg-Es-joy-test-gold.txt"),
    ]


def test_valence_files(tmp_path):
    task = load(write(tmp_path, name="2018-Valence-reg-Es-{}.txt", emotion="valence"), emotion="valence")
    assert (task.emotion, len(task.train)) == ("valence", 2)


def test_only_an_unlabelled_test_file(tmp_path):
    write(tmp_path)
    (tmp_path / "2018-EI-reg-Es-joy-test-gold.txt").unlink()
    unlabelled = tmp_path / "2018-EI-reg-Es-joy-test.txt"
    unlabelled.write_text(f"{HEADER}\na\tuno\tjoy\tNONE\n")
    with pytest.raises(DataError) as caught:
        load(tmp_path)
    assert str(caught.value) == (
        f"{unlabelled}, line 2: the score is NONE: this file has no labels; "
        "the labelled test files end in -test-gold.txt"
    )


def test_two_files_of_one_name(tmp_path):
    write(tmp_path)
    write(tmp_path / "copy")
    assert load(tmp_path).files[0].path == str(tmp_path / "2018-EI-reg-Es-joy-train.txt")
    other = tmp_path / "copy" / "2018-EI-reg-Es-joy-train.txt"
    other.write_bytes(other.read_bytes() + b"x")
    with pytest.raises(DataError) as caught:
        load(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path / '2018-EI-reg-Es-joy-train.txt'} and {other} have the same name but differ; "
        "point task.data_dir at the folder with the one you mean"
    )


def test_missing_files_are_listed_with_a_way_out(tmp_path):
    write(tmp_path)
    (tmp_path / "2018-EI-reg-Es-joy-train.txt").unlink()
    (tmp_path / "2018-EI-reg-Es-joy-dev.txt").unlink()
    with pytest.raises(DataError) as caught:
        load(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path}: no train and no dev file for es joy; looked for "
        "2018-EI-reg-Es-joy-train.txt or EI-reg-Es-joy-train.txt; "
        "2018-EI-reg-Es-joy-dev.txt or EI-reg-Es-joy-dev.txt; in the folder and up to 5 folders deep. "
        "Run `python -m bias_lab.data fetch --out DIR` to get the files and pass `task.data_dir=DIR`; "
        "`python -m bias_lab.data check DIR` shows what a folder holds."
    )


def test_a_missing_folder(tmp_path):
    with pytest.raises(DataError) as caught:
        load(tmp_path / "none")
    assert str(caught.value) == f"task.data_dir={tmp_path / 'none'}: there is no such folder. {HOW_TO_GET}"
    with pytest.raises(DataError) as caught:
        load(None)
    assert str(caught.value) == (f"task.data_dir is not set; it names the folder of SemEval-2018 files. {HOW_TO_GET}")


def test_unknown_languages_and_emotions(tmp_path):
    with pytest.raises(ConfigError) as caught:
        load_semeval(tmp_path, language="fr", emotion="joy")
    assert str(caught.value) == "task.lang=fr: choose one of en, es, ar"
    with pytest.raises(ConfigError) as caught:
        load_semeval(tmp_path, language="en", emotion="love")
    assert str(caught.value) == ("task.emotion=love: choose one of anger, fear, joy, sadness, valence")


def test_published_row_counts():
    for language, cells in ROW_COUNTS.items():
        for emotion, counts in zip(EMOTIONS, cells, strict=True):
            assert tuple(published(language, emotion, split).rows for split in SPLITS) == counts


def test_every_published_cell_loads_whole(shared, caplog):
    folder = shared / "data" / "semeval2018"
    for language in LANGUAGES:
        for emotion, counts in zip(EMOTIONS, ROW_COUNTS[language], strict=True):
            task = load_semeval(folder, language=language, emotion=emotion)
            assert (len(task.train), len(task.dev), len(task.test)) == counts
            scores = [score for split in (task.train, task.dev, task.test) for score in split.scores]
            assert all(round(score, 3) == score for score in scores)
    assert caplog.messages == []


def test_the_referee_agrees_where_quotes_are_switched_off(shared):
    folder = shared / "data" / "semeval2018"
    train = load_semeval(folder, language="es", emotion="joy").train
    with (folder / file_names("es", "joy", "train")[0]).open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]
    assert list(train.ids) == [row[0] for row in rows]
    assert list(train.texts) == [row[1] for row in rows]
    assert train.scores.tolist() == [float(row[3]) for row in rows]
