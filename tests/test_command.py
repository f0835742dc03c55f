"""The frame of the commands: exit codes and what is told."""

import subprocess
import sys

import pytest

from bias_lab.command import ERROR, FINE, exit_code
from bias_lab.errors import DataError


def failing():
    raise DataError("f.csv: no such file")


@pytest.mark.parametrize(("found", "code"), [(None, FINE), (0, FINE), (2, 2)])
def test_a_commands_own_code_is_the_exit_code(found, code):
    assert exit_code(lambda: found) == code


@pytest.mark.parametrize(("options", "code"), [({}, ERROR), ({"error": 2}, 2)])
def test_a_mistake_of_the_users_is_told_in_a_line(capsys, options, code):
    assert exit_code(failing, **options) == code
    out, err = capsys.readouterr()
    assert (out, err) == ("", "error: f.csv: no such file\n")


def test_a_mistake_of_ours_keeps_its_traceback():
    with pytest.raises(ZeroDivisionError):
        exit_code(lambda: 1 // 0)


@pytest.mark.parametrize(
    ("work", "heard"),
    [
        ("from bias_lab.command import exit_code; code = exit_code(lambda: print('x' * 10**7))", b""),
        ("from bias_lab.terminal import Screen; screen = Screen(); [screen.print('x' * 100) for _ in range(2000)]; "
         "print('more'); sys.stderr.write('done'); code = 0", b"done"),
    ],
)  # fmt: skip
def test_a_reader_that_has_seen_enough_is_no_error(work, heard):
    program = f"import sys; {work}; sys.exit(code)"
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as command:
        assert command.stdout.read(1) == b"x"
        command.stdout.close()
        assert command.wait(timeout=60) == FINE
        assert command.stderr.read() == heard
