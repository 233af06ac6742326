"""Pages of docs/ that a check generates: written anew, or held against what is there."""


def finish(page, text, write, remedy, counts, problems):
    """Writes the page or notes that it is stale, prints the problems and what was counted; the exit status."""
    if write:
        page.write_text(text, encoding='utf-8')
    elif not page.exists() or page.read_text(encoding='utf-8') != text:
        problems.append(f'docs/{page.name} is stale: {remedy}')
    for problem in problems:
        print(problem)
    print(f'{counts}, {len(problems)} problems')
    return 1 if problems else 0
