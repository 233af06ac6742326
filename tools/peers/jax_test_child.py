#!/usr/bin/env python3
"""Runs one of JAX's test files and writes a line of JSON at the begin and at the end of each test.

usage: jax_test_child.py FILE LOG [--done FILE] [--only FILE] [--every N] [--offset K] [--match TEXT]

tools/jax_tests starts it, again after a crash: the tests named in --done are left out then. The file
of --only names the only tests to run.
"""
import argparse
import faulthandler
import importlib.util
import json
import os
import pathlib
import sys
import time
import traceback
import unittest


class Log(unittest.TestResult):
    """A result that survives a crash: each line is written before the next test begins."""

    def __init__(self, path):
        super().__init__()
        self._file = open(path, 'a', encoding='utf-8')
        self._outcome = None

    def write(self, **line):
        self._file.write(json.dumps(line) + '\n')
        self._file.flush()

    def startTest(self, test):
        super().startTest(test)
        self._outcome, self._text, self._begin = 'passed', '', time.monotonic()
        self.write(start=test.id())

    def stopTest(self, test):
        super().stopTest(test)
        self.write(end=test.id(), outcome=self._outcome, text=self._text, seconds=round(time.monotonic() - self._begin, 3))

    def _bad(self, test, outcome, error):
        text = ''.join(traceback.format_exception(*error))
        if not hasattr(test, '_testMethodName') or self._outcome is None:  # of a class or a module
            self.write(start=test.id())
            self.write(end=test.id(), outcome=outcome, text=text[-6000:], seconds=0)
            return
        self._outcome, self._text = outcome, text[-6000:]

    def addError(self, test, err):
        self._bad(test, 'failed', err)

    def addFailure(self, test, err):
        self._bad(test, 'failed', err)

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self._bad(test, 'failed', err)

    def addUnexpectedSuccess(self, test):
        self._outcome, self._text = 'failed', 'unexpected success'

    def addExpectedFailure(self, test, err):
        pass

    def addSkip(self, test, reason):
        if self._outcome is None or not hasattr(test, '_testMethodName'):
            return
        self._outcome, self._text = 'skipped', str(reason)


def tests_of(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from tests_of(test)
        else:
            yield test


def names_in(path):
    return set(pathlib.Path(path).read_text(encoding='utf-8').splitlines()) if path else set()  # names have spaces


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('file')
    parser.add_argument('log')
    parser.add_argument('--done')
    parser.add_argument('--only')
    parser.add_argument('--every', type=int, default=1)
    parser.add_argument('--offset', type=int, default=0)
    parser.add_argument('--match', default='')
    options = parser.parse_args()
    faulthandler.enable()
    path = pathlib.Path(options.file).resolve()
    sys.path.insert(0, str(path.parent))
    sys.argv = [str(path)]
    name = path.stem
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    log = Log(options.log)
    if os.environ.get('JAX_TESTS_PACKAGE'):  # the tree has no entry point for JAX to find
        import assay_jax
        assay_jax.initialize()
    spec.loader.exec_module(module)

    import jax
    from absl import flags
    from jax._src import test_loader
    if not flags.FLAGS.is_parsed():
        flags.FLAGS([str(path)], known_only=True)
    tests = list(tests_of(test_loader.JaxTestLoader().loadTestsFromModule(module)))
    tests = [test for i, test in enumerate(tests) if i % options.every == options.offset % options.every]
    done, only = names_in(options.done), names_in(options.only)
    tests = [
        test for test in tests
        if test.id() not in done and (not only or test.id() in only) and options.match in test.id()
    ]
    log.write(platform=jax.default_backend(), version=jax.devices()[0].client.platform_version, tests=len(tests))
    unittest.TestSuite(tests).run(log)
    log.write(finished=True)


if __name__ == '__main__':
    main()
