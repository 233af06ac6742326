#!/usr/bin/env python3
"""The findings in XLA CPU: docs/findings, their repros, their record and their table.

usage: findings.py --run [NUMBER...]   runs the repros on the installed jaxlib, each in a child process, and says of each
                                       whether it is fixed or still there; fails where docs/findings/record.tsv says
                                       something else
       findings.py --check             fails where the tables of docs/findings/README.md are not what --write makes
       findings.py --write             writes those tables, from the titles, the record, the waivers and the manifest
       findings.py --waive REPORT...   writes the waivers anew from JSON reports of runs of XLA CPU: each failing case by
                                       its name, with the finding that had it or that the first matching rule of
                                       rules.tsv gives; prints the failing cases that have none. Cases that the reports
                                       do not have keep their waivers

A repro prints what is expected and what comes, each in a line that begins so ("expected", "actual"). It is still there
if the two differ, or if the process ends with an error or by a signal.
"""
import fnmatch
import json
import os
import pathlib
import re
import signal
import sys
import time

import peers

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / 'docs/findings'
README, RECORD, WAIVERS = FOLDER / 'README.md', FOLDER / 'record.tsv', FOLDER / 'xla_cpu.waivers.textproto'
RULES = FOLDER / 'rules.tsv'
MANIFEST = ROOT / 'conformance/corpus/manifest.tsv'
SEVERITIES = ('memory corruption', 'crash', 'wrong value', 'refusal')
REACHED = ('JAX', 'StableHLO', 'HLO')
OUTCOMES = ('wrong', 'error', 'SIGABRT', 'SIGFPE', 'SIGSEGV', 'fixed')
SECONDS = 120  # a repro may take


def record():
    """{number: (severity, reached, outcomes)}, in the file's order."""
    rows = {}
    for line in RECORD.read_text().splitlines():
        if line and not line.startswith('#'):
            number, severity, reached, outcomes = line.split('\t')
            outcomes = outcomes.split('|')
            if severity not in SEVERITIES or reached not in REACHED or not set(outcomes) <= set(OUTCOMES):
                raise SystemExit(f'{RECORD}: not a row of the record: {line}')
            rows[number] = severity, reached, outcomes
    return rows


def title(number):
    first = (FOLDER / f'{number}.md').read_text().splitlines()[0]
    if not first.startswith('# [XLA:CPU] '):
        raise SystemExit(f'{number}.md: the title is "# [XLA:CPU] operation: symptom", not "{first}"')
    return first.removeprefix('# [XLA:CPU] ')


def outcome_of(status, output):
    """What a repro that ended so has shown."""
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    if os.WEXITSTATUS(status):
        return 'error'
    said = {line.split(' ', 1)[0]: line.split(' ', 1)[1] for line in output.splitlines()
            if line.startswith(('expected ', 'actual '))}
    if set(said) != {'expected', 'actual'}:
        return 'error'
    return 'fixed' if said['expected'] == said['actual'] else 'wrong'


def child(path):
    """Runs a repro in this process, a fork that nobody else needs, and never returns."""
    import runpy
    import traceback
    signal.alarm(SECONDS)
    try:
        runpy.run_path(str(path))
        code = 0
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    os._exit(code)


def run_repro(path):
    readable, writable = os.pipe()
    process = os.fork()  # JAX is imported, no client of XLA's exists, and there is one thread
    if process == 0:
        os.dup2(writable, 1)
        os.dup2(writable, 2)
        child(path)
    os.close(writable)
    with os.fdopen(readable, 'rb') as pipe:
        output = pipe.read().decode(errors='replace')
    return outcome_of(os.waitpid(process, 0)[1], output), output


def run(numbers):
    peers.need('jax')
    os.environ['JAX_PLATFORMS'] = 'cpu'
    os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
    import jax.numpy  # noqa: F401: once, for all children
    import jaxlib
    print(f'jaxlib {jaxlib.__version__}')
    failures = 0
    for number, (_, _, recorded) in record().items():
        if numbers and number not in numbers:
            continue
        start = time.monotonic()
        outcome, output = run_repro(FOLDER / f'{number}.py')
        state = 'fixed' if outcome == 'fixed' else 'still there'
        print(f'{number}  {state:11}  {outcome:8}{time.monotonic() - start:5.1f} s  {title(number)}', flush=True)
        if outcome not in recorded:
            failures += 1
            print(f'  the record says {" or ".join(recorded)} ({RECORD.relative_to(ROOT)}); the repro prints\n'
                  + ''.join(f'    {line}\n' for line in output.splitlines()[-12:]))
    return 1 if failures else 0


def waivers():
    """[(glob, reason, link)]"""
    return re.findall(r'glob: "([^"]*)" reason: "([^"]*)" link: "([^"]*)"', WAIVERS.read_text())


def as_pattern(glob):
    """A waiver's glob: * is any text, ? one character."""
    return re.compile(fnmatch.translate(glob.replace('[', '[[]')))


def rules():
    """[(pattern of ids, pattern of what was seen, link, reason)]"""
    result = []
    for line in RULES.read_text().splitlines():
        if line and not line.startswith('#'):
            glob, seen, target, *reason = line.split('\t')
            link = f'docs/findings/{target}' if target.startswith('README') else f'docs/findings/{target}.md'
            result.append((as_pattern(glob), re.compile(seen), link, reason[0] if reason else title(target)))
    return result


