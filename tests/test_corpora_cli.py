"""`python -m bias_lab.corpora`: list, show, export, check, compare."""

import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from bias_lab.corpora import list_corpora, load_corpus
from bias_lab.corpora.__main__ import main
from bias_lab.corpora.compare import Pair, Single, compare
from bias_lab.corpora.lint import CODES
from bias_lab.corpora.opening import guess_language, open_corpus
from bias_lab.errors import ConfigError
from lint_tables import Line, table

CSV = """\
sentence,person,gender,race,emotion,emotion word,template
Ann feels glad.,Ann,female,Anglo,joy,glad,1
Mia feels glad.,Mia,female,Anglo,joy,glad,1
Tim feels glad.,Tim,male,Anglo,joy,glad,1
Tom feels glad.,Tom,male,Anglo,joy,glad,1
Mona feels glad.,Mona,female,Arab,joy,glad,1
Rima feels glad.,Rima,female,Arab,joy,glad,1
Omar feels glad.,Omar,male,Arab,joy,glad,1
Said feels glad.,Said,male,Arab,joy,glad,1
"""
YAML = """\
name: mine
language: xx
version: "1"
licence: MIT
source: mine
verified_by_native_speaker: false
factors: {gender: {levels: [male, female], reference: male}}
persons:
  - {gender: male, names: [Tim, Tom]}
  - {gender: female, names: [Ann, Mia]}
templates: {a: "{person} is."}
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "mine.csv"
    file.write_text(CSV, encoding="utf-8")
    return file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "conf" / "eec"
    folder.mkdir(parents=True)
    (folder / "mine.yaml").write_text(YAML, encoding="utf-8")
    return folder


def _run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = main([str(argument) for argument in arguments])
    told = capsys.readouterr()
    assert "Traceback" not in told.err
    return code, told.out, told.err


def test_list_names_the_shipped_and_the_users(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    code, out, _ = _run(capsys, "list", "--search", folder)
    assert code == 0
    lines = {line.split()[0]: line for line in out.splitlines()}
    assert set(lines) == {*list_corpora(), "mine"}
    assert " ".join(lines["mine"].split()) == "mine xx 4 sentences 4 persons 1 items gender (male/female)"
    assert _run(capsys, "list", "--config-dir", folder.parent) == (0, out, "")
    assert "mine" not in _run(capsys, "list")[1]


def test_list_goes_on_after_a_corpus_that_cannot_be_loaded(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    (folder / "broken.yaml").write_text(YAML.replace("gender: male", "gender: mail").replace("mine", "broken"))
    code, out, _ = _run(capsys, "list", "--search", folder)
    assert code == 2
    assert "cannot be loaded" in out and "unknown gender 'mail'" in out
    assert "black_white_en" in out and "mine" in out


def test_show(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = _run(capsys, "show", "black_white_en")
    assert code == 0
    lines = [line.strip() for line in out.splitlines()]
    assert "10  1,440  African-American, female, names: Nichelle, Shereen, Ebony, Latisha, ..." in lines
    assert "10  1,440  male, noun phrases: he, this man, this boy, my brother, ..." in lines
    assert "2,100  anger" in lines and "240  (neutral)" in lines
    at = lines.index("1,200  7")
    assert lines[at + 1 : at + 4] == [
        "The conversation with Nichelle was annoying.",
        "The conversation with Adam was amazing.",
        "The conversation with him was gloomy.",
    ]
    assert "not read by a native speaker" in lines


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_export_writes_the_long_table(capsys: pytest.CaptureFixture[str], tmp_path: Path, suffix: str) -> None:
    out = tmp_path / "new" / f"table{suffix}"
    assert _run(capsys, "export", "latino_anglo_es", "--out", out) == (0, f"8,640 sentences are in {out}\n", "")
    read = {
        ".csv": lambda: pd.read_csv(out, dtype="str", keep_default_na=False, na_values=[""]),
        ".jsonl": lambda: pd.DataFrame([json.loads(line) for line in out.read_text("utf-8").splitlines()]),
        ".parquet": lambda: pd.read_parquet(out),
    }[suffix]()
    pd.testing.assert_frame_equal(read.astype("str"), load_corpus("latino_anglo_es").table)
    assert [file.name for file in out.parent.iterdir()] == [out.name]
    before = out.read_bytes()
    _run(capsys, "export", "latino_anglo_es", "--out", out)
    assert out.read_bytes() == before


def test_an_exported_csv_is_the_same_corpus(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "latino_anglo_es.csv"
    _run(capsys, "export", "latino_anglo_es", "--out", out)
    again = open_corpus(str(out))
    assert again.guessed and again.corpus.language == "es"
    original = load_corpus("latino_anglo_es")
    pd.testing.assert_frame_equal(again.corpus.table, original.table, check_like=True)
    assert again.corpus.factors == original.factors
    assert _run(capsys, "compare", "latino_anglo_es", out)[0] == 0
    assert _run(capsys, "check", out)[0] == 0


def test_export_that_cannot_be(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "table.xlsx"
    assert _run(capsys, "export", "black_white_en", "--out", out) == (
        2,
        "",
        f"error: --out {out}: the ending must be one of .csv, .jsonl, .parquet, got '.xlsx'\n",
    )
    (tmp_path / "folder.csv").mkdir()
    code, _, err = _run(capsys, "export", "black_white_en", "--out", tmp_path / "folder.csv")
    assert (code, err) == (2, f"error: --out {tmp_path / 'folder.csv'}: is a folder; give a file\n")
    (tmp_path / "file").write_text("")
    code, _, err = _run(capsys, "export", "black_white_en", "--out", tmp_path / "file" / "x.csv")
    assert code == 2 and err.startswith(f"error: --out {tmp_path / 'file' / 'x.csv'}: cannot be written (")


def test_check_of_a_sound_file(capsys: pytest.CaptureFixture[str], path: Path) -> None:
    assert _run(capsys, "check", path, "--language", "en") == (
        0,
        f"{path}: 8 sentences, language en\n\n0 errors, 0 warnings, 0 notes\n",
        "",
    )


def test_check_tells_finding_row_and_totals(capsys: pytest.CaptureFixture[str], path: Path) -> None:
    path.write_text(CSV.replace("Omar feels", "Omar  feels").replace("Ann feels glad.", "Ann feels glad"))
    code, out, _ = _run(capsys, "check", path)
    assert code == 1
    assert out.splitlines()[:6] == [
        f"{path}: 8 sentences, language en (a guess; --language says it)",
        "",
        "error EEC401: two blanks in a row: 1 sentence",
        "    words are joined by one blank; mend the templates 1 (1x)",
        "    row 7: 'Omar  feels glad.'",
        "",
    ]
    assert "error EEC602: some sentences have no end mark: 1 sentence" in out
    assert out.endswith("\n2 errors, 0 warnings, 0 notes\n")


def test_check_as_json(capsys: pytest.CaptureFixture[str], path: Path) -> None:
    path.write_text(CSV.replace("Omar feels", "Omar  feels"))
    code, out, _ = _run(capsys, "check", path, "--json")
    assert code == 1
    assert json.loads(out) == {
        "schema": 1,
        "corpus": str(path),
        "language": "en",
        "language_guessed": True,
        "sentences": 8,
        "errors": 1,
        "warnings": 0,
        "notes": 0,
        "findings": [
            {
                "code": "EEC401",
                "severity": "error",
                "title": "two blanks in a row",
                "count": 1,
                "unit": "sentences",
                "message": "words are joined by one blank; mend the templates 1 (1x)",
                "example": {"row": 7, "sentence": "Omar  feels glad.", "item": "1:glad", "person": "Omar"},
            }
        ],
    }


def test_warnings_alone_are_fine(capsys: pytest.CaptureFixture[str], path: Path) -> None:
    path.write_text(CSV.replace("Ann", "Hope"))
    code, out, _ = _run(capsys, "check", path)
    assert code == 0
    assert out.endswith("\n0 errors, 1 warning, 0 notes\n")


def test_check_of_a_file_that_is_no_corpus_is_a_finding(capsys: pytest.CaptureFixture[str], path: Path) -> None:
    path.write_text(CSV + "Ann is.,Ann,male,Anglo,,,2\n")
    code, out, _ = _run(capsys, "check", path, "--json")
    told = json.loads(out)
    assert (code, told["errors"], told["language"], told["sentences"]) == (1, 1, None, None)
    assert told["findings"][0]["code"] == "EEC001"
    assert told["findings"][0]["message"].startswith(
        f"{path}:10: the person 'Ann' has gender 'male' here, but 'female' in line 2;"
    )
    code, out, _ = _run(capsys, "check", path)
    assert code == 1 and out.startswith("error EEC001: cannot be read as a corpus: 1 file\n")


def test_check_of_corpus_files(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    assert _run(capsys, "check", folder / "mine.yaml") == _run(
        capsys, "check", folder / "mine.yaml", "--search", folder
    )
    code, out, _ = _run(capsys, "check", "mine", "--search", folder)
    assert code == 0 and "note EEC002" in out
    (folder / "mine.yaml").write_text(YAML.replace("reference: male", "reference: mail"))
    for corpus in ("mine", folder / "mine.yaml"):
        code, out, _ = _run(capsys, "check", corpus, "--search", folder)
        assert code == 1 and "error EEC001" in out and "unknown level 'mail'" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", "nope"], "unknown corpus 'nope'"),
        (["check", "nope.csv"], "nope.csv: cannot read this corpus (No such file or directory)"),
        (["show", "nope.yaml"], "nope.yaml: cannot read this corpus file (No such file or directory)"),
        (["check", "black_white_en", "--language", "es"], "--language and --factor are for CSV files"),
        (["check", "x.csv", "--factor", "gender"], "--factor gender: must look like gender=male"),
        (["list", "--search", "nowhere"], "--search nowhere: there is no such folder"),
    ],
)
def test_what_cannot_be_done(capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    code, out, err = _run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("error: ") and message in err


def test_wrong_usage_is_exit_code_two(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["check"])
    assert caught.value.code == 2
    assert "NAME|FILE" in capsys.readouterr().err


def test_other_factors_and_delimiters(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "other file.txt"
    path.write_text("sentence;person;age\nAnn is here.;Ann;old\nMia is here.;Mia;old\nTim is here.;Tim;young\n")
    code, _, err = _run(capsys, "check", path)
    assert code == 2 and err.endswith(
        "(on the command line: --factor NAME=REFERENCE for each, such as --factor gender=male)\n"
    )
    code, out, _ = _run(capsys, "check", path, "--factor", "age=young")
    assert code == 0 and "warning EEC307" in out
    assert open_corpus(str(path), factors={"age": "young"}).corpus.name == "other_file"


def test_glosses_are_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(CSV.replace("\n", ",\n").replace("template,", "template,sentence"))
    assert open_corpus(str(path)).glosses == ("",) * 8
    path.write_text(CSV.replace("template", "gloss"))
    assert open_corpus(str(path)).glosses == ("1",) * 8
    path.write_text(CSV)
    assert open_corpus(str(path)).glosses is None


@pytest.mark.parametrize("name", list_corpora())
def test_language_is_guessed(name: str) -> None:
    corpus = load_corpus(name)
    assert guess_language(corpus.table["sentence"].tolist()) == corpus.language


def test_language_that_is_not_clear() -> None:
    assert guess_language([]) == "und"
    assert guess_language(["Jonas ist wütend.", "Ayşe kızgın."]) == "und"
    assert guess_language(["The cat is here.", "El gato es una gata."]) == "und"


def test_a_csv_corpus_file_says_its_language_itself(path: Path) -> None:
    corpus = path.with_name("mine.yaml")
    corpus.write_text(f"kind: csv\npath: {path}\nlanguage: en\n")
    opened = open_corpus(str(corpus))
    assert not opened.guessed and len(opened.corpus.table) == 8
    with pytest.raises(
        ConfigError, match="--language and --factor are for CSV files; a corpus file states them itself"
    ):
        open_corpus(str(corpus), language="en")


def _line(sentence: str, **more: str) -> Line:
    return Line(sentence)._replace(**more)


@pytest.mark.parametrize(
    ("left", "right", "reasons"),
    [
        ("Ann is glad.", "ann is glad.", ("case",)),
        ("Ann is glad.", "Ann is glad", ("punctuation",)),
        ("Ann is glad.", "Ann  is glad.", ("spacing",)),
        ("José is glad.", "Jose is glad.", ("accents",)),
        ("Jose\u0301 is glad.", "José is glad.", ("accents",)),
        ("أختي هنا", "اختي هنا", ("accents",)),
        ("He is glad.", "he  is glad", ("case", "punctuation", "spacing")),
        ("I saw he in the market.", "I saw him in the market.", ("word",)),
        ("I saw he in the market", "I saw him in the market.", ("word", "punctuation")),
        ("Ann is sad.", "Ann is glad", ("word", "punctuation")),
        ("Ann is so sad.", "Ann  is so glad.", ("word", "spacing")),
    ],
)
def test_why_sentences_differ(left: str, right: str, reasons: tuple[str, ...]) -> None:
    comparison = compare(table("Mia is here.", left), table(right, "Mia is here."))
    assert comparison.equal == 1
    assert comparison.pairs == (Pair(left, right, reasons),)
    assert comparison.only_left == comparison.only_right == ()
    assert not comparison.same


def test_sentences_count_as_often_as_they_stand() -> None:
    comparison = compare(table("Ann is.", "Ann is.", "Ann is."), table("Ann is.", "Tim was not there."))
    assert comparison.equal == 1
    assert comparison.only_left == (Single("Ann is.", copy=True),) * 2
    assert comparison.only_right == (Single("Tim was not there.", copy=False),)
    assert compare(table("Ann is.", "Ann is."), table("Ann is.", "Ann is.")).same


def test_labels_are_compared_and_partners_of_the_same_labels_come_first() -> None:
    female, male = _line("I saw he."), _line("I saw he.", levels="Anglo male")
    comparison = compare(table(male, female), table(_line("I saw her."), _line("I saw him.", levels="Anglo male")))
    assert {(pair.left, pair.right) for pair in comparison.pairs} == {
        ("I saw he.", "I saw her."),
        ("I saw he.", "I saw him."),
    }
    assert {pair.reasons for pair in comparison.pairs} == {("word",)}
    comparison = compare(table(_line("Sam is.")), table(_line("Sam is.", levels="Arab female", emotion="fear")))
    assert comparison.pairs == (Pair("Sam is.", "Sam is.", ("label race", "label emotion")),)


def test_compare_tells_counts_and_examples(capsys: pytest.CaptureFixture[str], path: Path) -> None:
    other = path.with_name("other.csv")
    other.write_text(CSV.replace("Omar feels glad.", "Omar feels glad").replace("Said feels", "Said was not"))
    assert _run(capsys, "compare", path, other) == (
        1,
        "6 sentences are in both\n"
        "1 differ in punctuation\n"
        f"    {path}: Omar feels glad.\n"
        f"    {other}: Omar feels glad\n"
        f"1 only in {path}\n"
        "    Said feels glad.\n"
        f"1 only in {other}\n"
        "    Said was not glad.\n",
        "",
    )
    assert _run(capsys, "compare", path, path) == (0, "8 sentences are in both\n", "")


def test_the_english_corpora_and_the_published_ones(capsys: pytest.CaptureFixture[str], shared: Path) -> None:
    folder = shared / "data" / "eec_published"
    assert _run(capsys, "compare", "black_white_en", folder / "en.csv") == (0, "8,640 sentences are in both\n", "")
    code, out, _ = _run(capsys, "compare", "latino_anglo_en", folder / "en_es.csv")
    assert code == 1
    assert [line for line in out.splitlines() if not line.startswith(" ")] == [
        "0 sentences are in both",
        "6,876 differ in punctuation",
        "1,640 differ in case, punctuation",
        "124 differ in word, punctuation",
    ]


def test_help_needs_neither_torch_nor_transformers() -> None:
    program = (
        "import sys; from bias_lab.corpora.__main__ import main\n"
        "assert main(['check', 'black_white_en']) == 0\n"
        "heavy = {'torch', 'transformers', 'hydra', 'omegaconf', 'sklearn', 'statsmodels', 'matplotlib', 'pooch'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_the_documentation_has_every_code() -> None:
    page = (Path(__file__).resolve().parents[1] / "docs" / "corpora.md").read_text(encoding="utf-8")
    rows = {tuple(cell.strip() for cell in line.split("|")[1:4]) for line in page.splitlines() if "| EEC" in line}
    assert rows == {(code, severity, title) for code, (severity, title) in CODES.items()}
