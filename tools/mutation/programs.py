"""Programs with changed files: compiled one by one and linked in front of the libraries."""
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import threading

from mutation.areas import ROOT, files_of, program_of, questions, read
from mutation.changes import SWITCH, switched

# What is compiled at once: a file, or several in a unity build. Its name in the build, the words of the compiler, the files.
Unit = collections.namedtuple('Unit', 'name words files')


def short_hash(data):
    return hashlib.sha256(data).hexdigest()[:16]


def flat(path):
    return path.replace('/', '_')


def lines_before(text):
    """The number of lines before the first #include."""
    return text[:text.index('#include')].count('\n')


class Run:
    """A command with limits, on CPU seconds and memory; counts what all took."""

    def __init__(self, folder):
        self.folder = folder
        self.lock = threading.Lock()
        self.seconds = 0.0

    def __call__(self, words, cpu=600, variables=None, errors=subprocess.DEVNULL):
        """(exit status, CPU seconds). Tests end at their first failure; `errors` is the file that gets the error messages."""
        chosen = {'GTEST_FAIL_FAST': '1'} | (variables or {})
        limited = ['timeout', '-s', 'KILL', str(20 * cpu), 'prlimit', f'--cpu={cpu}', f'--as={4 << 30}', *map(str, words)]
        process = subprocess.Popen(limited, cwd=self.folder, env=os.environ | chosen, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = usage.ru_utime + usage.ru_stime
        with self.lock:
            self.seconds += seconds
        return process.returncode, seconds


class Builder:
    """Compiles what the build compiles at once, with changed files in it, and links programs with that in front of the libraries."""

    def __init__(self, area, build, jobs):
        self.area = area
        self.build = build
        self.run = Run(build)
        self.targets = subprocess.run(['ninja', '-C', str(build), '-t', 'targets', 'all'], check=True, text=True,
                                      stdout=subprocess.PIPE).stdout
        self.texts = {path: read(path) for path in files_of(area)}
        self.headers = {}
        tests = {program_of(question) for path in self.texts for question in questions(path, self.targets) if ' ' not in question}
        subprocess.run(['ninja', '-C', str(build), 'assay_bin_assay', *sorted(tests)], check=True, stdout=subprocess.DEVNULL)
        commands = {command for target in ['assay_bin_assay', *sorted(tests)] for command in self.ninja(target)
                    if ' -c ' in command and f'{area.folder}/' in command}
        self.units = [unit for unit in map(self.unit_of, sorted(commands)) if unit is not None]
        self.assay = build / 'bin' / 'assay'
        self.cache = build / 'source_mutants'
        self.cache.mkdir(exist_ok=True)
        self.links = {}
        self.commands = {}
        self.compiles = concurrent.futures.ThreadPoolExecutor(jobs)

    def unit_of(self, command):
        """The unit of a compiler's command, or None if it has no file of the area and no test that includes a header of it. What the
        changed code computes does not depend on the optimisation, and -O1 compiles faster. What reads beside a container ends. The
        build's precompiled headers have other options."""
        words = shlex.split(command)
        source = pathlib.Path(words[words.index('-c') + 1])
        if not source.is_absolute():
            source = self.build / source
        sources = [source.resolve()]
        if source.name.startswith('unity_'):
            sources = map(pathlib.Path, re.findall(r'#include "(.*?)"', source.read_text(encoding='utf-8')))
        files = [path.relative_to(ROOT).as_posix() for path in sources if path.is_relative_to(ROOT)]
        if not any(self.included(path) or path in self.texts for path in files):
            return None
        name = flat(words[words.index('-o') + 1])
        words = [re.sub(r'^-O[23]$', '-O1', word) for word in self.without_files(words) if word != '-DNDEBUG']
        if os.path.basename(words[0]) == 'ccache':  # every text is compiled once
            del words[0]
        if '-include' in words:
            del words[words.index('-include'):words.index('-include') + 2]
        return Unit(name, [*words, '-D_GLIBCXX_ASSERTIONS', '-w'], files)

    def is_test(self, unit):
        """Whether a unit only includes headers of the area."""
        return not any(path in self.texts for path in unit.files)

    def ninja(self, target):
        return subprocess.run(['ninja', '-C', str(self.build), '-t', 'commands', target], check=True, text=True,
                              stdout=subprocess.PIPE).stdout.strip().split('\n')

    def command_of(self, test):
        """The words by which CTest starts a test."""
        if test not in self.commands:
            listed = subprocess.run(['ctest', '--test-dir', str(self.build), '--show-only=json-v1', '-R', f'^{test}$'], check=True, text=True,
                                    stdout=subprocess.PIPE).stdout
            self.commands[test], = (each['command'] for each in json.loads(listed)['tests'])
        return self.commands[test]

    def program_path(self, target):
        """Of a program of the build."""
        return self.build / re.search(rf'^(\S+/{target}):', self.targets, re.M).group(1)

    def program_bytes(self, target):
        return self.program_path(target).read_bytes()

    @staticmethod
    def without_files(words):
        kept, skip = [], False
        for word in words:
            if skip:
                skip = False
            elif word in ('-o', '-c', '-MF', '-MT'):
                skip = True
            elif word != '-MD':
                kept.append(word)
        return kept

    def link(self, target, objects, program):
        if target not in self.links:
            self.links[target] = shlex.split(self.ninja(target)[-1].replace(': && ', '').replace(' && :', ''))
        words = [str(objects.get(flat(word), word)) for word in self.links[target]]  # a test's own files
        at = words.index('-o')
        given = [str(objects[unit.name]) for unit in self.units if unit.name in objects and not self.is_test(unit)]
        if given and shutil.which('ld.lld'):  # as a library: a program that needs only some of the files lacks what the others need
            given = ['-fuse-ld=lld', '-Wl,--start-lib', *given, '-Wl,--end-lib']
        return self.run(words[:at] + ['-o', program, *given] + words[at + 2:])[0] == 0

    def line_before(self, mutant):
        return self.texts[mutant.file].split('\n')[mutant.number - 1]

    def included(self, name):
        """The headers of the area that a file includes, one of the area or a test, through others too."""
        if name not in self.headers:
            self.headers[name] = set()  # of a circle
            text = self.texts[name] if name in self.texts else read(name)
            direct = {header for header in re.findall(r'#include "(.*?)"', text) if header in self.texts}
            self.headers[name] = direct.union(*map(self.included, direct))
        return self.headers[name]

    def changed_units(self, changed):
        """The units that have changed files or include changed headers."""
        return [unit for unit in self.units
                if any(changed & {path, *self.included(path)} for path in unit.files)]

    def make_mutants(self, mutants, folder, failing=None, numbered=None):
        """The object files with one or several mutants among them, or None where that does not compile. Several, of different lines,
        are told apart by the variable ASSAY_SOURCE_MUTANT, which has the place in the list `numbered`. `failing` gets those mutants
        whose lines the compiler refuses."""
        changed = self.write_mutants(mutants, folder, numbered)
        units = self.changed_units(changed)
        refused = [errors for errors in self.compiles.map(lambda unit: self.make_unit(unit, changed, folder), units) if errors is not None]
        if refused:
            if failing is not None:
                failing += [mutant for mutant in mutants
                            if any(re.search(rf'\b{re.escape(mutant.file)}:{mutant.number + 1}:', errors) for errors in refused)]
            return None
        return {unit.name: folder / unit.name for unit in units}

    def make_unit(self, unit, changed, folder):
        """Compiles a unit unless it was before; the errors, or None."""
        made = folder / unit.name
        read_by_unit = changed & {name for path in unit.files for name in (path, *self.included(path))}
        if made.exists() and all((folder / name).stat().st_mtime_ns < made.stat().st_mtime_ns for name in read_by_unit):
            return None
        source = folder / f'{unit.name}.cc'
        source.write_text(''.join(f'#include "{(folder if path in changed else ROOT) / path}"\n' for path in unit.files), encoding='utf-8')
        path = folder / f'{unit.name}.errors'
        with open(path, 'w', encoding='utf-8') as errors:
            words = [unit.words[0], f'-I{folder}', *unit.words[1:], '-o', made, '-c', source]
            if self.run(words, errors=errors)[0] == 0:
                return None
        made.unlink(missing_ok=True)
        return path.read_text(encoding='utf-8')

    def write_mutants(self, mutants, folder, numbered):
        """Writes the changed files, and those that were before as they are in the tree; the set of their names."""
        (folder / 'mutant_switch.h').write_text(SWITCH, encoding='utf-8')
        changed = {mutant.file for mutant in mutants} | {name for name in self.texts if (folder / name).exists()}
        for name in changed:
            lines = self.texts[name].split('\n')
            for mutant in mutants:
                if mutant.file != name:
                    continue
                assert lines[mutant.number] == mutant.before
                lines[mutant.number] = (mutant.after if len(mutants) == 1 else
                                        switched(mutant, numbered.index(mutant), self.line_before(mutant)))
            text = '\n'.join(lines)
            if len(mutants) > 1 and text != self.texts[name]:
                text = text.replace('#include', f'#include "mutant_switch.h"\n#line {lines_before(text) + 1}\n#include', 1)
            source = folder / name
            source.parent.mkdir(parents=True, exist_ok=True)
            if not source.exists() or source.read_text(encoding='utf-8') != text:  # else made before another file failed
                source.write_text(text, encoding='utf-8')
        return changed


class Program:
    """The programs with some object files in front of the libraries, each linked when it is first asked."""

    def __init__(self, builder, objects, folder):
        self.builder = builder
        self.objects = objects
        self.folder = folder
        self.lock = threading.Lock()

    def __call__(self, target):
        """Its path, or None where it does not link."""
        path = self.folder / target
        with self.lock:
            return path if path.exists() or self.builder.link(target, self.objects, path) else None
