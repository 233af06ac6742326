"""Reads the pairs of spec/verify/testdata/*.cases (the format is in the README there)."""
import pathlib
import re

MARK = re.compile(r'<<(.*?) => (.*?)>>', re.S)


class Case:
    """A module that every rule set accepts, and one that differs as little as possible and trips the clause."""

    def __init__(self, clause, flags, body, computations, path, line):
        self.clause, self.flags, self.body = clause, flags, body
        self.path, self.line = path, line
        self.accepted = module_text(MARK.sub(r'\1', body), computations)
        self.refused = module_text(MARK.sub(r'\2', body), computations)

    def marks(self):
        return [match.groups() for match in MARK.finditer(self.body)]

    @property
    def strict(self):
        return 'strict' in self.flags

    @property
    def reader(self):
        return 'reader' in self.flags


def module_text(body, computations):
    """The module of "shapes | instruction", or the body itself where it is a module."""
    if body.startswith('HloModule'):
        return body
    shapes, _, instruction = body.partition('|')
    lines = ['HloModule rule', computations, 'ENTRY entry {']
    for number, shape in enumerate(part.strip() for part in shapes.split(';') if part.strip()):
        lines.append(f'  p{number} = {shape} parameter({number})')
    lines += [f'  ROOT r = {" ".join(instruction.split())}', '}', '']
    return '\n'.join(lines)


def read_file(path):
    cases, computations = [], ''
    text = pathlib.Path(path).read_text(encoding='utf-8')
    blocks = re.split(r'^== ', text, flags=re.M)
    line = 1 + blocks[0].count('\n')
    for block in blocks[1:]:
        head, _, body = block.partition('\n')
        words = head.split()
        if words[0] == 'computations':
            computations = body.strip()
        else:
            cases.append(Case(words[0], words[1:], body.strip(), computations, path, line))
        line += block.count('\n')
    return cases


def read_folder(folder):
    return [case for path in sorted(pathlib.Path(folder).glob('*.cases')) for case in read_file(path)]
