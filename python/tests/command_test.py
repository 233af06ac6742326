"""The `assay` command of the wheel, which starts the program in the package."""

import subprocess
import sys


def test_a_reader_that_closes_its_pipe_ends_the_program_without_a_message() -> None:
    # Python ignores SIGPIPE, and a program that it becomes would inherit that.
    start = ('import sys; from assay import _command; _command.path = lambda: "/bin/sh"; '
             'sys.argv = ["assay", "-c", "while echo line; do :; done"]; _command.main()')
    program = subprocess.Popen([sys.executable, '-c', start], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert program.stdout is not None and program.stderr is not None
    assert program.stdout.readline() == b'line\n'
    program.stdout.close()
    assert program.stderr.read() == b''
    assert program.wait(60) == -13
