#!/usr/bin/env python3
"""Holds programs of one operation each (xla_programs.py) against XLA CPU and lists every difference.

usage: xla_peer_test.py ASSAY [--family TEXT] [--show] [--write] [--anew]

Programs of operations that have a definition run alone on XLA CPU (assay diff --isolate), which judges their elements: equal,
within the bound of the operation, or another value that the reference admits. The others run in whole modules, several
programs in each, and must be equal. Everything else is a difference: a line of xla_differences.txt covers it and names a section of
docs/differences_from_xla.md that explains it. A difference without a line fails the test, and so does a line without a
difference, or a section without a line. --show prints each line with the differences that it covers; --write puts
the counts into the document. One module of LIVE_EVERY is put to XLA CPU in every run, and of the others what has no known
answer (known_answers.py); --anew asks all and stores the answers, and goes without --family. Needs jax (peers.py).
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import json
import os
import re
import subprocess
import sys
import tempfile

import disagreements
import known_answers
import peers
import program_text
import xla_programs

HERE = os.path.dirname(os.path.abspath(__file__))
LIST = os.path.join(HERE, 'xla_differences.txt')
DOCUMENT = os.path.join(os.path.dirname(os.path.dirname(HERE)), 'docs', 'differences_from_xla.md')
DEVICES = 4  # that XLA pretends to have
KINDS = ('differs', 'refuses', 'fails')
LEGAL = ('equal', 'legal', 'not judgeable')
WORDS = {'exact': 'equal', 'correctly rounded': 'equal', 'within bound': 'legal', 'allowed': 'legal',
         'known deviation': 'legal'}
COLUMNS = (*LEGAL, 'differs', 'not run')


@dataclasses.dataclass
class Difference:
    program: str
    kind: str
    detail: str


def diff(assay, peer, programs, header, *options):
    """The report of `assay diff` on a module of the programs, or what it prints where there is none."""
    text, arguments = program_text.module_of(programs, header)
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ('programs.hlo', 'arguments.txt')]
        for path, content in zip(paths, (text, arguments)):
            with open(path, 'w', encoding='utf-8') as file:
                file.write(content)
        run = subprocess.run([assay, 'diff', paths[0], '--inputs', paths[1], '--right', peer, '--json', *options],
                             capture_output=True, text=True)
    try:
        return json.loads(run.stdout)
    except json.JSONDecodeError:
        return {'error': f'exit code {run.returncode}: {one_line(run.stderr)}'}


def one_line(text):
    return ' '.join(text.split())[:600]


def operands_text(program, position):
    """The operands of an element, where it is made of the elements at its position."""
    values = [operand.values[position] for operand in program.operands if len(operand.values) > position]
    return f'({", ".join(values)})' if program.elementwise and len(values) == len(program.operands) else ''


def judge_alone(assay, peer, name, programs):
    """Verdict by program, and the differences: every instruction alone on XLA CPU."""
    report = diff(assay, peer, programs, '', '--isolate', '--profile', 'xla-cpu')
    if 'instructions' not in report:
        return {}, [Difference(name, 'fails', report['error'])]
    by_name = {program_text.identifier(program.name): program for program in programs}
    verdicts, differences = {}, []
    for entry in report['instructions']:
        name, program = entry['instruction'], by_name.get(entry['instruction'])
        if 'not_run' in entry:
            kind = 'refuses' if entry['status'] in ('UNIMPLEMENTED', 'INVALID_ARGUMENT') else 'fails'
            verdicts[name] = 'not run'
            differences.append(Difference(name, kind, one_line(entry['not_run'])))
            continue
        verdict = WORDS.get(entry['verdict'], entry['verdict'])
        verdicts[name] = verdict if verdict in LEGAL else 'differs'
        for element in (each for each in entry.get('evidence', []) if each['verdict'] == 'wrong'):
            at = f'{element["leaf"]}:{element["position"]}'
            operands = operands_text(program, element['position']) if program else ''
            differences.append(Difference(
                name, 'differs', f'{entry["opcode"]}{operands} golden {element["golden"]}, XLA {element["actual"]} at {at}'))
    missing = set(by_name) - set(verdicts)
    return verdicts, differences + [Difference(name, 'fails', 'was not judged') for name in sorted(missing)]


def judge_whole(assay, peer, programs, header):
    """The same for programs in one module: each result must be equal."""
    report = diff(assay, peer, programs, header)
    names = [program_text.identifier(program.name) for program in programs]
    if 'comparison' not in report:
        kind = 'refuses' if 'UNIMPLEMENTED' in report['error'] else 'fails'
        return dict.fromkeys(names, 'not run'), [Difference(names[0], kind, one_line(report['error']))]
    verdicts, differences = dict.fromkeys(names, 'equal'), []
    for output in report['comparison']['outputs']:
        number, device = re.fullmatch(r'out(\d+)(\.dev\d+)?', output['name']).groups()
        if output['verdict'] == 'equal':
            continue
        name, first = names[int(number)], output.get('first_mismatch') or output['first']
        verdicts[name] = 'differs'
        differences.append(Difference(name, 'differs', f'golden {first["left"]}, XLA {first["right"]} at {first["at"]}'
                                                       f'{device or ""}'))
    return verdicts, differences


def judge(assay, peer, name, alone, programs, header):
    return judge_alone(assay, peer, name, programs) if alone else judge_whole(assay, peer, programs, header)


def sections():
    """The headings of the document under which differences are explained."""
    with open(DOCUMENT, encoding='utf-8') as file:
        return re.findall(r'^### (.*)$', file.read(), re.M)


def table(verdicts):
    """Programs by family and verdict, for the document."""
    lines = [f'| family | programs | {" | ".join(COLUMNS)} |', '|---' * (len(COLUMNS) + 2) + '|']
    total = collections.Counter()
    for family, counts in verdicts.items():
        total.update(counts)
        lines.append(f'| {family} | {sum(counts.values())} | ' + ' | '.join(str(counts[c]) for c in COLUMNS) + ' |')
    lines.append(f'| all | {sum(total.values())} | ' + ' | '.join(str(total[c]) for c in COLUMNS) + ' |')
    return '\n'.join(lines) + '\n'


def write(text):
    with open(DOCUMENT, encoding='utf-8') as file:
        document = file.read()
    with open(DOCUMENT, 'w', encoding='utf-8') as file:
        file.write(re.sub(r'^\| family .*\n(\|.*\n)*', lambda _: text, document, flags=re.M))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('assay')
    parser.add_argument('--family', default='')
    parser.add_argument('--show', action='store_true')
    parser.add_argument('--write', action='store_true')
    parser.add_argument('--anew', action='store_true')
    options = parser.parse_args()
    if options.family and options.anew:
        parser.error('--anew replaces the stored answers of all families: it goes without --family')
    peers.need('jax')
    families = [family for family in xla_programs.modules() if options.family in family[0]]
    answers = known_answers.Answers('xla_peer', options.anew)
    targets = [answers.backend('--strict', '--devices', str(DEVICES), live=number % known_answers.LIVE_EVERY == 0)
               for number in range(len(families))]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        judged = list(pool.map(lambda target, family: judge(options.assay, target, *family), targets, families))
    answers.finish()
    listed, bad, verdicts = disagreements.read_list(LIST, KINDS), 0, {}
    covered = collections.defaultdict(list)
    for (family, _, programs, _), (by_program, differences) in zip(families, judged):
        names = {program_text.identifier(program.name) for program in programs}
        verdicts.setdefault(family, collections.Counter()).update(v for n, v in by_program.items() if n in names)
        for difference in differences:
            row = next((row for row in listed if row.covers(difference.kind, difference.detail, [difference.program])), None)
            covered[row and row.line].append(difference)
    for difference in covered[None]:
        print(f'unlisted: {difference.kind} {difference.program}: {difference.detail}')
    bad += len(covered.pop(None))
    if options.show:
        for line, differences in covered.items():
            print(f'--- {len(differences)} {line}')
            print('\n'.join(f'  {d.program}: {d.detail}' for d in differences))
    if not options.family:
        reasons, headings = {row.reason for row in listed}, sections()
        problems = [f'no difference is left of: {row.line}' for row in listed if row.line not in covered]
        problems += [f'{DOCUMENT} has no section "{reason}"' for reason in sorted(reasons - set(headings))]
        problems += [f'no line of {LIST} is of the section "{heading}"' for heading in headings if heading not in reasons]
        print('\n'.join(problems))
        bad += len(problems)
    text = table(verdicts)
    print(text + f'{sum(map(len, covered.values()))} differences listed, {bad} bad')
    if options.write:
        write(text)
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
