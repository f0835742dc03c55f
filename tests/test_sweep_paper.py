"""The grid of the paper, composed and not run."""

from hydra import compose, initialize_config_dir
from hydra.core.override_parser.overrides_parser import OverridesParser

from bias_lab.config import parse
from bias_lab.paths import conf_dir
from hydra_plugins.bias_lab_sweeper import CellSweeper


def test_the_papers_grid_is_180_cells_that_compose_and_differ():
    with initialize_config_dir(config_dir=str(conf_dir()), version_base="1.3"):
        whole = compose("config", overrides=["+experiment=paper"], return_hydra_config=True)
        params = whole.hydra.sweeper.params
        parsed = OverridesParser.create().parse_overrides([f"{key}={value}" for key, value in params.items()])
        (lines,) = CellSweeper.split_arguments(parsed, None)
        assert len(lines) == 5 * 3 * 4 * 3
        asked = [line for line in lines if line[-1] == "seed=2" and line[2] == "task.emotion=fear"]
        settings = [
            parse(compose("config", overrides=["+experiment=paper", *line]), model_choice=line[0].split("=")[1])
            for line in asked
        ]
    assert len({cell.identity for cell in settings}) == 15
    assert {cell.eec.select for cell in settings} == {"auto"}
    assert {cell.label for cell in settings} == {
        f"{model}-{lang}-fear-s2"
        for model in ("xlmr", "mbert", "bert_plus", "svm_tfidf", "fasttext")
        for lang in ("en", "es", "ar")
    }
