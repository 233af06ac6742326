#!/usr/bin/env python3
"""Checks that no name of a namespace is defined as a type twice (the one-definition rule).

A type outside anonymous namespaces has external linkage: two different definitions of one name, in
whatever two files, are an error that no compiler or linker reports. The tree is formatted by
clang-format, so definitions at namespace scope begin in the first column. The preset `odr` compares
what a scan of names cannot see, the contents (CONTRIBUTING.md).

usage: odr_check.py ROOT
"""
import collections
import pathlib
import re
import sys

FOLDERS = ('spec', 'runtime', 'evaluator', 'interpreter', 'backends', 'conformance', 'fuzz', 'tools')
OPENING = re.compile(r'^(?:inline )?namespace( [\w:]+)? \{')
CLOSING = re.compile(r'^\}  // namespace')
TYPE = re.compile(r'^(?:struct|class|union|enum class|enum struct|enum) (?:\w+\(.*?\) )?([\w:]+)(?!;)[^;()]*(?:\{|$)')


def types_of(text):
    """The qualified names of the types that a file defines outside anonymous namespaces."""
    spaces, found = [], []
    lines = text.split('\n')
    for number, line in enumerate(lines):
        if opening := OPENING.match(line):
            spaces.append(opening.group(1).strip() if opening.group(1) else None)
        elif CLOSING.match(line) and spaces:
            spaces.pop()
        elif (match := TYPE.match(line)) and None not in spaces:
            if lines[number - 1].startswith('template') or '<' in line.split('{')[0].split(':')[0]:
                continue  # a template and its specialisations
            found.append(('::'.join(spaces + [match.group(1)]), number + 1))
    return found


def main():
    root = pathlib.Path(sys.argv[1])
    places, files = collections.defaultdict(list), 0
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob('*')):
            if path.suffix not in ('.cc', '.h'):
                continue
            files += 1
            for name, line in types_of(path.read_text(encoding='utf-8')):
                # Names of tests and benchmarks meet in no program: each is one of its own.
                if not re.search(r'_(test|bench)\.cc$', path.name):
                    places[name].append(f'{path.relative_to(root)}:{line}')
    # Two definitions in one file are alternatives of the preprocessor.
    bad = {name: where for name, where in places.items() if len({place.split(':')[0] for place in where}) > 1}
    for name, where in sorted(bad.items()):
        print(f'{name} is defined {len(where)} times: {", ".join(where)}')
    print(f'{len(places)} types in {files} files checked, {len(bad)} defined more than once')
    return 1 if bad or len(places) < 100 else 0


if __name__ == '__main__':
    sys.exit(main())
