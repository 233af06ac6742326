#!/usr/bin/env python3
"""XLA CPU as a process whose known answers are not asked for again: for tests that run the same programs in every run.

usage, from Assay:  --backend "process:PYTHON tools/peers/known_answers.py FILE [--tally TALLY] [--record RECORD] [OPTIONS]"

FILE holds answers under the hash of module and arguments, as stored_answers.py has them, and OPTIONS are those of
xla_cpu.py. A question that has no answer there is put to XLA CPU, and so is every question where FILE was made by another
jaxlib or with other options: changed programs and a new XLA are asked, never skipped. A letter for each answer is appended
to TALLY: k, it was known, or a, it was asked. Answers of XLA CPU are appended to RECORD. Tests use the class Answers.
"""
import argparse
import base64
import importlib.metadata
import json
import lzma
import os
import sys
import tempfile

from assay_process import Refusal
from children import serve_in_children
from stored_answers import ENDED, Recorder, StoredModule, key_of

# Answers with more bytes are few and would be most of a file: they are asked for in every run.
LARGEST = 1 << 14
# Tests put one program of so many to XLA CPU in every run.
LIVE_EVERY = 16
HERE = os.path.dirname(os.path.abspath(__file__))
try:
    VERSION = importlib.metadata.version('jaxlib')
except importlib.metadata.PackageNotFoundError:
    VERSION = None  # then nothing is known, and whoever is asked says what is missing


def read_answers(path, options):
    """The answers by key; none where they are not those of this jaxlib with these options."""
    if not os.path.exists(path):
        return {}
    with lzma.open(path, 'rt') as f:
        made_by = json.loads(f.readline())
        if made_by != {'jaxlib': VERSION, 'options': options}:
            return {}
        return {answer['key']: answer for answer in map(json.loads, f)}


def write_answers(path, options, answers):
    lines = [json.dumps({'jaxlib': VERSION, 'options': options})]
    lines += [json.dumps(answers[key], separators=(',', ':')) for key in sorted(answers)]
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with lzma.open(path, 'wt', preset=9) as f:
        f.write('\n'.join(lines) + '\n')
    print(f'{len(answers)} answers, {os.path.getsize(path)} bytes in {path}')


class Known:
    """A target that asks XLA CPU what is not among the known answers."""

    def __init__(self, path, options, tally, record):
        self.answers, self.options = read_answers(path, options), options
        self.tally, self.record, self.xla = tally, record, None

    def count(self, letter):
        if self.tally:
            with open(self.tally, 'ab', buffering=0) as f:  # several processes write to one file
                f.write(letter)

    def live(self):
        if self.xla is None:
            sys.argv[1:] = self.options
            import xla_cpu  # reads its options, and takes half a second
            self.xla = xla_cpu.XlaCpu()
            if self.record:
                self.xla = Recorder(self.xla, self.record)
        return self.xla

    def hello(self):
        hello = self.answers.get('')
        return hello['hello'] if hello else self.live().hello()

    def compile(self, module_format, module):
        compiled = StoredModule(module)
        answer = self.answers.get(key_of(module))
        if answer is None:
            try:
                self.compile_now(compiled)
            except Refusal:
                self.count(b'a')  # the answer: nothing is executed
                raise
        elif 'kind' in answer:
            self.count(b'k')
            raise Refusal(answer['kind'], answer['message'])
        return compiled

    def compile_now(self, compiled):
        compiled.by_xla = self.live().compile('hlo-text', compiled.module)

    def execute(self, compiled, arguments):
        answer = self.answers.get(key_of(compiled.module, arguments))
        if answer is None:
            self.count(b'a')
            if not hasattr(compiled, 'by_xla'):
                self.compile_now(compiled)
            return self.live().execute(compiled.by_xla, arguments)
        self.count(b'k')
        if 'kind' in answer:
            raise Refusal(answer['kind'], answer['message'])
        return 0.0, [[(shape, base64.b16decode(data)) for shape, data in device] for device in answer['results']]


class Answers:
    """The known answers of a test: known/NAME.xz. With `anew` everything is asked and written again."""

    def __init__(self, name, anew):
        self.path, self.anew = os.path.join(HERE, 'known', name + '.xz'), anew
        self.folder = tempfile.TemporaryDirectory()
        self.tally, self.record = (os.path.join(self.folder.name, each) for each in ('tally', 'record'))
        self.options = None

    def backend(self, *options, live=False):
        """The target. A `live` one asks everything."""
        self.options = list(options)
        path = '-' if live or self.anew else self.path
        recorded = ('--record', self.record) if self.anew else ()
        return ' '.join((f'process:{sys.executable}', os.path.join(HERE, 'known_answers.py'), path, '--tally', self.tally,
                         *recorded, *options))

    def finish(self):
        """Says how many answers were known; with `anew` writes them."""
        letters = b''
        if os.path.exists(self.tally):
            with open(self.tally, 'rb') as f:
                letters = f.read()
        print(f'{letters.count(b"a")} questions were put to XLA CPU, {letters.count(b"k")} answers were known')
        if self.anew:
            self.write()

    def write(self):
        with open(self.record, encoding='utf-8') as f:
            answers = {answer['key']: answer for answer in map(json.loads, f)}
        for key, answer in list(answers.items()):
            if answer.get('message') == ENDED:  # is asked in every run
                del answers[key]
            if 'results' not in answer:
                continue
            arrays = [[(shape, base64.b64decode(data)) for shape, data in device] for device in answer['results']]
            if sum(len(data) for device in arrays for _, data in device) > LARGEST:
                del answers[key]
                continue
            # Hexadecimal digits compress better than base 64.
            answer['results'] = [[[shape, base64.b16encode(data).decode()] for shape, data in device] for device in arrays]
        write_answers(self.path, self.options, answers)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('file')
    parser.add_argument('--tally')
    parser.add_argument('--record')
    own, options = parser.parse_known_args()
    serve_in_children(lambda: Known(own.file, options, own.tally, own.record))


if __name__ == '__main__':
    main()
