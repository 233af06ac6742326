#!/usr/bin/env python3
"""Holds the printer against XLA's own parser and printer.

usage: text_peer_test.py ASSAY FILE_OR_FOLDER... [--generated] [--every N]

For every .hlo and .pb file that XLA reads (with --every one of N), and with --generated for those of module_corpus.py:
  - the canonical text (`assay show --to text`), read by XLA, prints as XLA prints the original, in
    the default form with constants in full, the short and the canonical form;
  - the default, short and canonical forms are XLA's, byte for byte;
  - the protobuf (`--to proto`), read by XLA, prints as XLA's own protobuf of the module does, and
    gives the same canonical text.
With --generated also: of texts in which something is changed (mutants() of module_corpus.py), Assay
reads those that XLA reads and no others, apart from what the tables below excuse.
A module from a protobuf that XLA's own text does not bring back (its order of computations is one
of the ids) is held to the forms alone. Excepted are negative zeros (XLA writes -0 and reads that as
0, so texts are compared with every zero's sign removed), the smallest value of f8e8m0fnu (XLA
misreads its own 5.9e-39), trailing '?' in dim_labels, escapes in a recovery table, constants that
XLA fills with counted junk, the layout of constants of sub-byte types, and top-k without is_stable,
which protobufs of this XLA do not hold.

Needs jax (peers.py).
"""
import argparse
import concurrent.futures
import functools
import os
import pickle
import re
import struct
import subprocess
import sys
import tempfile

import module_corpus
import peers

peers.need('jax')

MUTANTS = 600

# What XLA refuses and Assay reads: the newer version of the grammar and old dumps (reference
# hlo_text_format.md, appendices B and D). Parts of XLA's messages.
NEWER_OR_OLDER = (
    'must have more than one device', 'expect a single async op', 'is expected but not seen',
    'unexpected attribute "is_stable"', 'unexpected attribute "has_dynamic_root"',
    'unexpected attribute "debug_attributes"', 'unexpected attribute "algorithm"', 'unknown attribute',
    # It writes the largest numbers of c64 so that it does not read them.
    "part 3.40282e+38 is out of range for literal's primitive type C64",
    "part -3.40282e+38 is out of range for literal's primitive type C64")
# No refusals, though some come as exceptions.
ABORTS = ('it aborts', 'Bad StatusOr access')
# What Assay refuses and XLA reads. Parts of Assay's messages.
MISREAD = ("expected '[' with the sizes",)


def xla_hlo():
    from jax._src.lib import xla_client
    return xla_client._xla.hlo if hasattr(xla_client._xla, 'hlo') else xla_client.hlo


HLO = xla_hlo()


def forms():
    full = HLO.HloPrintOptions()
    full.print_large_constants = True
    return {
        'default': HLO.HloPrintOptions(),
        'full': full,
        'short': HLO.HloPrintOptions.short_parsable(),
        'canonical': HLO.HloPrintOptions.canonical(),
    }


def in_child(work):
    """What `work` returns, in a child: XLA may abort, and what it fills elided constants with counts
    on from module to module. None where it aborts."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        with os.fdopen(write, 'wb') as pipe:
            pickle.dump(work(), pipe)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, 'rb') as pipe:
        data = pipe.read()
    os.waitpid(child, 0)
    return pickle.loads(data) if data else None


def read_module(content):
    if isinstance(content, bytes):
        return HLO.HloModule.from_serialized_hlo_module_proto(content)
    return HLO.hlo_module_from_text(content)


def xla(content):
    """The module of a text or a protobuf in every form, or a message."""
    def work():
        try:
            module = read_module(content)
            result = {name: module.to_string(options) for name, options in forms().items()}
            options = forms()['full']
            result['of text'] = read_module(result['full']).to_string(options)
            proto = module.as_serialized_hlo_module_proto()
            result['of proto'] = read_module(proto).to_string(options)
            return result
        except Exception as error:  # XLA's refusals have no type of their own.
            return str(error)
    result = in_child(work)
    return 'it aborts' if result is None else result


def normal(text):
    text = re.sub(r'(?<![\w.])-0(\.0)?(?=[,} )])', '0', text)
    text = re.sub(r'\b5\.[89]e-39', '5.9e-39', text)
    text = re.sub(r'(?<=[0-9bfio])\?+(?=_[0-9io?]+->|->[0-9bf?])', '', text)
    text = re.sub(r'(_[0-9io?]+->[0-9bf]+)\?+', r'\1', text)
    text = re.sub(r'\(nan, [^()]*\)', '(nan, nan)', text)  # XLA loses the imaginary part
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


def show(assay, path, form, text=True):
    run = subprocess.run([assay, 'show', path, '--to', form], capture_output=True)
    if run.returncode != 0:
        raise ValueError(f'show --to {form}: {run.stderr.decode()}')
    return run.stdout.decode() if text else run.stdout


def check(assay, path):
    """Problems of one file; None where XLA does not read it."""
    with open(path, 'rb') as file:
        content = file.read()
    original = xla(content if path.endswith('.pb') else content.decode())
    if isinstance(original, str):
        return None
    problems = []
    canonical = show(assay, path, 'text')
    if normal(original['of text']) == normal(original['full']):
        reprint = xla(canonical)
        if isinstance(reprint, str):
            return [f'XLA does not read our text: {reprint[:500]}']
        for form in ('full', 'short', 'canonical'):
            ours, theirs = normal(reprint[form]), normal(original[form])
            if ours != theirs:
                problems.append(f'reprinted ({form}): {first_difference(theirs, ours)}')
    for form in ('default', 'short', 'canonical'):
        ours = bytes_of(show(assay, path, form)).rstrip('\n')
        theirs = bytes_of(original[form]).rstrip('\n')
        # Names that are words of the grammar keep a '%' so that they can be read.
        if ours.replace('%', '') != theirs.replace('%', ''):
            problems.append(f'{form}: {first_difference(theirs, ours)}')
    with tempfile.NamedTemporaryFile(suffix='.pb') as file:
        file.write(show(assay, path, 'proto', text=False))
        file.flush()
        with open(file.name, 'rb') as proto:
            reprint = xla(proto.read())
        if show(assay, file.name, 'text') != canonical:
            problems.append('the text of our protobuf is another one')
    if isinstance(reprint, str):
        problems.append(f'XLA does not read our protobuf: {reprint[:500]}')
    elif '{...}' not in canonical and normal(reprint['full']) != normal(original['of proto']):
        problems.append(f'protobuf: {first_difference(original["of proto"], reprint["full"])}')
    return problems


def xla_messages(texts):
    """For each text XLA's message, '' where it reads it, or 'it aborts'."""
    messages = []
    while len(messages) < len(texts):
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            for text in texts[len(messages):]:
                try:
                    read_module(text)
                    message = b''
                except Exception as error:
                    message = str(error).encode(errors='replace')
                os.write(write, struct.pack('<I', len(message)) + message)
            os._exit(0)
        os.close(write)
        with os.fdopen(read, 'rb') as pipe:
            while size := pipe.read(4):
                messages.append(pipe.read(struct.unpack('<I', size)[0]).decode())
        os.waitpid(child, 0)
        if len(messages) < len(texts):
            messages.append('it aborts')
    return messages


