import pytest

from bias_lab.cli import hydra_arguments
from bias_lab.errors import ConfigError


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["model=xlmr", "-m", "task.emotion=anger,fear"], ["-m", "model=xlmr", "task.emotion=anger,fear"]),
        (["a=1", "--config-dir", "conf", "-m", "b=2"], ["--config-dir", "conf", "-m", "a=1", "b=2"]),
        (["a=1", "--cfg", "job", "--resolve"], ["--cfg", "job", "--resolve", "a=1"]),
        (["a=1"], ["a=1"]),
        ([], []),
    ],
)
def test_flags_may_stand_between_overrides(given, expected):
    assert hydra_arguments(given) == expected


@pytest.mark.parametrize(("flags", "told"), [(["--cfg", "job", "-m"], "--cfg"), (["--multirun", "-c=job"], "-c")])
def test_what_is_shown_is_one_job(flags, told):
    with pytest.raises(ConfigError) as caught:
        hydra_arguments(["seed=0,1", *flags])
    assert str(caught.value) == f"{told} shows one job: leave out -m, and choose one value of each setting"
