"""Lists of known disagreements with a peer: one a line, with its reason.

KIND | PATTERN | WHERE | REASON: PATTERN is searched in the message of the disagreement, WHERE is the whole of one of the
words that say where it is (opcodes of a module, the name of a program). Both are regular expressions; ` | ` separates.
"""
import re


class Listed:
    def __init__(self, line, kinds):
        self.kind, self.pattern, where, self.reason = (part.strip() for part in line.split(' | ', 3))
        if self.kind not in kinds:
            raise ValueError(f'{line}: the kind is one of {", ".join(kinds)}')
        self.regex, self.where = re.compile(self.pattern), re.compile(where)
        self.line, self.count = line, 0

    def covers(self, kind, message, words):
        return (kind == self.kind and self.regex.search(message) is not None
                and any(self.where.fullmatch(word) for word in words))


def read_list(path, kinds):
    with open(path, encoding='utf-8') as file:
        return [Listed(line.strip(), kinds) for line in file if line.strip() and not line.startswith('#')]
