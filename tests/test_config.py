from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir

from bias_lab.config import build_part, build_regressor, cache_root, check, parse
from bias_lab.errors import ConfigError
from bias_lab.paths import conf_dir


def composed(*overrides):
    with initialize_config_dir(config_dir=str(conf_dir()), version_base="1.3"):
        return compose("config", overrides=list(overrides))


def choices(group):
    return sorted(path.stem for path in (conf_dir() / group).glob("*.yaml"))


@pytest.mark.parametrize("model", choices("model"))
@pytest.mark.parametrize("lang", ["en", "ar"])
def test_every_model_is_built_without_loading_anything(model, lang, tmp_path):
    more = ["model.name_or_path=some/model"] if model == "encoder" else []
    cfg = composed(f"model={model}", f"task.lang={lang}", f"cache_dir={tmp_path}", *more)
    regressor = build_regressor(cfg, parse(cfg, model_choice=model))
    assert {"fit", "predict", "save", "describe", "coverage"} <= set(dir(regressor))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("group", ["stats", "tracking"])
def test_every_choice_of_a_behaviour_group_is_built(group):
    for choice in choices(group):
        assert build_part(composed(f"{group}={choice}"), group) is not None


def test_every_hub_model_is_pinned_to_a_commit():
    for model in choices("model"):
        values = composed(f"model={model}").model if model != "encoder" else {}
        names = values.get("name_or_path")
        hub = {"": names} if isinstance(names, str) else dict(names or {})
        revisions = {"": values.get("revision")} if isinstance(names, str) else dict(values.get("revision") or {})
        for key, name in hub.items():
            assert name.startswith("package://") or len(revisions[key]) == 40, model


def test_the_label_names_model_language_emotion_and_seed():
    cfg = composed("model=bert_plus", "task.lang=ar", "task.emotion=joy", "seed=3")
    assert parse(cfg, model_choice="bert_plus").label == "bert_plus-ar-joy-s3"
    cfg = composed("model=encoder", "model.name_or_path=models/e5-small/")
    assert parse(cfg, model_choice="encoder").label == "e5-small-en-anger-s0"


def test_identity_changes_with_what_decides_results_only():
    base = parse(composed()).identity
    assert parse(composed("cache_dir=/elsewhere", "tracking=off")).identity == base
    for override in ("seed=1", "task.lang=es", "model.pooling=mean", "eec.rows=all", "stats.level=0.9"):
        assert parse(composed(override)).identity != base, override


def test_two_corpora_can_be_chosen():
    settings = parse(composed("eec=[black_white_en,latino_anglo_en]"))
    assert settings.eec.select == "listed"
    assert list(settings.eec.corpora) == ["black_white_en", "latino_anglo_en"]


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["task.lang=fr"], "task.lang='fr' is not allowed: give one of en, es, ar"),
        (
            ["task.emotion=rage"],
            "task.emotion='rage' is not allowed: give one of anger, fear, joy, sadness, valence",
        ),
        (
            ["task=sample", "task.emotion=valence"],
            "task.emotion='valence' is not allowed: give one of anger, fear, joy, sadness",
        ),
        (
            ["task.kind=smaple"],
            "task.kind='smaple' is not a kind of task; did you mean sample? (choices: semeval2018, sample, table)",
        ),
        (["eec.rows=some"], "eec.rows='some' is not allowed: give one of own, all"),
        (["seed=-1"], "seed=-1 is not allowed: give a whole number from 0 to 4294967295"),
        (["seed=1.5"], "seed=1.5 is not allowed: give a whole number from 0 to 4294967295"),
        (["+task.years=2"], "task.years is not a setting (choices: kind, lang, emotion, data_dir)"),
        (["model=encoder"], "model.name_or_path has no value: set it on the command line, model.name_or_path=..."),
    ],
)
def test_bad_values_are_told_with_key_value_and_choices(overrides, message):
    with pytest.raises(ConfigError) as caught:
        parse(composed(*overrides))
    assert str(caught.value) == message


def test_an_owners_message_reaches_the_user_through_hydra():
    cfg = composed("model=xlmr", "model.pooling=max")
    with pytest.raises(ConfigError, match=r"^model.pooling=max: choose one of cls, mean, last$"):
        build_regressor(cfg, parse(cfg))
    with pytest.raises(ConfigError, match=r"^tracking.mode=on: choose one of auto, online, offline"):
        build_part(composed("tracking.mode='on'"), "tracking")


def test_what_was_checked_is_built_once_and_given_to_one_run(monkeypatch):
    from bias_lab.models import encoder_head

    built = []
    monkeypatch.setattr(encoder_head, "check_head_options", lambda **options: built.append(options["hidden"]))
    cfg = composed("model=xlmr", "model.hidden=7")
    settings = check(cfg)
    assert check(cfg.copy()) == settings
    assert built == [7]
    first = build_regressor(cfg, settings)
    assert built == [7]
    assert build_regressor(cfg, settings) is not first
    other = composed("model=xlmr", "model.hidden=8")
    check(cfg)
    build_regressor(other, check(other))
    assert built == [7, 7, 7, 8]


def test_every_part_is_checked_each_time():
    for override in ("seed=-1", "model.dropout=2", "tracking.mode='on'", "stats.level=3"):
        for _ in range(2):
            with pytest.raises(ConfigError):
                check(composed("model=xlmr", override))


def test_the_cache_lies_where_it_is_told_to(monkeypatch):
    monkeypatch.setenv("BIAS_LAB_CACHE", "/env")
    assert cache_root("/given") == Path("/given")
    assert cache_root(None) == Path("/env")
    monkeypatch.delenv("BIAS_LAB_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/xdg")
    assert cache_root(None) == Path("/xdg/bias_lab")


def test_the_job_configuration_resolves_without_hydra():
    from omegaconf import OmegaConf

    for experiment in choices("experiment"):
        assert OmegaConf.to_container(composed(f"+experiment={experiment}"), resolve=True)["seed"] == 0
