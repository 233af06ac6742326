#!/usr/bin/env python3
"""Invalid StableHLO programs: does Assay refuse what MLIR's verifiers refuse?

usage: stablehlo_refusals.py ASSAY FOLDER [--jobs N] [--list]

Every .mlir file below FOLDER (a checkout of StableHLO, or programs of one's own), split at `// -----`, is read and
verified by jaxlib and by `assay verify`, each of its functions as the entry. Where arguments have no sizes, Assay is
asked again with each of a few numbers as all of them. --list prints the programs on which they disagree. A program that Assay refuses and jaxlib takes is no error where HLO has no such program; the message says so.
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

HEAD = re.compile(r'func\.func (?:public |private )?@(?:"[^"]+"|[A-Za-z0-9_.$-]+)\s*\(([^{]*?)\)\s*(?:->|\{|attributes)')
SIZES = (1, 2, 3, 4, 5, 8, 16)
WITH_SIZES = 'with sizes'
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


def options_for_sizes(text, name, size):
    """--shape for the arguments of a function that have dynamic dimensions, all of this size."""
    options = []
    at = re.search(r'func\.func (?:public |private )?@"?' + re.escape(name) + r'"?\s*\(', text) if name else None
    head = HEAD.search(text, at.start() if at else 0)
    arguments = re.findall(r'%[\w$.-]+\s*:\s*(tensor<[^>]*>|[^,]+)', head.group(1)) if head else []
    for number, argument in enumerate(arguments):
        sizes = re.match(r'tensor<((?:(?:\d+|\?)x)+)', argument)
        if sizes and '?' in sizes.group(1):
            options += ['--shape', f'arg{number}={sizes.group(1)[:-1].replace("?", str(size))}']
    return options


def verdict_of_assay(assay, path, text):
    """'' where every function of the program is taken, WITH_SIZES where sizes had to be given, else a message."""
    verdict = ''
    text = re.sub(r'^\s*//.*$', '', text, flags=re.MULTILINE)  # comments show other programs
    functions = [quoted or plain for quoted, plain in stablehlo_testdata.FUNCTION.findall(text)]
    for entry in [''] if 'main' in functions or len(functions) < 2 else functions:
        command = [assay, 'verify', path] + (['--entry', entry] if entry else [])
        child = subprocess.run(command, capture_output=True, text=True)
        if child.returncode == 0:
            continue
        verdict = ' '.join((child.stdout + child.stderr).split())[:300]
        if 'is not known: say it by --shape' not in verdict:
            return verdict
        name = entry or ('main' if 'main' in functions else functions[0])
        for size in SIZES:
            child = subprocess.run(command + options_for_sizes(text, name, size), capture_output=True, text=True)
            if child.returncode == 0:
                break
        else:
            return ' '.join((child.stdout + child.stderr).split())[:300]
        verdict = WITH_SIZES
    return verdict


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
        taken = 'taken' if not own else 'taken with sizes' if own == WITH_SIZES else 'refused'
        kind = f'{taken} by Assay, {"refused" if theirs else "taken"} by jaxlib'
        if theirs and taken == 'taken' and (FOREIGN.search(theirs) or theirs == 'aborts'):
            kind = 'taken by Assay, jaxlib aborts or does not know the dialect'
        counts[kind] += 1
        if options.list and kind in ('taken by Assay, refused by jaxlib', 'refused by Assay, taken by jaxlib'):
            print(f'{name}: {kind}: {own or theirs}')
    for kind, count in counts.most_common():
        print(f'{count} {kind}')
    return 1 if counts['taken by Assay, refused by jaxlib'] else 0


if __name__ == '__main__':
    sys.exit(main())
