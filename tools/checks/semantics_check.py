#!/usr/bin/env python3
"""Holds docs/semantics/ to the tree: ids, decision points of the judge, profiles, cases and findings agree.

usage: semantics_check.py ROOT [--write]

Each row of conformance/corpus/decision_points.tsv has a row on a page and the other way round; what a row is judged by
exists; each point of conformance/judge/decision_points.def is named by a row; the profiles that a row names are those
that admit its point or list it as a known deviation; the cases are those with its tag. --write fills in the last two
columns.
"""
import pathlib
import re
import sys

sys.dont_write_bytecode = True
import pages  # noqa: E402

FOLDER = 'docs/semantics'
PAGES = ('elementwise', 'structural', 'control')
COLUMNS = ['id', 'operation', 'question', 'golden', 'other permitted values', 'judged by', 'profiles', 'cases']
PLAIN = ('bound', 'budget', 'strict', 'not asked')
SHOWN_CASES = 3


def cells_of(line):
    return [cell.strip() for cell in re.split(r'(?<!\\)\|', line.strip().strip('|'))]


def table(text, head):
    """The rows of the tables whose first column is called that."""
    rows, inside = [], False
    for line in text.splitlines():
        if line.startswith('| ') and cells_of(line)[0] == head:
            inside = True
        elif inside and line.startswith('|---'):
            continue
        elif inside and line.startswith('| '):
            rows.append(cells_of(line))
        else:
            inside = False
    return rows


def names_in(root, path, macro):
    text = (root / path).read_text(encoding='utf-8')
    return re.findall(macro + r'\(k\w+,\s*"([^"]+)"', text)


def profiles(root):
    """Of each target profile: decision points that it admits, and findings of its known deviations."""
    texts = {path.stem: path.read_text(encoding='utf-8') for path in (root / 'conformance/profiles').glob('*.textproto')}

    def read(name):
        admitted, known = set(), {}
        text = re.sub(r'^\s*#.*', '', texts[name], flags=re.M)
        for base in re.findall(r'extends:\s*"([^"]+)"', text):
            base_admitted, base_known = read(base)
            admitted |= base_admitted
            known.update(base_known)
        for verb, point in re.findall(r'(?<!\w)(admit|refuse):\s*"([^"]+)"', text):
            known.pop(point, None)
            admitted.add(point) if verb == 'admit' else admitted.discard(point)
        for row in re.findall(r'deviation\s*\{([^}]*)\}', text):
            finding = re.search(r'finding:\s*"([^"]+)"', row).group(1)
            for point in re.findall(r'point:\s*"([^"]+)"', row):
                admitted.discard(point)
                known[point] = finding
        return admitted, known

    return {name: read(name) for name in sorted(texts) if not name.startswith('level-')}


def tagged_cases(root):
    """By decision tag: ids of cases, and templates."""
    found = {}

    def add(line, name):
        for tag in re.findall(r'decision=(\S+)', line):
            found.setdefault(tag, []).append(name)

    for path in sorted((root / 'conformance/corpus').rglob('*')):
        if path.suffix not in ('.cases', '.templates'):
            continue
        name = ''
        for line in path.read_text(encoding='utf-8').splitlines():
            if line.startswith('case '):
                name = line[5:].strip()
            elif line.startswith('template '):
                name = line.strip()
            elif line.startswith('tags:'):
                add(line, name)
    return found


def known_points(root):
    rows = {}
    for line in (root / 'conformance/corpus/decision_points.tsv').read_text(encoding='utf-8').splitlines():
        if line and not line.startswith('#'):
            name, how, _ = line.split('\t')
            rows[name] = how
    return rows


def profile_cell(judged, all_profiles):
    kind, _, name = judged.partition(' ')
    if kind not in ('point', 'deviation'):
        return ''
    words = [profile for profile, (admitted, _) in all_profiles.items() if name in admitted]
    words += [f'*{profile}*' for profile, (_, known) in all_profiles.items() if name in known]
    return ', '.join(sorted(words, key=lambda word: word.strip('*')))


def case_cell(how, cases):
    if how != 'case':
        return how
    shown = ', '.join(cases[:SHOWN_CASES])
    return shown + (f' and {len(cases) - SHOWN_CASES} more' if len(cases) > SHOWN_CASES else '')


