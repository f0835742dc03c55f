"""Tables of the user's: CSV with quoting, TSV without, other delimiters, and errors with their line."""

import logging

import pytest

from bias_lab.data.table import load_table
from bias_lab.errors import ConfigError, DataError


def write(folder, suffix="csv", **splits):
    """Write three files; a split's content may be given."""
    paths = {}
    for split in ("train", "dev", "test"):
        separator = "," if suffix == "csv" else "\t"
        content = splits.get(split, f"text{separator}score\n{split} text{separator}0.5\n")
        paths[split] = folder / f"{split}.{suffix}"
        paths[split].write_bytes(content.encode())
    return paths


def load(paths, **options):
    return load_table(**paths, language="fr", emotion="pride", **options)


def dev_error(paths, **options):
    with pytest.raises(DataError) as caught:
        load(paths, **options)
    assert str(caught.value).startswith(str(paths["dev"]))
    return str(caught.value).removeprefix(str(paths["dev"]))


def test_csv_is_quoted_as_in_rfc_4180(tmp_path):
    content = '\ufeffnumber,text,score\r\n7,"a ""quoted"", two\nline text",0.25\r\n8,plain,1\r\n'
    task = load(write(tmp_path, train=content))
    assert (task.name, task.language, task.emotion) == ("table", "fr", "pride")
    assert task.train.texts == ('a "quoted", two\nline text', "plain")
    assert task.train.scores.tolist() == [0.25, 1.0]
    assert task.train.ids == ("train-1", "train-2")
    assert [(file.path.rsplit("/", 1)[-1], file.rows) for file in task.files] == [
        ("train.csv", 2),
        ("dev.csv", 1),
        ("test.csv", 1),
    ]


@pytest.mark.parametrize("suffix", ["tsv", "txt"])
def test_quotes_mean_nothing_in_tsv(tmp_path, suffix):
    task = load(write(tmp_path, suffix, train='text\tscore\n"open\t0.1\nsay "hi"\t0.2\n"whole"\t0.3\n'))
    assert task.train.texts == ('"open', 'say "hi"', '"whole"')


def test_quoting_and_delimiter_can_be_set(tmp_path):
    paths = write(tmp_path, "tsv", train='text\tscore\n"a ""tab""\there"\t0.1\n')
    assert load(paths, quoting=True).train.texts == ('a "tab"\there',)
    rows = "text;score\nuno;0.1\n"
    paths = write(tmp_path, "dat", train=rows, dev=rows.replace("uno", "dos"), test=rows.replace("uno", "tres"))
    assert load(paths, delimiter=";").test.texts == ("tres",)


def test_columns_can_be_named(tmp_path):
    contents = {split: f"key,tweet,anger,joy\nk1,{split},0.1,0.9\n" for split in ("train", "dev", "test")}
    task = load(write(tmp_path, **contents), text_column="tweet", score_column="joy", id_column="key", name="mine")
    assert (task.name, task.dev.texts, task.dev.ids, task.dev.scores.tolist()) == (
        "mine",
        ("dev",),
        ("k1",),
        [0.9],
    )


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (
            "text,value\na,0.5\n",
            {},
            ", line 1: no column 'score'; the header is: text, value",
        ),
        (
            "text,score,text\na,0.5,b\n",
            {},
            ", line 1: more than one column 'text'; the header is: text, score, text",
        ),
        ("", {}, ", line 1: no column 'text'; the header is: (empty)"),
        ("text,score\n", {}, ": there is a header but no row below it"),
        ('text,score\n"a\nb",0.5\n ,0.5\n', {}, ", line 4: the text is empty"),
        (
            "text,score\na,1.2\n",
            {},
            ", line 2: the score is 1.2, outside [0, 1]; rescale the scores to 0..1",
        ),
        (
            "text,score\na,high\n",
            {},
            ", line 2: the score is 'high'; expected a number from 0 to 1, such as 0.517",
        ),
        ("text,score\na,0.1\n\nb,0.2\n", {}, ", line 3: 1 columns, expected 2 (text, score)"),
        ("text,score\na,b,0.1\n", {}, ", line 2: 3 columns, expected 2 (text, score)"),
        (
            "text,score\na,0.1\nb",
            {},
            ", line 3: 1 columns, expected 2 (text, score); the file seems to be cut off here",
        ),
        (
            'text,score\na,0.1\n"b,0.2\nc,0.3\n',
            {},
            ", line 3: the row that starts here is not quoted as in RFC 4180 (unexpected end of data); "
            'write a quote inside a quoted field twice (""), or set task.quoting=false',
        ),
        (
            "id,text,score\nx,a,0.1\ny,b,0.2\nx,c,0.3\n",
            {"id_column": "id"},
            ", line 4: the id 'x' is already on line 2; ids must be unique",
        ),
        ("id,text,score\n,a,0.1\n", {"id_column": "id"}, ", line 2: the id is empty"),
    ],
)
def test_malformed_tables(tmp_path, content, options, message):
    good = "id,text,score\nx,a,0.1\n" if options else "text,score\na,0.5\n"
    assert dev_error(write(tmp_path, train=good, dev=content), **options) == message


def test_unknown_delimiters(tmp_path):
    paths = write(tmp_path, "dat")
    with pytest.raises(ConfigError) as caught:
        load(paths)
    assert str(caught.value) == (
        f"{paths['train']}: no delimiter is known for the suffix '.dat' (known: .csv, .tsv, .txt); set task.delimiter"
    )
    with pytest.raises(ConfigError) as caught:
        load(paths, delimiter="||")
    assert str(caught.value) == ("task.delimiter='||' is not allowed; it must be one character, such as ',' or ';'")


def test_a_file_that_serves_as_two_splits_is_warned_of(tmp_path, caplog):
    paths = write(tmp_path)
    paths["dev"] = paths["train"]
    with caplog.at_level(logging.WARNING, logger="bias_lab.data"):
        load(paths)
    assert caplog.messages == [f"{paths['train']} and {paths['train']} are the same data in two splits"]


def test_a_missing_table(tmp_path):
    paths = write(tmp_path)
    paths["dev"].unlink()
    assert dev_error(paths) == ": there is no such file"
