#!/usr/bin/env python3
"""Invalid StableHLO programs: does Assay refuse what MLIR's verifiers refuse?

usage: stablehlo_refusals.py ASSAY FOLDER [--jobs N] [--list]

Every .mlir file below FOLDER (a checkout of StableHLO, or programs of one's own), split at `// -----`, is read and
verified by jaxlib and by `assay verify`, each of its functions as the entry. --list prints the programs on which they
disagree. A program that Assay refuses and jaxlib takes is no error where HLO has no such program; the message says so.
The exit code is 1 where Assay takes a program that jaxlib refuses, but for dialects that jaxlib does not know.

jaxlib runs in child processes, since it aborts on some inputs. Needs jax (tools/setup --peers).
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import peers

peers.need('jax')
from jax._src.interpreters import mlir as jax_mlir
from jaxlib.mlir import ir

import stablehlo_testdata

FOREIGN = re.compile(r'Dialect `\w+. not found|unregistered dialect')


def verdicts_of_peer(texts):
    """'' for what jaxlib takes, else its message; a child for all texts up to the next crash."""
    verdicts = []
    while len(verdicts) < len(texts):
        start, (reading, writing) = len(verdicts), os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            with jax_mlir.make_ir_context(), os.fdopen(writing, 'w') as answers:
                for text in texts[start:]:
                    try:
                        ir.Module.parse(text).operation.verify()
                        message = ''
                    except Exception as error:
                        message = ' '.join(str(error).split())[:300]
                    print(message, file=answers, flush=True)
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as answers:
            verdicts += [line.rstrip('\n') for line in answers]
        os.waitpid(child, 0)
        if len(verdicts) < len(texts):
            verdicts.append('aborts')
    return verdicts


def verdict_of_assay(assay, path, text):
    """'' where every function of the program is taken, else the first message."""
    functions = [quoted or plain for quoted, plain in stablehlo_testdata.FUNCTION.findall(text)]
    for entry in [''] if 'main' in functions or len(functions) < 2 else functions:
        command = [assay, 'verify', path] + (['--entry', entry] if entry else [])
        child = subprocess.run(command, capture_output=True, text=True)
        if child.returncode:
            return ' '.join((child.stdout + child.stderr).split())[:300]
    return ''


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('assay')
    parser.add_argument('folder')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--list', action='store_true')
    options = parser.parse_args()
    programs = [(f'{file.name}:{number}', text) for file in sorted(pathlib.Path(options.folder).rglob('*.mlir'))
                for number, text in stablehlo_testdata.programs(file)]
    peer = verdicts_of_peer([text for _, text in programs])
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        paths = [pathlib.Path(folder, f'{i}.mlir') for i in range(len(programs))]
        for path, (_, text) in zip(paths, programs):
            path.write_text(text)
        ours = list(pool.map(lambda i: verdict_of_assay(options.assay, paths[i], programs[i][1]), range(len(programs))))
    counts = collections.Counter()
    for (name, _), theirs, own in zip(programs, peer, ours):
        kind = f'{"refused" if own else "taken"} by Assay, {"refused" if theirs else "taken"} by jaxlib'
        if theirs and not own and (FOREIGN.search(theirs) or theirs == 'aborts'):
            kind = 'taken by Assay, jaxlib aborts or does not know the dialect'
        counts[kind] += 1
        if options.list and kind in ('taken by Assay, refused by jaxlib', 'refused by Assay, taken by jaxlib'):
            print(f'{name}: {kind}: {own or theirs}')
    for kind, count in counts.most_common():
        print(f'{count} {kind}')
    return 1 if counts['taken by Assay, refused by jaxlib'] else 0


if __name__ == '__main__':
    sys.exit(main())
