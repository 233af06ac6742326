#!/usr/bin/env python3
"""Every clause has a statement and tests, and docs/clauses.md lists them.

usage: clauses_check.py ROOT [--write]

A clause is stated in the comment where it is checked ("//   gather_c7 collapsed_slice_dims strictly increasing"),
named in the code ("gather_c7") and tested by a pair: in spec/verify/testdata/*.cases; of calls in BUILDER_TEST, where
the Builder demands it; or, where a reader of text already refuses it, by modules that BUILT_TESTS put together. --write
writes docs/clauses.md anew.
"""
import pathlib
import re
import sys

sys.dont_write_bytecode = True
import pages  # noqa: E402
from clause_cases import read_folder  # noqa: E402

CLAUSE = r'[a-z][a-z0-9_]*_c\d+'
STATED = re.compile(rf'^//   ({CLAUSE}) (.*)$')
NAMED = re.compile(rf'"\[?({CLAUSE})[\]"]')
MENTIONED = re.compile(rf'\b{CLAUSE}\b')
BUILDER, BUILDER_TEST = 'spec/builder', 'spec/builder/builder_clauses_test.cc'
CALL = r'\[\]\(B& b\) \{\s*return (.*?);\s*\}'
CALLS = re.compile(rf'\{{"({CLAUSE})",\s*{CALL},\s*{CALL}', re.S)
BUILT_TESTS = ('spec/verify/verifier_test.cc', 'spec/ops/shape_inference_test.cc',
               'spec/ops/inferred_shapes_test.cc')
# "..., and window_c1..c3": clauses of others that hold as well.
OTHERS = re.compile(rf',? and [a-z_]+_c1\.\..*$')


def sources(root):
    for folder in ('spec/ops', 'spec/sharding', 'spec/verify', BUILDER, 'spec/semantics'):
        for path in sorted((root / folder).glob('*.[ch]*')):
            if not path.name.endswith(('_test.cc', '_bench.cc')) and path.suffix in ('.cc', '.h'):
                yield path


def read_statements(path, problems):
    """Clause -> statement, from the lists in a file's comments."""
    statements, current = {}, None
    for line in path.read_text(encoding='utf-8').split('\n'):
        stated = STATED.match(line)
        if stated:
            current = stated.group(1)
            if current in statements:
                problems.append(f'{path.name}: {current} is stated twice')
            statements[current] = stated.group(2)
        elif current and line.startswith('//       '):
            statements[current] += ' ' + line[2:].strip()
        else:
            current = None
    return {clause: OTHERS.sub('', text) for clause, text in statements.items()}


class Calls:
    """A pair of Builder calls; shown as a Case is (clause_cases.py)."""

    def __init__(self, match, text, path):
        self.clause, self.path, self.strict = match.group(1), path, False
        self.calls = tuple(' '.join(call.split()) for call in match.groups()[1:])
        self.line = 1 + text.count('\n', 0, match.start())

    def marks(self):
        return [self.calls]


def read_calls(path):
    text = path.read_text(encoding='utf-8')
    return [Calls(match, text, path) for match in CALLS.finditer(text)]


def collect(root, problems):
    statements, named, files = {}, set(), {}
    for path in sources(root):
        for clause, text in read_statements(path, problems).items():
            if clause in statements:
                problems.append(f'{path.name}: {clause} is stated in {files[clause]} already')
            statements[clause], files[clause] = text, path.relative_to(root).as_posix()
        named |= set(NAMED.findall(path.read_text(encoding='utf-8')))
    return statements, named, files


def check(root, problems):
    statements, named, files = collect(root, problems)
    cases = read_folder(root / 'spec/verify/testdata') + read_calls(root / BUILDER_TEST)
    built = {clause: path for path in BUILT_TESTS
             for clause in MENTIONED.findall((root / path).read_text(encoding='utf-8'))}
    tested = {case.clause for case in cases} | built.keys()
    strict = set(NAMED.findall((root / 'spec/verify/strict.cc').read_text(encoding='utf-8')))
    for clauses, problem in ((named - statements.keys(), '{} is checked, but no comment states it'),
                             (statements.keys() - named, '{} is stated, but nothing checks it'),
                             (statements.keys() - tested, '{} has no pair of tests'),
                             (tested - statements.keys(), 'there is a test of {}, which is no clause')):
        problems += [problem.format(clause) for clause in sorted(clauses)]
    for clause, text in statements.items():
        if (clause in strict) != text.startswith('(strict)'):
            problems.append(f'{clause}: "(strict)" and spec/verify/strict.cc disagree')
    for case in cases:
        if case.strict != (case.clause in strict):
            problems.append(f'{case.path.name}:{case.line}: {case.clause} and "strict" do not go together')
    return statements, files, cases, built


def natural(clause):
    family, _, number = clause.rpartition('_c')
    return family, int(number)


def markdown(statements, files, cases, built):
    pairs = {}
    for case in cases:
        pairs.setdefault(case.clause, []).append(case)
    lines = ['# Clauses of the verifier', '',
             *pages.paragraph(
                 'Generated by `tools/checks/clauses_check.py`; do not edit. What `assay verify` demands: each clause with its rule set '
                 '(`xla`: so does XLA\'s own verifier, as lax as a compiler has it, against which `verify_peer_test` holds it; `strict`: the '
                 'documents do, and only `--rules strict`; `builder`: the Builder does, before a module is there) and its tests: what stands '
                 'in the module that is accepted, and what in the one that is refused. "fp-mix": float types of different precision count '
                 'as equal. Where Assay and XLA differ, and why: `tools/peers/verify_disagreements.txt`.'),
             '',
             f'{len(statements)} clauses, {len(cases)} pairs.', '',
             '| clause | demands | rules | accepted => refused | test |', '|---|---|---|---|---|']
    for clause in sorted(statements, key=natural):
        text = statements[clause]
        rules = ('builder' if files[clause].startswith(BUILDER) else
                 'strict' if text.startswith('(strict)') else 'xla')
        text = text.removeprefix('(strict) ')
        found = pairs.get(clause, [])
        if found:
            marks = found[0].marks()
            shown = '; '.join(f'`{a or " "}` => `{b or " "}`' for a, b in marks[:3]) + ('; ...' if len(marks) > 3 else '')
            tests = ', '.join(f'{case.path.name}:{case.line}' for case in found)
        else:
            shown, tests = 'built by a program', built[clause].rpartition('/')[2]
        cells = [clause, text, rules, shown, tests]
        lines.append('| ' + ' | '.join(cell.replace('|', '\\|').replace('\n', ' ') for cell in cells) + ' |')
    return '\n'.join(lines) + '\n'


def main():
    root = pathlib.Path(sys.argv[1])
    problems = []
    result = check(root, problems)
    return pages.finish(root / 'docs/clauses.md', markdown(*result), '--write' in sys.argv,
                        'run tools/checks/clauses_check.py . --write', f'{len(result[0])} clauses, {len(result[2])} pairs',
                        problems)


if __name__ == '__main__':
    sys.exit(main())
