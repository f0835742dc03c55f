"""Tests on the same sentences in several corpora: found in the data, counted once, told in full."""

import pandas as pd
import pytest
from rich.console import Console

from bias_lab import summarize
from bias_lab.analysis import Factor
from bias_lab.report.effects import effects as report_effects
from bias_lab.report.findings import counts
from bias_lab.report.tables import seeds_table
from bias_lab.summary import collect
from bias_lab.summary.counting import effects, fingerprints, once
from bias_lab.summary.grids import findings_grid
from bias_lab.summary.headline import findings_line
from bias_lab.summary.screen import screen
from bias_lab.summary.tables import findings_table, strongest, total_findings
from stats_tables import FACTORS
from summary_cells import add_corpus, predictions, with_other_names, write_cell

NOTE = (
    "tests on identical sentences count once in all totals: the noun phrases of made_up, second and third "
    "(4 of 24 tests are repeats)"
)


@pytest.fixture
def sweep(tmp_path):
    """Two emotions; three corpora with the same noun phrases (one term), each with names of its own (three)."""
    for number, emotion in enumerate(("anger", "joy")):
        table = predictions(seed=number, shift=0.3)
        folder = write_cell(tmp_path / str(number), emotion=emotion, table=table)
        add_corpus(folder, with_other_names(table, "third"))
        add_corpus(folder, with_other_names(table, "second"))
    return tmp_path


def told(table, factors=FACTORS):
    sentences = table.assign(sentence=table["person"] + " " + table["item"])
    return fingerprints(sentences, [Factor(f.name, f.levels, f.reference) for f in factors])


def test_identical_tests_are_found_by_their_sentences_persons_and_levels():
    table = predictions()
    first = told(table)
    same = table.sample(frac=1, random_state=0).assign(eec="another", prediction=0.5, template="t")
    assert told(same) == first
    other = told(with_other_names(table, "second"))
    assert other["noun_phrases"] == first["noun_phrases"]
    assert other["names"] != first["names"]
    phrases = table["person_kind"] == "noun_phrase"
    changes = {
        "sentences": table.assign(item=table["item"].where(~phrases, table["item"] + "!")),
        "one sentence less": table.drop(index=table.index[phrases][0]),
        "one sentence twice": pd.concat([table, table[phrases].iloc[:1]]),
        "levels": table.assign(gender=table["gender"].where(~phrases, table["gender"].iloc[::-1].to_numpy())),
        "one more factor": table.assign(race=table["race"].where(~phrases, "European")),
    }
    for what, changed in changes.items():
        assert told(changed)["noun_phrases"] != first["noun_phrases"], what
        assert told(changed)["names"] == first["names"], what
    turned = (FACTORS[0], Factor("gender", ("male", "female"), "female"))
    assert told(table, turned)["noun_phrases"] != first["noun_phrases"]


def test_the_first_corpus_counts_and_the_others_tell_which_it_is(sweep):
    table = collect([sweep]).coefficients
    phrases = table["subset"] == "noun_phrases"
    assert set(table.loc[~phrases, "same_as"]) == {""}
    assert table[phrases].groupby("eec")["same_as"].unique().map(list).to_dict() == {
        "made_up": [""], "second": ["made_up"], "third": ["made_up"],
    }  # fmt: skip
    assert len(effects(table)) == 2 * 3 * 4
    assert once(effects(table)).groupby("eec").size().to_dict() == {"made_up": 8, "second": 6, "third": 6}
    # Without the first corpus the next one counts.
    rest = effects(table).query("eec != 'made_up'").iloc[::-1]
    assert once(rest).groupby("eec").size().to_dict() == {"second": 8, "third": 6}


