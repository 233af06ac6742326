"""Pages of docs/ that a check generates: written anew, or held against what is there."""
import textwrap


class Part:
    """What a script writes of a page: the text between two lines of comments."""
    def __init__(self, page, name, script):
        self.page = page
        first, last = f'<!-- {name}: written by tools/checks/{script} -->\n', f'<!-- end of {name} -->\n'
        head, begin, rest = page.read_text(encoding='utf-8').partition(first)
        self.text, end, tail = rest.partition(last)
        if not begin or not end:
            raise SystemExit(f'docs/{page.name} has no place for {name}')
        self.around = head + first, last + tail

    def write(self, text):
        self.text = text
        self.page.write_text(text.join(self.around), encoding='utf-8')


def paragraph(text):
    """The lines of a paragraph, at most 100 columns wide as docs_check demands."""
    return textwrap.wrap(text, 100, break_long_words=False, break_on_hyphens=False)


def report(count, problems):
    """Prints the problems and what was counted; the exit status."""
    for problem in problems:
        print(problem)
    print(f'{count}, {len(problems)} problems')
    return 1 if problems else 0


def finish(page, text, write, remedy, counts, problems):
    """Writes the page or notes that it is stale, prints the problems and what was counted; the exit status."""
    if write:
        page.write_text(text, encoding='utf-8')
    elif not page.exists() or page.read_text(encoding='utf-8') != text:
        problems.append(f'docs/{page.name} is stale: {remedy}')
    return report(counts, problems)
