#!/usr/bin/env python3
"""Checks that a header declares names in the namespace of its library alone (docs: CONTRIBUTING.md, "Namespaces").

Another library's namespace may be opened for forward declarations only.

usage: namespaces_check.py ROOT
"""
import pathlib
import re
import sys

# Folder -> namespace of its library. The longest matching prefix counts; a library may have namespaces within its own.
NAMESPACES = {
    # What a program that runs a module on the reference interpreter names, and the interface of backends.
    'spec': 'assay',
    'interpreter': 'assay',
    'backends': 'assay',
    'runtime': 'assay::runtime',
    'evaluator': 'assay::evaluator',
    'conformance': 'assay::conformance',
    'backends/cpu': 'assay::cpu',
    'backends/cuda': 'assay::cuda',
    'backends/passes': 'assay::passes',
    'backends/pjrt': 'assay::pjrt',
    'backends/process': 'assay::process',
    'fuzz': 'assay::fuzz',
    'python/core': 'assay::python',
    'tools/cli': 'assay::cli',
    'tools/peers': 'assay_target',  # the header that a target copies
}
BLOCK = re.compile(r'^namespace (assay[\w:]*) \{\n(.*?)^\}', re.M | re.S)
FORWARD = re.compile(r'(?://[^\n]*\n|\s|(?:class|struct|enum class) [\w:]+(?: : \w+)?;)*')


def namespace_of(path):
    """The namespace of the library of a header, its path relative to the root."""
    folder = path.parent
    while folder.as_posix() not in NAMESPACES:
        if folder == folder.parent:
            return None
        folder = folder.parent
    return NAMESPACES[folder.as_posix()]


def main():
    root = pathlib.Path(sys.argv[1])
    bad = checked = 0
    for folder in sorted({name.split('/')[0] for name in NAMESPACES}):
        for path in sorted((root / folder).rglob('*.h')):
            relative = path.relative_to(root)
            own = namespace_of(relative)
            if own is None:
                print(f'{relative}: its folder has no row in the table of namespaces')
                bad += 1
                continue
            for name, body in BLOCK.findall(path.read_text(encoding='utf-8')):
                checked += 1
                exact = name == own or name.startswith(own + '::')
                # Libraries nest in `assay`, which is no reason to declare in one another's namespaces.
                foreign = any(name.startswith(other) and len(other) > len(own) for other in NAMESPACES.values()
                              if other != own)
                if (not exact or foreign) and not FORWARD.fullmatch(body):
                    print(f'{relative}: declares in namespace {name}; its library has {own}')
                    bad += 1
    print(f'{checked} namespaces checked, {bad} of another library')
    return 1 if bad or checked == 0 else 0


if __name__ == '__main__':
    sys.exit(main())