def seen_in(case):
    """What a failing case has shown: a line for each wrong element that the report keeps, or the message."""
    lines = [case['message']] if case.get('message') else []
    for probe in case.get('probes', ()):
        if probe['outcome'] in ('wrong', 'failed'):
            lines += [probe['message']] if probe.get('message') else []
            lines += [f'{element.get("actual")} for {element.get("golden")}'
                      for element in probe.get('judgement', {}).get('evidence', ())]
    return lines or ['']


def waive(paths):
    had = [(as_pattern(glob), reason, link) for glob, reason, link in waivers()]
    exact = {glob: (reason, link) for glob, reason, link in waivers()}
    cases = {case['id']: case for path in paths for case in json.loads(pathlib.Path(path).read_text())['cases']}
    tiers = [line.split('\t')[0] for line in MANIFEST.read_text().splitlines()]
    found, without = {}, []
    for name in tiers:  # what the reports do not have
        if name not in cases:
            old = exact.get(name) or next(((reason, link) for pattern, reason, link in had if pattern.match(name)), None)
            if old:
                found[name] = old
    given, corpus = rules(), set(tiers)
    for name, case in cases.items():
        if case['outcome'] not in ('wrong', 'failed') or name not in corpus:
            continue
        seen = seen_in(case)
        found[name] = exact.get(name) or next(
            ((reason, link) for pattern, shown, link, reason in given
             if pattern.match(name) and all(shown.search(line) for line in seen)), None) or next(
            ((reason, link) for pattern, reason, link in had if pattern.match(name)), None)
        if found[name] is None:
            without.append(f'{case["outcome"]} {name}: {seen[0][:160]}')
            del found[name]
    head = ''.join(line + '\n' for line in WAIVERS.read_text().splitlines() if line.startswith('#'))
    lines = [f'waivers {{ glob: "{name}" reason: "{reason}" link: "{link}" expires: "2027-12-31" }}\n'
             for name, (reason, link) in sorted(found.items(), key=lambda item: (item[1][1], item[0]))]
    WAIVERS.write_text(head + ''.join(lines))
    print('\n'.join(without + [f'{len(found)} cases waived, {len(without)} failing cases without a finding']))
    return 1 if without else 0


def counts():
    """{link: [cases of the quick tier, of the standard tier]}. A case counts once."""
    tiers = dict(line.split('\t')[::2] for line in MANIFEST.read_text().splitlines())
    exact = {glob: link for glob, _, link in waivers() if not set(glob) & set('*?[')}
    patterns = [(as_pattern(glob), link)
                for glob, _, link in waivers() if glob not in exact]
    result = {}
    for case, tier in tiers.items():
        link = exact.get(case) or next((link for pattern, link in patterns if pattern.match(case)), None)
        if link and tier in ('quick', 'standard'):
            row = result.setdefault(link, [0, 0])
            row[0] += tier == 'quick'
            row[1] += 1
    return result


def table():
    """The lines of the table of findings and of the cases that are waived without one."""
    found = counts()
    lines = ['| finding | severity | reached from | quick | standard |', '|---|---|---|---|---|']
    for severity in SEVERITIES:
        for number, (of, reached, outcomes) in record().items():
            if of == severity:
                quick, standard = found.pop(f'docs/findings/{number}.md', (0, 0))
                fixed = ', fixed' if outcomes == ['fixed'] else ''
                lines.append(f'| [{number}]({number}.md) {title(number)} | {severity}{fixed} | {reached} | {quick} | {standard} |')
    reasons = {link: reason for _, reason, link in waivers()}
    for link in sorted(found):
        quick, standard = found[link]
        lines.append(f'| no finding: {reasons[link]} | | | {quick} | {standard} |')
    total = counts().values()
    lines.append(f'| together | | | {sum(row[0] for row in total)} | {sum(row[1] for row in total)} |')
    return lines


BEGIN, END = '<!-- written by tools/peers/findings.py --write -->', '<!-- end -->'


def written():
    text = README.read_text()
    head, rest = text.split(BEGIN)
    _, tail = rest.split(END)
    return head + BEGIN + '\n' + '\n'.join(table()) + '\n' + END + tail


def problems():
    """What is missing or too much in docs/findings."""
    numbers = set(record())
    for suffix in ('md', 'py', 'cases'):
        have = {path.stem for path in FOLDER.glob(f'[0-9]*.{suffix}')}
        for number in sorted(numbers - have if suffix != 'cases' else ()):
            yield f'{number}.{suffix} is missing'
        for number in sorted(have - numbers):
            yield f'{number}.{suffix} has no row in {RECORD.name}'
    for path in FOLDER.glob('[0-9]*.py'):
        lines = path.read_text().splitlines()
        if len(lines) > 10:
            yield f'{path.name} has {len(lines)} lines; a repro has ten at most'
    text = README.read_text()
    for glob, _, link in waivers():
        name = link.removeprefix('docs/findings/').split('#')[0]
        if name != 'README.md' and name.removesuffix('.md') not in numbers:
            yield f'{WAIVERS.name}: {glob} is waived by {link}, which is no finding'
    if text != written():
        yield f'{README.name}: its table is not what findings.py --write makes'


def main():
    if '--run' in sys.argv:
        return run(sys.argv[sys.argv.index('--run') + 1:])
    if '--waive' in sys.argv:
        return waive(sys.argv[sys.argv.index('--waive') + 1:])
    if '--write' in sys.argv:
        README.write_text(written())
        return 0
    if '--check' not in sys.argv:
        print(__doc__)
        return 2
    said = list(problems())
    for problem in said:
        print(problem)
    return 1 if said else 0


if __name__ == '__main__':
    sys.exit(main())