def test_totals_count_them_once_and_the_tables_of_a_corpus_are_whole(sweep):
    summary = collect([sweep])
    assert summary.notes == (NOTE,)
    by_corpus = findings_table(summary.coefficients)
    assert by_corpus["tests"].tolist() == [8, 8, 8]
    total = total_findings(summary.coefficients)
    # By hand, without the module: the noun phrases of two corpora are left out.
    rows = summary.coefficients
    rows = rows[(rows["coding"] == "treatment") & (rows["term"] != "Intercept")]
    rows = rows[(rows["subset"] == "names") | (rows["eec"] == "made_up")]
    counts_by_hand = [len(rows), *(int((rows[p] < 0.05).sum()) for p in ("p_iid", "p_name", "q"))]
    assert [total[name] for name in ("tests", "claims", "p_findings", "q_findings")] == counts_by_hand
    assert counts_by_hand[0] == 20
    assert 0 < counts_by_hand[3] <= counts_by_hand[2] < counts_by_hand[1]
    assert total["q_findings"] < by_corpus["q_findings"].sum()
    assert len(strongest(summary.coefficients)) == total["q_findings"]
    expected = ("all, repeats once", "", *map(str, counts_by_hand), "0")
    assert findings_grid(summary.coefficients).sections[0].rows[-1] == expected


def test_one_line_says_it_on_the_screen_in_the_tables_and_on_the_page(sweep, capsys):
    assert summarize.main([str(sweep)]) == 0
    summary = collect([sweep])
    total = total_findings(summary.coefficients)
    line = findings_line(summary)
    assert line == (
        f"20 tests: published test claims {total['claims']} (p < .05), by names {total['p_findings']} (p < .05), "
        f"after adjustment {total['q_findings']} hold (q < .05)"
    )
    assert line in capsys.readouterr().out
    page = (sweep / "summary" / "summary.md").read_text(encoding="utf-8")
    assert line.replace("<", "\\<") in page
    assert NOTE.replace("_", "\\_") in page
    html = (sweep / "summary" / "report.html").read_text(encoding="utf-8")
    assert line.replace(" < ", "\u00a0&lt;\u00a0") in html
    assert NOTE[1:] in html


def test_the_screen_has_a_line_for_all_corpora(sweep):
    console = Console(width=110, record=True, quiet=False, file=open("/dev/null", "w"))  # noqa: SIM115, PTH123
    for part in screen(collect([sweep])):
        console.print(part)
    console.file.close()
    text = console.export_text()
    row = next(line for line in text.splitlines() if line.strip().startswith("all, repeats once"))
    assert row.split()[3] == "20"


def test_the_report_counts_them_once_too(sweep):
    summary = collect([sweep])
    shown = report_effects(summary.coefficients).query("coding == 'treatment'")
    total, found = total_findings(summary.coefficients), counts(shown)
    names = {"tests": "tests", "claims": "claims", "by_names": "p_findings", "finding": "q_findings"}
    assert {name: found[name] for name in names} == {name: total[other] for name, other in names.items()}
    assert counts(shown[shown["eec"] != "made_up"])["tests"] == 14
    table = seeds_table(summary.cells, summary.metrics, report_effects(summary.coefficients))
    assert [row.cells[5].text for row in table.rows] == ["10", "10"]


def test_other_corpora_have_no_repeats(tmp_path):
    folder = write_cell(tmp_path / "0")
    other = predictions(seed=3, eec="second")
    add_corpus(folder, other.assign(item=other["item"] + "!"))
    summary = collect([tmp_path])
    assert summary.notes == ()
    assert len(once(effects(summary.coefficients))) == len(effects(summary.coefficients)) == 8
    assert findings_grid(summary.coefficients).sections[0].rows[-1][:3] == ("all", "", "8")


def test_the_same_names_count_once_as_well(tmp_path):
    add_corpus(write_cell(tmp_path / "0"), predictions(eec="second"))
    summary = collect([tmp_path])
    assert total_findings(summary.coefficients)["tests"] == 4
    assert summary.notes == (
        "tests on identical sentences count once in all totals: the names of made_up and second; "
        "the noun phrases of made_up and second (4 of 8 tests are repeats)",
    )