class Check:
    def __init__(self, root):
        self.root = root
        self.problems = []
        self.points = names_in(root, 'conformance/judge/decision_points.def', 'DECISION_POINT')
        self.freedoms = names_in(root, 'conformance/judge/freedoms.def', 'FREEDOM')
        self.known = known_points(root)
        self.profiles = profiles(root)
        self.cases = tagged_cases(root)
        self.judged = {}
        self.clauses = (root / 'docs/clauses.md').read_text(encoding='utf-8')

    def judged_by(self, name, words):
        kind, _, rest = words.partition(' ')
        exists = {'point': self.points, 'deviation': self.points, 'freedom': self.freedoms}
        if words in PLAIN:
            pass
        elif kind in exists:
            if rest not in exists[kind]:
                self.problems.append(f'{name}: there is no {kind} {rest}')
            self.judged.setdefault(rest, []).append((name, kind))
        elif kind != 'clause' or not re.search(rf'\b{re.escape(rest)}\b', self.clauses):
            self.problems.append(f'{name}: "{words}" says nothing about how it is judged')
        how = self.known.get(name, '')
        if words == 'not asked' and not how.startswith('none: '):
            self.problems.append(f'{name} is asked by cases, but judged by nothing')
        if kind == 'clause' and how != f'refused {rest}':
            self.problems.append(f'{name}: the corpus says "{how}", the page {words}')

    def page(self, name, write):
        path = self.root / FOLDER / f'{name}.md'
        text = path.read_text(encoding='utf-8')
        rows = table(text, 'id')
        for row in rows:
            if len(row) != len(COLUMNS):
                self.problems.append(f'{path.name}: {row[0]} has {len(row)} cells, not {len(COLUMNS)}')
                continue
            how = self.known.get(row[0])
            if how is None:
                self.problems.append(f'{path.name}: the corpus knows no decision point {row[0]}')
                continue
            self.judged_by(row[0], row[5])
            wanted = row[:6] + [profile_cell(row[5], self.profiles), case_cell(how, self.cases.get(row[0], []))]
            if wanted == row:
                continue
            if write:
                old = next(line for line in text.splitlines() if cells_of(line)[:1] == row[:1])
                text = text.replace(old, '| ' + ' | '.join(wanted) + ' |')
            else:
                self.problems.append(f'{path.name}: {row[0]} is stale: tools/checks/semantics_check.py . --write')
        if write:
            path.write_text(text, encoding='utf-8')
        return [row[0] for row in rows]

    def points_are_named(self):
        for point in self.points:
            rows = self.judged.get(point, [])
            if not rows:
                self.problems.append(f'no row of {FOLDER} is judged by {point}')
            kinds = {kind for _, kind in rows}
            admitted = [name for name, (admits, _) in self.profiles.items() if point in admits]
            known = [name for name, (_, deviations) in self.profiles.items() if point in deviations]
            if kinds == {'deviation'} and (admitted or not known):
                self.problems.append(f'{point} is a deviation of {known}, and admitted by {admitted}')
            if kinds == {'point'} and not admitted:
                self.problems.append(f'{point} is a point that no profile admits')
            if len(kinds) > 1:
                self.problems.append(f'{point} is both a point and a deviation')

    def findings_exist(self):
        page = (self.root / FOLDER / 'known_deviations.md').read_text(encoding='utf-8')
        for name, (_, known) in self.profiles.items():
            for point, finding in known.items():
                if not (self.root / finding).is_file():
                    self.problems.append(f'profile {name}: there is no {finding}, the finding of {point}')
                if f'`{finding}`' not in page.partition(f'\n## {point}\n')[2].partition('\n## ')[0]:
                    self.problems.append(f'known_deviations.md: no section {point} names {finding}')
        stated = {row[0]: row[1] for row in table(page, 'point')}
        listed = {}
        for name, (_, known) in self.profiles.items():
            for point in known:
                listed.setdefault(point, []).append(name)
        for point in sorted(set(stated) | set(listed)):
            if sorted(stated.get(point, '').split(', ')) != sorted(listed.get(point, [])):
                self.problems.append(f'known_deviations.md: {point} is listed by {listed.get(point)}, not {stated.get(point)}')

    def permissions(self):
        rows = table((self.root / FOLDER / 'permissions.md').read_text(encoding='utf-8'), 'section')
        names = {*self.known, *self.points, *self.freedoms, *PLAIN}
        for section, what, judged in rows:
            name, _, reason = judged.partition(':')
            if (name != 'none' and name not in names) or (name == 'none' and len(reason) < 10):
                self.problems.append(f'permissions.md: {section}: "{judged}" is neither a decision point nor a reason')
        return len(rows)


def main():
    root = pathlib.Path(sys.argv[1])
    check = Check(root)
    ids = [name for page in PAGES for name in check.page(page, '--write' in sys.argv[2:])]
    for name in check.known:
        if ids.count(name) != 1:
            check.problems.append(f'decision point {name} has {ids.count(name)} rows in {FOLDER}')
    check.points_are_named()
    check.findings_exist()
    permissions = check.permissions()
    return pages.report(f'{len(ids)} decision points, {len(check.points)} of the judge, {permissions} permissions', check.problems)


if __name__ == '__main__':
    sys.exit(main())
