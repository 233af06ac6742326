#!/usr/bin/env python3
"""Holds the language of documents, help texts, messages and names of tests to tools/checks/words.tsv, and documents to 100 columns.

usage: words_check.py ROOT

Documents are README.md, CONTRIBUTING.md and docs/; help texts and messages are the string literals of sources that are not tests.
Names of tests are those of GoogleTest, read word by word: WindowsSelectAnyElement as "windows select any element".
Lines of tables, of code blocks and headings may be wider: Markdown cannot break them. No text file of the tree may hold
the markers that a merge leaves where it found a conflict.
"""
import os
import pathlib
import re
import subprocess
import sys

COLUMNS = 100
FOLDERS = ('spec', 'runtime', 'evaluator', 'interpreter', 'backends', 'conformance', 'fuzz', 'tools', 'python')
NOT_PRODUCT = re.compile(r'_(test|bench)\.\w+$|testing|testdata|/mutants/\w+_(mutants|rewrites)\.cc$')
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
TEST_NAME = re.compile(r'^TEST(?:_[FP])?\(\w+,\s*(\w+)\)', re.M)
WORD = re.compile(r'[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+')
MARKER = re.compile(rb'^(<{7}|\|{7}|>{7})( |\r?$)', re.M)
WIDE = re.compile(r'^(\||#|<!--|!\[)')


def read_rules(path):
    rules = []
    for number, line in enumerate(path.read_text(encoding='utf-8').splitlines(), 1):
        if not line or line.startswith('#') or line.startswith('phrase\t'):
            continue
        phrase, instead, *exceptions = line.split('\t')
        rules.append((re.compile(phrase, re.I), instead, ' '.join(exceptions).split(), number))
    return rules


def tracked_files(root):
    """What git tracks; without git, all files but those of builds."""
    listed = subprocess.run(['git', '-C', root, 'ls-files', '-z'], capture_output=True, check=False)
    if listed.returncode == 0 and listed.stdout:
        return [root / name for name in sorted(os.fsdecode(listed.stdout).split('\0')) if name]
    return [path for path in sorted(root.rglob('*')) if path.relative_to(root).parts[0] not in ('build', '.git')]


def conflict_markers(path):
    """The numbers of the lines that a merge in conflict left; of binary files none."""
    content = path.read_bytes() if path.is_file() else b''
    if b'\0' in content or not MARKER.search(content):
        return
    for number, line in enumerate(content.split(b'\n'), 1):
        if MARKER.match(line):
            yield number


def documents(root):
    return [*sorted(root.glob('*.md')), *sorted((root / 'docs').rglob('*.md'))]


def sources(root):
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob('*')):
            if path.suffix in ('.cc', '.h', '.def') and not NOT_PRODUCT.search(path.as_posix()):
                yield path


def messages(path):
    """Literals of more than one word with their first line; those that the compiler joins are one."""
    text = re.sub(r'^\s*(//|#\s*include).*$', '', path.read_text(encoding='utf-8'), flags=re.M)
    for match in re.finditer(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*', text):
        literal = ''.join(LITERAL.findall(match.group()))
        if ' ' in literal.strip():
            yield text.count('\n', 0, match.start()) + 1, literal


def tests(root):
    for folder in FOLDERS:
        yield from sorted((root / folder).rglob('*_test.cc'))


def test_names(path):
    """The words of each name with its line."""
    text = path.read_text(encoding='utf-8')
    for match in TEST_NAME.finditer(text):
        yield text.count('\n', 0, match.start()) + 1, ' '.join(WORD.findall(match.group(1)))


def wide_lines(text):
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith('```'):
            inside = not inside
        elif not inside and len(line) > COLUMNS and not WIDE.match(line):
            yield number, len(line)


def paragraphs(text):
    """Lines joined where a sentence goes on, with the number of the first; code is left out."""
    inside, start, lines = False, 1, []
    for number, line in enumerate(text.splitlines() + [''], 1):
        fence = line.lstrip().startswith('```')
        if fence or inside or not line.strip() or line.startswith('|'):
            if lines:
                yield start, ' '.join(lines)
            lines = []
            if line.startswith('|') and not inside:
                yield number, line
            inside = inside != fence
            continue
        if not lines:
            start = number
        lines.append(line.strip())


def main():
    root = pathlib.Path(sys.argv[1])
    rules = read_rules(root / 'tools/checks/words.tsv')
    problems, used, count = [], set(), 0

    def hold(path, pieces):
        name = path.relative_to(root).as_posix()
        for line, text in pieces:
            text = re.sub(r'`[^`]*`', '', text)
            for phrase, instead, exceptions, number in rules:
                found = phrase.search(text)
                if not found:
                    continue
                used_here = [end for end in exceptions if name.endswith(end)]
                used.update((number, end) for end in used_here)
                if not used_here:
                    problems.append(f'{name}:{line}: "{found.group()}": {instead}')

    for path in documents(root):
        count += 1
        text = path.read_text(encoding='utf-8')
        hold(path, paragraphs(text))
        problems += [f'{path.relative_to(root)}:{line}: {width} columns wide' for line, width in wide_lines(text)]
    for path in sources(root):
        count += 1
        hold(path, messages(path))
    for path in tests(root):
        count += 1
        hold(path, test_names(path))
    tracked = tracked_files(root)
    problems += [f'{path.relative_to(root)}:{line}: the marker of a merge conflict'
                 for path in tracked for line in conflict_markers(path)]
    problems += [f'tools/checks/words.tsv:{number}: nothing in {end} needs the exception'
                 for _, _, exceptions, number in rules for end in exceptions if (number, end) not in used]
    for problem in problems:
        print(problem)
    print(f'{count} files held against {len(rules)} phrases, {len(tracked)} searched for markers of conflicts, '
          f'{len(problems)} problems')
    return 1 if problems or not rules or count < 100 else 0


if __name__ == '__main__':
    sys.exit(main())