def check_mutants(assay, mutants):
    """Differences about which texts can be read, and how many XLA reads."""
    problems, accepted = [], 0
    with tempfile.NamedTemporaryFile('w', suffix='.hlo', encoding='utf-8') as file:
        for (text, done), theirs in zip(mutants, xla_messages([text for text, _ in mutants])):
            file.seek(0)
            file.truncate()
            file.write(text)
            file.flush()
            run = subprocess.run([assay, 'show', file.name, '--to', 'short'], capture_output=True, text=True)
            accepted += not theirs
            if run.returncode not in (0, 2):
                problems.append(f'exit code {run.returncode} after {done}: {run.stderr}')
            elif not theirs and run.returncode == 2 and not any(m in run.stderr for m in MISREAD):
                problems.append(f'refused after {done}: {run.stderr}')
            elif theirs and run.returncode == 0 and not any(m in theirs for m in NEWER_OR_OLDER + ABORTS):
                problems.append(f'read after {done}: XLA says {theirs[:300]}')
    return problems, accepted


def check_all_mutants(assay, files, pool):
    """Prints the differences, and says whether there are none and XLA reads some of the texts."""
    texts = []
    for path in sorted(files):
        if path.endswith('.hlo') and os.path.getsize(path) < 4000:
            with open(path, encoding='utf-8') as file:
                texts.append(file.read())
    mutants = list(module_corpus.mutants(texts, MUTANTS))
    shares = [mutants[i:i + MUTANTS // 8] for i in range(0, MUTANTS, MUTANTS // 8)]
    differences = accepted = 0
    for problems, read in pool.map(functools.partial(check_mutants, assay), shares):
        for problem in problems:
            print(problem)
        differences += len(problems)
        accepted += read
    print(f'{MUTANTS} texts with something changed, {accepted} that XLA reads, {differences} differences')
    return differences == 0 and accepted > MUTANTS // 10


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('assay')
    parser.add_argument('roots', nargs='*')
    parser.add_argument('--generated', action='store_true')
    parser.add_argument('--every', type=int, default=1)
    options = parser.parse_args()
    assay, roots, generated = options.assay, options.roots, options.generated
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ProcessPoolExecutor() as pool:
        if generated:
            subprocess.run([sys.executable, module_corpus.__file__, folder], check=True)
            roots.append(folder)
        files = []
        for root in roots:
            names = os.listdir(root) if os.path.isdir(root) else ['']
            files += [os.path.join(root, name).rstrip('/') for name in names
                      if not name or name.endswith(('.hlo', '.pb')) and '.snapshot.' not in name]
        files = sorted(files)[::options.every]
        read = failed = 0
        for path, problems in zip(files, pool.map(functools.partial(check, assay), files, chunksize=8)):
            if problems is None:
                continue
            read += 1
            failed += bool(problems)
            for problem in problems:
                print(f'{path}: {problem}')
        print(f'{len(files)} files, {read} that XLA reads, {failed} with differences')
        sound = not generated or check_all_mutants(assay, files, pool)
    sys.exit(0 if sound and read and not failed else 1)


if __name__ == '__main__':
    main()
