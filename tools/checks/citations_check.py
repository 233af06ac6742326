#!/usr/bin/env python3
"""Every citation of the rules resolves: "structural 5.1", "ops_structural.md 5.1" and the like name a section of docs/semantics/rules/.

usage: citations_check.py ROOT

Citations stand in documents and in the comments of sources. One may name several sections: "elementwise 6.6, 6.7", "structural,
sections 9 to 11". The pages' own sections may not occur twice, and one without text is as bad as none.
"""
import pathlib
import re
import sys

sys.dont_write_bytecode = True
import pages  # noqa: E402

RULES = 'docs/semantics/rules'
FOLDERS = ('docs', 'spec', 'runtime', 'evaluator', 'interpreter', 'backends', 'conformance', 'fuzz', 'tools', 'python')
SUFFIXES = {'.md', '.h', '.cc', '.def', '.py', '.tsv', '.txt', '.cases', '.templates'}
PAGE_OF = {'elementwise': 'elementwise', 'ops_elementwise_and_types.md': 'elementwise', 'structural': 'structural',
           'ops_structural.md': 'structural', 'control': 'control', 'ops_control_and_collectives.md': 'control'}
NUMBER = r'\d{1,2}(?:\.\d{1,2})?(?![\w.]*[a-z\d])'
CITATION = re.compile(r'(?<![\w`/])(ops_elementwise_and_types\.md|ops_structural\.md|ops_control_and_collectives\.md|elementwise|structural|control)'
                      r'(?:,?[\s#/]+sections?)?[\s#/]+(' + NUMBER + r'(?:(?:,|;| and| to)\s+' + NUMBER + r')*)')


def sections(path):
    """The numbers of the headings of a page, those that occur twice or have no text."""
    numbers, problems = set(), []
    text = path.read_text(encoding='utf-8')
    parts = re.split(r'^#+ ', text, flags=re.M)[2:]
    for part in parts:
        heading, _, body = part.partition('\n')
        match = re.match(r'(\d+(?:\.\d+)?)\.? (\S.*)', heading)
        if not match:
            problems.append(f'{path.name}: "{heading}" has no number')
        elif match.group(1) in numbers:
            problems.append(f'{path.name}: section {match.group(1)} occurs twice')
        else:
            numbers.add(match.group(1))
            if not body.strip() and '.' in match.group(1):
                problems.append(f'{path.name}: section {match.group(1)} is empty')
    return numbers, problems


def files(root):
    yield from sorted(root.glob('*.md'))
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob('*')):
            if path.suffix in SUFFIXES and 'docs/semantics/rules' not in path.as_posix():
                yield path


def main():
    root = pathlib.Path(sys.argv[1])
    known, problems, count = {}, [], 0
    for name in sorted(set(PAGE_OF.values())):
        known[name], own = sections(root / RULES / f'{name}.md')
        problems += own
    for path in files(root):
        text = path.read_text(encoding='utf-8')
        for match in CITATION.finditer(text):
            page = PAGE_OF[match.group(1)]
            for number in re.findall(NUMBER, match.group(2)):
                count += 1
                if number not in known[page]:
                    line = text.count('\n', 0, match.start()) + 1
                    problems.append(f'{path.relative_to(root)}:{line}: {RULES}/{page}.md has no section {number}')
    if count < 300:
        problems.append(f'only {count} citations were found: the pattern of this check is wrong')
    return pages.report(f'{count} citations of {sum(map(len, known.values()))} sections', problems)


if __name__ == '__main__':
    sys.exit(main())
