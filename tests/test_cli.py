import pytest

from bias_lab.cli import hydra_arguments


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
