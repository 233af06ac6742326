#!/usr/bin/env python3
"""Holds the printer against XLA's own parser and printer.

usage: text_peer_test.py ASSAY FILE_OR_FOLDER...

For every .hlo file that XLA reads:
  - the canonical text (`assay show --to text`), read by XLA, prints as XLA prints the original, in
    the default form with constants in full, the short and the canonical form;
  - the default, short and canonical forms are XLA's, byte for byte.
Excepted are negative zeros (XLA writes -0 and reads that as 0, so texts are compared with every
zero's sign removed), the smallest value of f8e8m0fnu (XLA misreads its own 5.9e-39), trailing '?'
in dim_labels, escapes in a recovery table, constants that XLA fills with counted junk, and the
layout of constants of sub-byte types.

Needs jax: the interpreter itself, or $ASSAY_PEERS/bin/python. Without it the test is skipped (exit
code 77) unless ASSAY_REQUIRE_PEERS is set.
"""
import os
import pickle
import re
import subprocess
import sys

SKIP = 77


def find_peer():
    """XLA's HLO module in this process, or the same script under the peers' interpreter."""
    try:
        from jax._src.lib import xla_client
        return xla_client._xla.hlo if hasattr(xla_client._xla, 'hlo') else xla_client.hlo
    except ImportError:
        pass
    python = os.path.join(os.environ.get('ASSAY_PEERS', ''), 'bin', 'python')
    if os.path.exists(python) and os.path.realpath(sys.prefix) != os.path.realpath(
            os.environ['ASSAY_PEERS']):
        os.execv(python, [python] + sys.argv)
    print('skipped: jax is not installed (tools/setup --peers)')
    sys.exit(1 if os.environ.get('ASSAY_REQUIRE_PEERS') else SKIP)


HLO = find_peer()


def forms():
    full = HLO.HloPrintOptions()
    full.print_large_constants = True
    return {
        'default': HLO.HloPrintOptions(),
        'full': full,
        'short': HLO.HloPrintOptions.short_parsable(),
        'canonical': HLO.HloPrintOptions.canonical(),
    }


def xla(text):
    """The module of the text in every form, or a message. In a child: XLA may abort, and what it
    fills elided constants with counts on from module to module."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            module = HLO.hlo_module_from_text(text)
            result = {name: module.to_string(options) for name, options in forms().items()}
        except Exception as error:  # XLA's refusals have no type of their own.
            result = str(error)
        with os.fdopen(write, 'wb') as pipe:
            pickle.dump(result, pipe)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, 'rb') as pipe:
        data = pipe.read()
    os.waitpid(child, 0)
    return pickle.loads(data) if data else 'it aborts'


def normal(text):
    text = re.sub(r'(?<![\w.])-0(\.0)?(?=[,} )])', '0', text)
    text = re.sub(r'\b5\.[89]e-39', '5.9e-39', text)
    text = re.sub(r'(_[0-9io?]+->[0-9bf]+)\?+', r'\1', text)
    # Outside of a recovery table there is no \" that both do not write.
    return text.replace('\\"', '"')


def bytes_of(text):
    text = normal(text)
    # `{...}` of at most ten elements: XLA has junk in its place.
    text = re.sub(r'\{:?0?:?E\([124]\)\}', '{0}', text)
    return re.sub(r'constant\([^\n]*', 'constant(', text)


def first_difference(left, right):
    for number, (a, b) in enumerate(zip(left.split('\n'), right.split('\n')), 1):
        if a != b:
            at = next((i for i, (p, q) in enumerate(zip(a, b)) if p != q), min(len(a), len(b)))
            span = slice(max(0, at - 60), at + 120)
            return f'line {number}:\n    XLA   {a[span]}\n    Assay {b[span]}'
    return 'one is longer'


def check(assay, path):
    """Problems of one file; None where XLA does not read it."""
    with open(path, encoding='utf-8') as file:
        original = xla(file.read())
    if isinstance(original, str):
        return None

    def show(form):
        run = subprocess.run([assay, 'show', path, '--to', form], capture_output=True, text=True)
        if run.returncode != 0:
            raise ValueError(f'show --to {form}: {run.stderr.strip()}')
        return run.stdout

    problems = []
    reprint = xla(show('text'))
    if isinstance(reprint, str):
        return [f'XLA does not read our text: {reprint[:500]}']
    for form in ('full', 'short', 'canonical'):
        ours, theirs = normal(reprint[form]), normal(original[form])
        if ours != theirs:
            problems.append(f'reprinted ({form}): {first_difference(theirs, ours)}')
    for form in ('default', 'short', 'canonical'):
        ours, theirs = bytes_of(show(form)).rstrip('\n'), bytes_of(original[form]).rstrip('\n')
        # Names that are words of the grammar keep a '%' so that they can be read.
        if ours.replace('%', '') != theirs.replace('%', ''):
            problems.append(f'{form}: {first_difference(theirs, ours)}')
    return problems


def main():
    assay, roots = sys.argv[1], sys.argv[2:]
    files = []
    for root in roots:
        if os.path.isdir(root):
            files += [os.path.join(root, name) for name in os.listdir(root) if name.endswith('.hlo')]
        else:
            files.append(root)
    read = failed = 0
    for path in sorted(files):
        problems = check(assay, path)
        if problems is None:
            continue
        read += 1
        failed += bool(problems)
        for problem in problems:
            print(f'{path}: {problem}')
    print(f'{len(files)} files, {read} that XLA reads, {failed} with differences')
    sys.exit(1 if failed or read == 0 else 0)


if __name__ == '__main__':
    main()
