"""Programs with changed files: compiled one by one and linked in front of the libraries."""
import collections
import concurrent.futures
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import threading

from mutation.areas import ROOT, files_of, questions, read
from mutation.changes import SWITCH, switched

HEADERS = ('spec', 'runtime', 'evaluator', 'interpreter', 'backends', 'conformance')  # folders of headers that areas include


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
    """Compiles the files of an area one by one and links programs with them in front of the libraries."""

    def __init__(self, area, build, jobs):
        self.area = area
        self.build = build
        self.run = Run(build)
        self.targets = subprocess.run(['ninja', '-C', str(build), '-t', 'targets', 'all'], check=True, text=True,
                                      stdout=subprocess.PIPE).stdout
        self.texts = {path: read(path) for path in files_of(area)}
        tests = {question for path in self.texts for question in questions(path, self.targets) if ' ' not in question}
        subprocess.run(['ninja', '-C', str(build), 'assay_bin_assay', *sorted(tests)], check=True, stdout=subprocess.DEVNULL)
        compiles = [c for c in self.ninja('assay_bin_assay') if ' -c ' in c and f'{area.folder}/CMakeFiles' in c]
        # What the changed code computes does not depend on the optimisation, and this compiles faster. What reads beside a
        # container ends.
        words = self.without_files(shlex.split(compiles[0]))
        if os.path.basename(words[0]) == 'ccache':  # every text is compiled once
            del words[0]
        self.compile = [re.sub(r'^-O[23]$', '-O1', word) for word in words if word != '-DNDEBUG'] + ['-D_GLIBCXX_ASSERTIONS', '-w']
        self.assay = build / 'bin' / 'assay'
        # Objects are kept by the headers of the tree and their own text, so that a changed file is compiled alone.
        headers = {path.as_posix(): path.read_bytes() for folder in HEADERS for path in (ROOT / folder).rglob('*.h')}
        self.cache = build / 'source_mutants' / short_hash(repr((self.compile, sorted(headers.items()), self.common_headers())).encode())
        self.cache.mkdir(parents=True, exist_ok=True)
        self.precompile()
        self.links = {}
        self.headers = {}
        self.objects = {path: self.cache / f'{flat(path)}.{short_hash(text.encode())}.o' for path, text in self.texts.items()
                        if path.endswith('.cc')}
        missing = [path for path, made in self.objects.items() if not made.exists()]
        self.compiles = concurrent.futures.ThreadPoolExecutor(jobs)
        for path, made in zip(missing, self.compiles.map(lambda path: self.make_object(ROOT / path, self.objects[path]), missing)):
            if not made:
                raise SystemExit(f'{path} does not compile')

    def common_headers(self):
        """The lines of headers that several files include."""
        included = collections.Counter(line for text in self.texts.values() for line in text.split('\n')
                                       if line.startswith('#include') and f'"{self.area.folder}/' not in line)
        return '\n'.join(sorted(line for line, count in included.items() if count > 3)) + '\n'

    def precompile(self):
        """The headers that several files include, once, in the place of the build's, whose options are others."""
        header = self.cache / 'headers.h'
        if '-include' in self.compile:
            at = self.compile.index('-include')
            del self.compile[at:at + 2]
        if not header.exists():
            header.write_text(self.common_headers(), encoding='utf-8')
            if not self.make_object(header, f'{header}.gch', ['-x', 'c++-header']):
                raise SystemExit('the headers do not compile')
        self.compile += ['-include', str(header)]

    def ninja(self, target):
        return subprocess.run(['ninja', '-C', str(self.build), '-t', 'commands', target], check=True, text=True,
                              stdout=subprocess.PIPE).stdout.strip().split('\n')

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

    def make_object(self, source, target, include=(), errors=subprocess.DEVNULL):
        partial = f'{target}.{threading.get_ident()}'
        words = [self.compile[0], *include, *self.compile[1:], '-o', partial, '-c', source]
        if self.run(words, errors=errors)[0] != 0:
            return False
        os.replace(partial, target)
        return True

    def link(self, target, objects, program):
        if target not in self.links:
            self.links[target] = shlex.split(self.ninja(target)[-1].replace(': && ', '').replace(' && :', ''))
        words = self.links[target]
        at = words.index('-o')
        given = list(map(str, objects.values()))
        if shutil.which('ld.lld'):  # as a library: a program that needs only some of the files lacks what the others need
            given = ['-fuse-ld=lld', '-Wl,--start-lib', *given, '-Wl,--end-lib']
        return self.run(words[:at] + ['-o', program, *given] + words[at + 2:])[0] == 0

    def line_before(self, mutant):
        return self.texts[mutant.file].split('\n')[mutant.number - 1]

    def included(self, name):
        """The headers of the area that a file includes, through others too."""
        if name not in self.headers:
            self.headers[name] = set()  # of a circle
            direct = {header for header in re.findall(r'#include "(.*?)"', self.texts[name]) if header in self.texts}
            self.headers[name] = direct.union(*map(self.included, direct))
        return self.headers[name]

    def users(self, header):
        """The files to compile that include a header of the area, through others too."""
        return [name for name in self.texts if name.endswith('.cc') and header in self.included(name)]

    def make_mutants(self, mutants, folder, failing=None, numbered=None):
        """The object files with one or several mutants among them, or None where that does not compile. Several, of different lines,
        are told apart by the variable ASSAY_SOURCE_MUTANT, which has the place in the list `numbered`. `failing` gets those mutants
        whose lines the compiler refuses."""
        changed = self.write_mutants(mutants, folder, numbered)
        users = sorted({user for name in changed for user in ([name] if name.endswith('.cc') else self.users(name))})
        refused = [errors for errors in self.compiles.map(lambda user: self.make_user(user, changed, folder), users) if errors is not None]
        if refused:
            if failing is not None:
                failing += [mutant for mutant in mutants
                            if any(re.search(rf'\b{re.escape(mutant.file)}:{mutant.number + 1}:', errors) for errors in refused)]
            return None
        objects = {user: folder / f'{flat(user)}.o' for user in users}
        # Its own first: of an inline function of a header the linker keeps the first.
        return objects | {user: path for user, path in self.objects.items() if user not in objects}

    def make_user(self, user, changed, folder):
        """Compiles a file that is changed, or that includes what is, unless it was before; the errors, or None."""
        made = folder / f'{flat(user)}.o'
        read_by_user = changed & {user, *self.included(user)}
        if made.exists() and all((folder / name).stat().st_mtime_ns < made.stat().st_mtime_ns for name in read_by_user):
            return None
        path = folder / f'{flat(user)}.errors'
        with open(path, 'w', encoding='utf-8') as errors:
            if self.make_object(folder / user if user in changed else ROOT / user, made, [f'-I{folder}'], errors):
                return None
        return path.read_text(encoding='utf-8')

    def write_mutants(self, mutants, folder, numbered):
        """Writes the changed files; the set of their names."""
        (folder / 'mutant_switch.h').write_text(SWITCH, encoding='utf-8')
        changed = {mutant.file for mutant in mutants}
        for name in changed:
            lines = self.texts[name].split('\n')
            for mutant in mutants:
                if mutant.file != name:
                    continue
                assert lines[mutant.number] == mutant.before
                lines[mutant.number] = (mutant.after if len(mutants) == 1 else
                                        switched(mutant, numbered.index(mutant), self.line_before(mutant)))
            text = '\n'.join(lines)
            if len(mutants) > 1:
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
