"""What README and docs/ say of commands exists: subcommands, options, profiles and mutants, also the options of scripts in tools/.

An option that a page names behind a command must be in the help of that command. One that stands alone, or behind a script, must be
known to any command or script.
"""
import pathlib
import re
import unittest

from cli_testing import SOURCE, CommandLineTest, assay, main
from every_command_cli_test import GROUPS, all_commands

ROOT = pathlib.Path(SOURCE)
OPTION = re.compile(r'(?<![\w-])(--?[a-zA-Z][\w-]*)')


def pages():
    """Each page with its text; those of operations are generated."""
    for page in [ROOT / 'README.md', ROOT / 'CONTRIBUTING.md', *sorted((ROOT / 'docs').rglob('*.md'))]:
        if page.parent.name != 'ops':
            yield page.relative_to(ROOT), page.read_text(encoding='utf-8')


def commands(text):
    """The lines of code blocks and the code in sentences, with the numbers of their lines; what goes on in the next line is joined."""
    for block in re.finditer(r'^ *```\w*\n(.*?)^ *```$', text, re.M | re.S):
        first = text.count('\n', 0, block.start(1)) + 1
        for line in re.finditer(r'(?:.*\\\n)*.*\n', block.group(1)):
            yield first + block.group(1).count('\n', 0, line.start()), line.group().replace('\\\n', ' ')
    sentences = re.sub(r'^ *```\w*\n.*?^ *```$', lambda block: '\n' * block.group().count('\n'), text, flags=re.M | re.S)
    for code in re.finditer(r'`([^`]+)`', sentences):
        yield sentences.count('\n', 0, code.start()) + 1, code.group(1).replace('\n', ' ')


def parts(command):
    """A line of the shell without comments and what quotes hold, cut where another program begins."""
    command = re.sub(r'"[^"]*"|\'[^\']*\'', 'QUOTED', re.sub(r'(^|\s)#.*', '', command))
    return [part.strip() for part in re.split(r'&&|[|;]|\$ ', command) if part.strip()]


def options_of_scripts():
    found = set()
    for folder in ('tools', 'python', 'conformance/prove'):
        for file in (ROOT / folder).rglob('*'):
            if file.is_file() and file.suffix in ('', '.py', '.sh', '.cc') and not file.name.endswith('_test.py'):
                found.update(OPTION.findall(file.read_text(encoding='utf-8', errors='replace')))
    return found


class PagesTest(CommandLineTest):
    @classmethod
    def setUpClass(cls):
        cls.options = {command: set(OPTION.findall(assay(*command, '--help').out)) for command in all_commands()}
        cls.any_option = options_of_scripts().union(*cls.options.values())

    def check_command(self, words, where):
        name = tuple(words[:2]) if words[0] in GROUPS else (words[0],)
        if name in ((group,) for group in GROUPS) or not re.match('[a-z]', name[-1]):
            return  # `assay report` as a whole, `assay COMMAND`
        self.assertIn(name, self.options, f'{where}: there is no such command')
        for option in OPTION.findall(' '.join(words[1:])):
            self.assertIn(option, self.options[name], f'{where}: assay {" ".join(name)} has no such option')

    def check_part(self, part, where):
        """Checks a part that is one of our programs; returns whether it is."""
        command = re.match(r'(?:\w+=\S+ )*(?:time )?(?:\S*/)?assay ([a-z].*)', part)
        script = re.match(r'(?:\S*(?:python3?|PYTHON) )?tools/[\w/.-]+(?= |$)(.*)', part)
        if command:
            self.check_command(command.group(1).split(), where)
        elif script:
            for option in OPTION.findall(script.group(1)):
                self.assertIn(option, self.any_option, f'{where}: no script has such an option')
        return bool(command or script)

    def test_commands_and_options_exist(self):
        checked = 0
        for page, text in pages():
            for number, command in commands(text):
                where = f'{page}:{number}: {command}'
                checked += sum(self.check_part(part, where) for part in parts(command))
                if command.startswith('--') and not command.startswith('--xla_'):  # flags of XLA
                    checked += 1
                    self.assertIn(OPTION.match(command).group(), self.any_option, f'{where}: there is no such option')
        self.assertGreater(checked, 400)

    def test_profiles_and_mutants_exist(self):
        profiles = set(re.findall(r'^  (\S+)', assay('profile', 'list').out, re.M))
        mutants = set(re.findall(r'\b(?:mutant|conforming):\S+', assay('mutants', '--names', '*').out))
        checked = 0
        for page, text in pages():
            for profile in re.findall(r'--profile ([a-z][\w-]*)(?![\w./-])', text):
                self.assertIn(profile, profiles, page)
                checked += 1
            for mutant in re.findall(r'\b(?:mutant|conforming):[a-z]\w*/\w+', text):
                if mutant not in mutants:  # a defect of combinations, which the table leaves to the fuzzer
                    asked = assay('test', '--target', mutant, '--filter', 'tuple/f32*')
                    self.assertNotIn('there is no mutant', asked.err, page)
                checked += 1
        self.assertGreater(checked, 300)


if __name__ == '__main__':
    main()
