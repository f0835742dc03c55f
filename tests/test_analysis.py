"""What a regression of the user's own has to return."""

import pandas as pd
import pytest

from bias_lab.analysis import SHOWN, draw, fit_corpora
from bias_lab.errors import ConfigError
from bias_lab.stats import analyse
from bias_lab.terminal import print_results
from bias_lab.tracking import bias_metrics
from stats_tables import FACTORS, corpus

TOLD = [{"name": "mine", "factors": [{"name": f.name, "levels": f.levels, "reference": f.reference} for f in FACTORS]}]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "predictions").mkdir()
    corpus().to_parquet(tmp_path / "predictions" / "mine.parquet")
    return tmp_path


def test_the_columns_that_are_asked_for_are_all_that_results_are_shown_by(folder, capsys):
    table = fit_corpora(folder, TOLD, lambda table, factors: analyse(table, factors, permutations=0)[list(SHOWN)])
    assert len(draw(table, folder, title="mine")) == 1
    print_results("mine", {}, table)
    assert "In words:" in capsys.readouterr().out
    assert len(bias_metrics(table)) > len(table)


def test_a_table_without_such_a_column_is_refused_by_name(folder):
    def lacking(table, factors):
        return analyse(table, factors, permutations=0).drop(columns=["mde_response", "p_name"])

    with pytest.raises(ConfigError, match=r"^stats: its table has no column p_name, mde_response; it needs these"):
        fit_corpora(folder, TOLD, lacking)


def test_something_else_than_a_table_is_refused(folder):
    with pytest.raises(ConfigError, match=r"^stats: a table \(DataFrame\) is needed, it returned dict$"):
        fit_corpora(folder, TOLD, lambda _table, _factors: {})


def test_no_corpus_gives_no_table(folder):
    assert fit_corpora(folder, [], analyse).equals(pd.DataFrame())
