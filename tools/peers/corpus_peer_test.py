"""corpus_reader.py, written from docs/corpus_format.md alone, makes the arrays that Assay makes: every profile of every
type, and a sample of the corpus with its literals.

usage: corpus_peer_test.py ASSAY
"""
import json
import os
import re
import subprocess
import sys
import tempfile

import peers

peers.need('numpy', 'gmpy2')
import numpy as np  # noqa: E402

import corpus_reader  # noqa: E402
from models import formats  # noqa: E402

TYPES = ['pred'] + [f'{c}{b}' for c in 'su' for b in (1, 2, 4, 8, 16, 32, 64)] + [*corpus_reader.FLOATS, 'c64', 'c128']
PROFILES = ['all stride=2 offset=253', 'benign', 'cancellation', 'definite', 'duplicates', 'finite', 'indices low=0 high=0', 'integers', 'overflow',
            'patterns', 'positive', 'sorted', 'special stride=3', 'subnormal', 'ties', 'ties keep=0', 'unique', 'unit']


def assay(*arguments):
    return subprocess.run([sys.argv[1], 'corpus', *arguments], capture_output=True, text=True, check=False)


def every_profile():
    """A case for each profile and type, those that are refused among them, one to a list."""
    for profile in PROFILES:
        name, *parameters = profile.split()
        for element in TYPES:
            for sizes in (['[3,3]'] if name == 'definite' else ['[]', '[0]', '[7]', '[2,150]']):
                use = ' '.join([name, element + sizes, *parameters, 'seed=11' if name not in ('all', 'special') else ''])
                size = sizes.strip('[]').replace(',', '_') or 'scalar'
                label = f"parameter/{element}/{name}.{size}{'.keep' if 'keep' in profile else ''}"
                yield (f'case {label}\ntags: op=parameter\nmodule:\n  ENTRY e {{ ROOT a = {element}{sizes} parameter(0) }}\n'
                       f'inputs:\n  arg0 = {use.strip()}\nexpect: golden\n')


def accepted(texts, folder):
    """Those that Assay reads: it names the first mistake by its line."""
    path = os.path.join(folder, 'all.cases')
    while True:
        with open(path, 'w', encoding='utf-8') as file:
            file.write(''.join(texts))
        result = assay('list', '--cases', path)
        if result.returncode == 0:
            return path, len(texts)
        line = int(result.stderr.split(path + ':')[1].split(':')[0])
        lines_of_case = texts[0].count('\n')
        refused = texts[(line - 1) // lines_of_case]
        name, element = refused.split('arg0 = ')[1].split()[0], refused.split('/')[1]
        texts = [text for text in texts if f'arg0 = {name} {element}[' not in text]


def patterns(npz, name, parts):
    """The array of a file as corpus_reader has it."""
    member = next(key for key in npz.files if key.split('@')[0] == name)
    array = npz[member]
    width = array.dtype.itemsize // parts
    flat = np.frombuffer(array.tobytes(), f'u{width}').astype(np.uint64)
    return flat.reshape(array.shape + (2, ) * (parts == 2))


def compare(folder, *selection):
    """Exports the cases, and holds what the reader makes of their texts against the files."""
    result = assay('export', folder, *selection)
    assert result.returncode == 0, result.stderr
    cases = arrays = 0
    for root, _, files in os.walk(folder):
        if not {'case.txt', 'inputs.npz'}.issubset(files):
            continue
        with open(os.path.join(root, 'case.txt'), encoding='utf-8') as file:
            case, = corpus_reader.read_cases(file.read())
        with open(os.path.join(root, 'case.json'), encoding='utf-8') as file:
            assert json.load(file)['id'] == case['id']
        cases += 1
        for name, array in case['arrays'].items():
            npz = np.load(os.path.join(root, 'inputs.npz' if name.startswith('arg') else 'expected.npz'))
            mine = patterns(npz, name, 2 if case['types'][name] in corpus_reader.PARTS else 1)
            if name.startswith('out'):  # of NaNs every pattern is right
                part = corpus_reader.PARTS.get(case['types'][name], (case['types'][name], ))[0]
                if part in corpus_reader.FLOATS:
                    number = formats.element_type(part)
                    nan = [number.is_nan(int(p)) for p in mine.flat]
                    array = np.where(np.reshape(nan, mine.shape), mine, array)
            assert array.shape == mine.shape and (array == mine).all(), f"{case['id']} {name}: {array} here, {mine} there"
            arrays += 1
    return cases, arrays


def main():
    with tempfile.TemporaryDirectory() as folder:
        path, count = accepted(list(every_profile()), folder)
        cases, arrays = compare(os.path.join(folder, 'profiles'), '--cases', path)
        assert cases == count and cases > 1200, cases
        print(f'{arrays} arrays of every profile and type are the same')
        sample = ('--filter', '*/f8e4m3fn/example*', '--filter', '*/c*/example*', '--filter', 'a*/bf16/special*')
        cases, arrays = compare(os.path.join(folder, 'sample'), *sample)
        print(f'{arrays} arrays of {cases} cases of the corpus are the same')


if __name__ == '__main__':
    main()
