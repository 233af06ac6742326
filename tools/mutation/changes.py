"""What a mutant changes: one token, form or statement of a line."""
import collections
import hashlib
import os
import re

# What becomes of a token: pattern, replacement. Operators, bounds and constants:
TOKENS = [
    (r' < ', ' <= '), (r' <= ', ' < '), (r' > ', ' >= '), (r' >= ', ' > '), (r' == ', ' != '), (r' != ', ' == '),
    (r' \+ ', ' - '), (r' - ', ' + '), (r' \* ', ' + '), (r' / ', ' * '), (r' % ', ' / '), (r' && ', ' || '), (r' \|\| ', ' && '),
    (r' \+= ', ' -= '), (r'\+\+', '--'), (r'(?<![\w.{])0(?![\w.x])', '1'), (r'(?<![\w.])1(?![\w.])', '2'),
    (r'\btrue\b', 'false'), (r'\bfalse\b', 'true'), (r'\bmin\b(?=[<(])', 'max'), (r'\bmax\b(?=[<(])', 'min'),
]
# Conditions, what is returned, loops that end a turn early, arguments and names taken for each other, bits, signs, other numbers:
FORMS = [
    (r'(?<=\bif \()([^;]+)(?=\) )', r'!(\1)'), (r'(?<![=!<>|&+*/-] )(?<![\w.:>])(\w+(?:\(\))?) \? ', r'!\1 ? '), (r'!(?=[a-zA-Z(*])', ''),
    (r'(?<=\breturn )(?!absl|status|std|\*|\[|Unimpl|\w*\.status)[^;{]+(?=;)', '{}'),
    (r'(?<=; )(\w+) < ([^;]+)(?=; \+\+)', r'\1 < \2 - 1'),
    (r'(?<=\w\()(?!type|part|component)([a-z][\w.\[\]>-]*), (?!type|part|component)([a-z][\w.\[\]>-]*)(?=\))', r'\2, \1'),
    (r'\blhs_(?=\w)', 'rhs_'), (r'\brhs_(?=\w)', 'lhs_'), (r'(?<=\.)re\b', 'im'), (r'(?<=\.)im\b', 're'), (r'(?<=->)bits\b', 'imag'),
    (r'(?<=->)imag\b', 'bits'), (r'(?<=[\[(])i(?=[\]),].*\bj\b)', 'j'), (r'(?<=[\[(])j(?=[\]),].*\bi\b)', 'i'), (r'\bkGt\b', 'kLt'),
    (r'\bkLt\b', 'kGt'), (r'\.front\(\)', '.back()'), (r'\.back\(\)', '.front()'), (r'\.first\(', '.last('), (r'\.last\(', '.first('),
    (r' &&$', ' ||'), (r' \|\|$', ' &&'), (r' << ', ' >> '), (r' >> ', ' << '), (r' & ', ' | '), (r' \| ', ' & '), (r' \^ ', ' | '),
    (r' \|= ', ' &= '), (r' -= ', ' += '), (r'--', '++'), (r' \*= ', ' += '), (r' /= ', ' *= '), (r' >>= ', ' <<= '), (r' <<= ', ' >>= '),
    (r'(?<=[\s(])-(?=[a-zA-Z])', ''), (r'(?<![\w.])([2-9]|[1-9]\d+)(?![\w.])', r'(\1 + 1)'),
]
STATEMENT = re.compile(r'^\s+(?!return|const |auto |using |case |default|break|public|private|if |for |while )[\w\[\]().>*+-]+( [+*/|-]?= |\(|\+\+).*;$')
DECLARATION = re.compile(r'\((const )?[\w:<>]+[&*]? \w+[,)]')  # of a constructor
# What changes no value: budgets, which the tests of the interpreter hold, room made in advance, and assertions.
NO_VALUE = re.compile(r'Charge|\bwork\b|kPortion|limbs\(\)|\.reserve\(|\bassert\(')

MOST_MUTANTS = 1 << 16  # of one program
Mutant = collections.namedtuple('Mutant', 'file number before after')  # a path in the tree, the line's number from 0, its text


def mutants_of(name, text, kinds='tokens'):
    found = []
    for number, line in enumerate(text.split('\n')):
        code = line.split('//')[0]
        if line.startswith('#') or 'template' in code or '"' in code or 'operator' in code or NO_VALUE.search(code):
            continue
        if kinds == 'forms' and ('.ok()' in code or '](' in code):  # the paths of errors; types that a lambda deduces
            continue
        for pattern, replacement in TOKENS if kinds == 'tokens' else FORMS:
            for match in re.finditer(pattern, code):
                if match.group().count('(') != match.group().count(')'):
                    continue
                found.append(Mutant(name, number, line, line[:match.start()] + match.expand(replacement) + line[match.end():]))
        if kinds == 'tokens' and STATEMENT.match(code) and not DECLARATION.search(code):
            found.append(Mutant(name, number, line, re.match(r'\s*', line).group() + ';'))
    return found


