"""What tests of the `assay` command share: running it, files of its own for every test, and what is expected of it.

A test is started as: python3 X_cli_test.py ASSAY SOURCE_DIR
"""
import fcntl
import os
import pty
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import unittest
import zipfile

ASSAY, SOURCE = sys.argv[1], sys.argv[2]
SAMPLES = os.path.join(SOURCE, 'conformance', 'samples')
# Sanitizers reserve terabytes of address space and run several times slower.
SANITIZED = os.environ.get('ASSAY_SANITIZED') == '1'
GIBIBYTE = 1 << 30
# Tests look for sentences in one piece: output that is not to a terminal is as wide as this says.
os.environ['COLUMNS'] = '100000'


def sample(name):
    return os.path.join(SAMPLES, name)


def limit_memory():
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (GIBIBYTE, GIBIBYTE))


def children_seconds():
    """Of the processor, which a busy machine does not change, for all commands so far."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Result:
    def __init__(self, process, seconds):
        self.code, self.seconds = process.returncode, seconds
        self.out, self.err = process.stdout.decode(errors='replace'), process.stderr.decode(errors='replace')


def assay(*arguments, stdin=b'', limited=False):
    start = children_seconds()
    process = subprocess.run([ASSAY, *map(str, arguments)], input=stdin, capture_output=True, timeout=120,
                             preexec_fn=limit_memory if limited else None)
    return Result(process, children_seconds() - start)


def npy(descriptor, shape, data):
    """A .npy file, whose header takes 128 bytes."""
    header = f"{{'descr': '{descriptor}', 'fortran_order': False, 'shape': {shape}, }}"
    header += ' ' * (117 - len(header)) + '\n'
    return b'\x93NUMPY\x01\x00' + struct.pack('<H', len(header)) + header.encode() + data


def on_terminal(columns, *arguments):
    """What the command prints on a terminal of that width, and its exit code."""
    master, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name != 'NO_COLOR'}
    process = subprocess.Popen([ASSAY, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal,
                               env={**environment, 'TERM': 'xterm'})
    os.close(terminal)
    text = b''
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:  # Linux says EIO at the end
            break
        if not piece:
            break
        text += piece
    os.close(master)
    return process.wait(), text.decode().replace('\r\n', '\n')


ADD = b'ENTRY e { x = f32[2] parameter(0) y = f32[2] parameter(1) ROOT s = f32[2] add(x, y) }'


class CommandLineTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name, content=None):
        path = os.path.join(self.folder.name, name)
        if content is not None:
            with open(path, 'wb') as f:
                f.write(content.encode() if isinstance(content, str) else content)
        return path

    def archive(self, name, members):
        """An .npz of these .npy files."""
        path = self.path(name)
        with zipfile.ZipFile(path, 'w') as archive:
            for member, data in members.items():
                archive.writestr(member + '.npy', data)
        return path

    def expect(self, result, code, *words):
        self.assertEqual(result.code, code, result.out + result.err)
        for word in words:
            self.assertIn(word, result.out + result.err)
        return result

    def expect_refusal(self, result, code, *words):
        """One clear message, no crash, within a second of the processor, with patience for a slow machine."""
        self.expect(result, code, *words)
        self.assertNotIn('terminate called', result.err)
        self.assertLess(result.seconds, 20 if SANITIZED else 4, result.err)


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    unittest.main(argv=sys.argv[:1], verbosity=1)
