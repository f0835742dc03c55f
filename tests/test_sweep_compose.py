"""Cells that share a composition have the configuration that Hydra would have composed for each of them."""

import pytest
from hydra import initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from hydra.types import RunMode
from omegaconf import OmegaConf

from bias_lab.paths import conf_dir
from bias_lab.sweep.compose import Composer
from bias_lab.sweep.resume import job_config


@pytest.fixture
def composer():
    with initialize_config_dir(config_dir=str(conf_dir()), version_base="1.3"):
        loader = GlobalHydra.instance().config_loader()
        yield Composer(loader.load_configuration("config", ["hydra.job.name=sweep"], RunMode.MULTIRUN), loader)


@pytest.fixture
def composed(composer, monkeypatch):
    """The lines that Hydra was asked to compose."""
    lines, whole = [], composer.whole
    monkeypatch.setattr(composer, "whole", lambda line: lines.append(list(line)) or whole(line))
    return lines


def plain(job):
    return OmegaConf.to_container(job, resolve=True)


def as_hydra_does(composer, line):
    whole = composer._loader.load_sweep_config(composer._config, line)
    return plain(job_config(whole)), whole.hydra.runtime.choices.model


@pytest.mark.parametrize(
    "line",
    [
        ["model=minilm", "task.lang=es", "seed=3"],
        ["seed=3", "model=minilm", "model.dropout=0.5", "seed=4"],
        ["seed=1", "+experiment=quickstart", "task.emotion=joy"],
        ["eec=[black_white_en,latino_anglo_en]", "eec.rows=all"],
        ["model=svm_tfidf", "model.char_ngrams=[2,3]", "model.cleaning={unicode: NFKC}", "cache_dir='a b'"],
        ["+trainer.strategy=ddp", "trainer.max_epochs=3", "seed=1"],
        ["trainer.max_epochs=3", "+trainer.more={a: 1}", "trainer.more.a=2"],
        ["~model.languages", "model=minilm", "seed=1"],
        ["model=xlmr", "~model.cleaning.unicode", "model.cleaning={mentions: keep}", "++model.new=1"],
        ["model=minilm", "model.hidden=${seed}", "seed=77"],
        ["model.name_or_path=a/b", "model=encoder"],
        ["hydra.job.num=3", "seed=2"],
    ],
)
def test_any_line_gives_what_hydra_composes(composer, line):
    expected = as_hydra_does(composer, line)
    for _ in range(2):  # composed, and taken from what was composed
        job, model = composer.job(line)
        assert (plain(job), model) == expected


def test_lines_that_differ_in_values_are_composed_once_and_do_not_change_each_other(composer, composed):
    lines = [["model=minilm", f"task.lang={lang}", f"seed={seed}"] for seed in range(3) for lang in ("en", "ar")]
    jobs = [composer.job(line)[0] for line in lines]
    assert [(job.seed, job.task.lang) for job in jobs] == [(s, lang) for s in range(3) for lang in ("en", "ar")]
    assert composed == [["model=minilm"]]
    assert composer.job(["model=svm_tfidf"])[1] == "svm_tfidf"
    assert len(composed) == 2


def test_what_is_wrong_with_a_line_is_said_by_hydra(composer):
    for line in (["model=minilm", "seed=1", "model.lrr=1"], ["model=nope", "seed=1"], ["task.lang.x=1"]):
        with pytest.raises(Exception) as expected:
            as_hydra_does(composer, line)
        with pytest.raises(type(expected.value)) as caught:
            composer.job(line)
        assert str(caught.value) == str(expected.value)
    assert composer.job(["seed=2"])[0].seed == 2