def sample(by_file, wanted, seed, apart=False):
    """About as many as wanted: of each file its share, but three at least where there are so many. A choice by a hash of their text, so
    that a change of one line changes little. `apart`: of a line the first alone, so that all share one program."""
    def place(mutant):
        return hashlib.sha256(f'{seed} {mutant.file} {mutant.before.strip()} {mutant.after.strip()}'.encode()).digest(), mutant.number

    total = sum(map(len, by_file.values()))
    chosen = []
    for name, mutants in sorted(by_file.items()):
        count = min(len(mutants), max(3, round(len(mutants) * wanted / total)))
        ordered = sorted(mutants, key=place)
        if apart:
            first = {}
            for mutant in ordered:
                first.setdefault(mutant.number, mutant)
            ordered = list(first.values())
        chosen += sorted(ordered[:count])
    return chosen


# What an expression may begin after at the end of a line, and what may begin after it at the end of its own.
BEGINS = re.compile(r'([;{}:(,?=]|&&|\|\||\breturn)$')


def region(line, begin, end, line_before):
    """The ends of the expression around the token line[begin:end], or None where it goes on in other lines. Of a condition of several
    lines, what its lines join."""
    head = re.match(r'\s*(if|for|while) \(', line)  # of a statement in the same line
    first = closing(line, head.end() - 1) if head else 0
    first = first if first is not None and first <= begin else 0
    left, depth = begin, 0
    while True:
        before = line[:left]
        if not before.strip() or left == first > 0:
            break
        char = before[-1]
        depth += char in ')]}'
        if depth == 0 and (char in '([{,;?' or re.search(r'(\breturn|[^=!<>]=| :) $', before)):
            break
        depth -= char in '([{'
        left -= 1
    right, depth = end, 0
    while right < len(line):
        char = line[right]
        if depth == 0 and (char in ')]},;?' or line.startswith(' : ', right) or line[right:] in (' &&', ' ||')):
            break
        depth += char in '([{'
        depth -= char in ')]}'
        right += 1
    else:
        return None
    joins = [line[right:].strip()]
    if not line[:left].strip():
        before = BEGINS.search(line_before.rstrip() or ';')
        if before is None:
            return None
        joins.append(before.group())
    if '&&' in joins and ' || ' in line[left:right]:  # it binds less
        return None
    return left + len(line[left:right]) - len(line[left:right].lstrip()), right


def closing(line, at):
    """The place after the parenthesis that closes the one at a place, or None."""
    depth = 0
    for place in range(at, len(line)):
        depth += (line[place] == '(') - (line[place] == ')')
        if depth == 0:
            return place + 1
    return None


def switched(mutant, number, line_before):
    """The line with the mutant in it where IsMutant(number) says so, or None."""
    if re.match(r'\s*(using|static constexpr)\b', mutant.before):  # known when it is compiled
        return None
    before, after = (line.replace('constexpr ', 'const ', 1) for line in (mutant.before, mutant.after))
    if after.strip() == ';':
        if line_before.split('//')[0].rstrip()[-1:] not in ('', *';{}:)'):  # the end of a statement of several lines
            return None
        return before.replace(before.strip(), f'if (!IsMutant({number})) {before.strip()}')
    if after.rstrip().endswith('return {};') and not before.rstrip().endswith('return {};'):
        at = after.index('return {};')
        return f'{before[:at]}{{ if (IsMutant({number})) return {{}}; {before[at:]} }}'
    begin = len(os.path.commonprefix([before, after]))
    tail = min(len(before), len(after)) - begin
    same = len(os.path.commonprefix([before[::-1], after[::-1]])[:tail])
    end, end_after = len(before) - same, len(after) - same
    if ',' in before[begin:end]:  # arguments: with the call around them
        paren = before.rindex('(', 0, begin)
        call = re.search(r'[\w:.>\[\]-]*\($', before[:paren + 1]).start()
        right = before.index(')', paren) + 1
        begin, end, end_after = call, right, end_after + right - end
    bounds = region(before, begin, end, line_before)
    if bounds is None:
        return None
    left, right = bounds
    other = after[left:end_after + right - end]
    if '&&' in (before[right:].strip(), *BEGINS.findall(line_before.rstrip())[-1:]) and ' || ' in other:
        return None
    return f'{before[:left]}(IsMutant({number}) ? ({other}) : ({before[left:right]})){before[right:]}'


# What tells the mutants of a program apart, a header of the changed files. Of a file that ASSAY_SOURCE_MUTANTS_REACHED names, byte
# `number` becomes 1 where a mutant's place is reached; child processes write to it as well.
SWITCH = """#pragma once
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
namespace assay {
inline char* ReachedMutants() {
  const char* const path = std::getenv("ASSAY_SOURCE_MUTANTS_REACHED");
  if (path == nullptr) return nullptr;
  return static_cast<char*>(::mmap(nullptr, MOST_MUTANTS, PROT_READ | PROT_WRITE, MAP_SHARED, ::open(path, O_RDWR), 0));
}
inline bool IsMutant(int number) {
  static const char* const chosen = std::getenv("ASSAY_SOURCE_MUTANT");
  static const int choice = chosen != nullptr ? std::atoi(chosen) : -1;
  static char* const reached = ReachedMutants();
  if (reached != nullptr) reached[number] = 1;
  return choice == number;
}
}  // namespace assay
""".replace('MOST_MUTANTS', str(MOST_MUTANTS))
