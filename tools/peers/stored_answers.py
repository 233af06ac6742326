#!/usr/bin/env python3
"""Answers of a target, stored and given again: another implementation under the suite where it is not installed.

usage: stored_answers.py FILE         answers requests (docs/process_backend.md) from the file
       stored_answers.py FILE --pack  sorts a file that xla_cpu.py --record has written, and packs it

A file is JSON, a line each: what the target said of itself, then answers under the hash of module and arguments. What
is not in it is not supported. A question that ended the target's process has an answer, too: that it did.
"""
import base64
import gzip
import hashlib
import json
import os
import re
import sys

from assay_process import Refusal, serve

LONGEST_MESSAGE = 200
ENDED = 'the process ended before it answered'


def key_of(module, arguments=()):
    digest = hashlib.sha256(module)
    for device in arguments:
        for shape, data, *_ in device:
            digest.update(f'\0{shape}\0'.encode() + data)
    return digest.hexdigest()[:24]


class Recorder:
    """A target that another one stands behind, and that writes down what it answers."""

    executes_again = False

    def __init__(self, target, path):
        self.target, self.path = target, path

    def write(self, line):
        with open(self.path, 'ab', buffering=0) as f:  # several processes write to one file: a line is one write
            f.write(json.dumps(line).encode() + b'\n')

    def hello(self):
        hello = self.target.hello()
        self.write({'key': '', 'hello': hello})
        return hello

    def refusing(self, key, function, *arguments):
        self.write({'key': key, 'kind': 'internal', 'message': ENDED})  # counts unless another line with the key follows
        try:
            return function(*arguments)
        except Refusal as refusal:
            self.write({'key': key, 'kind': refusal.kind, 'message': str(refusal)[:LONGEST_MESSAGE]})
            raise

    def compile(self, module_format, module):
        compiled = self.refusing(key_of(module), self.target.compile, module_format, module)
        self.write({'key': key_of(module)})  # was not refused
        compiled.module = module
        return compiled

    def execute(self, compiled, arguments):
        key = key_of(compiled.module, arguments)
        seconds, results = self.refusing(key, self.target.execute, compiled, arguments)
        self.write({'key': key, 'results': [[[shape, base64.b64encode(data).decode()] for shape, data in device]
                                            for device in results]})
        return seconds, results


class StoredModule:
    def __init__(self, module):
        self.module = module
        header = module[:module.find(b'\n')]
        count = 1
        for name in (b'replica_count=', b'num_partitions='):
            found = re.search(name + rb'(\d+)', header)
            count *= int(found.group(1)) if found else 1
        self.devices = count


class Stored:
    executes_again = False  # the suite's other arguments were not recorded

    def __init__(self, path):
        with gzip.open(path, 'rt') as f:
            self.answers = {answer['key']: answer for answer in map(json.loads, f)}

    def hello(self):
        hello = self.answers['']['hello']
        return {**hello, 'name': hello['name'] + ' (stored answers)'}

    def answer(self, key):
        answer = self.answers.get(key)
        if answer and 'kind' in answer:
            raise Refusal(answer['kind'], answer['message'])
        return answer

    def compile(self, module_format, module):
        self.answer(key_of(module))
        return StoredModule(module)

    def execute(self, compiled, arguments):
        answer = self.answer(key_of(compiled.module, arguments))
        if answer is None:
            raise Refusal('unsupported', 'there is no stored answer')
        return 0.0, [[(shape, base64.b64decode(data)) for shape, data in device] for device in answer['results']]


def pack(path):
    with open(path) as f:
        answers = {answer['key']: answer for answer in map(json.loads, f)}
    answers = {key: answer for key, answer in answers.items() if len(answer) > 1}  # not what was only compiled
    lines = ''.join(json.dumps(answers[key]) + '\n' for key in sorted(answers))
    with open(path + '.gz', 'wb') as f:
        f.write(gzip.compress(lines.encode(), 9, mtime=0))
    print(f'{len(answers) - 1} answers, {os.path.getsize(path + ".gz")} bytes in {path}.gz')


if __name__ == '__main__':
    if sys.argv[2:] == ['--pack']:
        pack(sys.argv[1])
    else:
        serve(Stored(sys.argv[1]))
