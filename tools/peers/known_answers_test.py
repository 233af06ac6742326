"""known_answers.py: what is known is given without asking, what is not is asked, and answers of another version of the
peer or for other options are not known. usage: known_answers_test.py
"""
import base64
import contextlib
import io
import json
import os
import tempfile
import unittest

import known_answers
import stored_answers
from assay_process import Refusal
from stored_answers import key_of

MODULE, OTHER, REFUSED = b'HloModule m\n', b'HloModule other\n', b'HloModule refused\n'
REFUSED_NOW = b'HloModule refused_now\n'
ARGUMENTS = [[('u8[2]', b'\x01\x02')]]
RESULTS = [[('u8[2]', b'\x03\xff')]]


class Peer:
    """Answers everything with its name, and notes what it was asked."""

    def __init__(self):
        self.asked, self.compiled = [], []

    def hello(self):
        return {'name': 'peer'}

    def compile(self, module_format, module):
        self.compiled.append(module)
        if module == REFUSED_NOW:
            raise Refusal('unsupported', 'nor this')
        return module

    def execute(self, compiled, arguments):
        self.asked.append(compiled)
        return 0.5, [[('u8[4]', b'peer')]]


class KnownAnswersTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path, self.tally = (os.path.join(self.folder.name, name) for name in ('known.xz', 'tally'))
        known_answers.VERSION = '1.0'
        answers = known_answers.Answers('none', anew=True)
        answers.path, answers.tally = self.path, self.tally
        answers.backend('--strict')
        data = base64.b64encode(RESULTS[0][0][1]).decode()
        with open(answers.record, 'w', encoding='utf-8') as f:
            for line in ({'key': '', 'hello': {'name': 'stored'}},
                         {'key': key_of(MODULE, ARGUMENTS), 'results': [[['u8[2]', data]]]},
                         {'key': key_of(MODULE)},  # was compiled
                         {'key': key_of(REFUSED), 'kind': 'unsupported', 'message': 'not that'}):
                f.write(json.dumps(line) + '\n')
        with contextlib.redirect_stdout(io.StringIO()):
            answers.write()

    def known(self, *options):
        known = known_answers.Known(self.path, list(options), self.tally, None)
        known.xla = Peer()
        return known

    def test_what_is_known_is_not_asked(self):
        known = self.known('--strict')
        self.assertEqual(known.hello(), {'name': 'stored'})
        self.assertEqual(known.execute(known.compile('hlo-text', MODULE), ARGUMENTS), (0.0, RESULTS))
        with self.assertRaisesRegex(Refusal, 'not that'):
            known.compile('hlo-text', REFUSED)
        self.assertEqual(known.xla.asked + known.xla.compiled, [])
        with open(self.tally, 'rb') as f:
            self.assertEqual(f.read(), b'kk')

    def test_other_modules_and_other_arguments_are_asked(self):
        known = self.known('--strict')
        for module, arguments in ((OTHER, ARGUMENTS), (MODULE, RESULTS)):
            seconds, _ = known.execute(known.compile('hlo-text', module), arguments)
            self.assertEqual(seconds, 0.5)
        self.assertEqual(known.xla.asked, [OTHER, MODULE])
        self.assertEqual(known.xla.compiled, [OTHER, MODULE])
        with open(self.tally, 'rb') as f:
            self.assertEqual(f.read(), b'aa')

    def test_an_unknown_module_is_compiled_at_once(self):
        known = self.known('--strict')
        known.compile('hlo-text', OTHER)
        self.assertEqual(known.xla.compiled, [OTHER])

    def test_an_unknown_module_that_is_refused_was_asked(self):
        with self.assertRaisesRegex(Refusal, 'nor this'):
            self.known('--strict').compile('hlo-text', REFUSED_NOW)
        with open(self.tally, 'rb') as f:
            self.assertEqual(f.read(), b'a')

    def test_answers_for_other_options_are_not_known(self):
        known = self.known('--strict', '--devices', '4')
        self.assertEqual(known.hello(), {'name': 'peer'})
        known.execute(known.compile('hlo-text', MODULE), ARGUMENTS)
        self.assertEqual(known.xla.asked, [MODULE])

    def test_answers_of_another_version_are_not_known(self):
        known_answers.VERSION = '2.0'
        known = self.known('--strict')
        known.execute(known.compile('hlo-text', MODULE), ARGUMENTS)
        self.assertEqual(known.xla.asked, [MODULE])

    def test_a_question_that_ends_the_process_is_recorded(self):
        record = os.path.join(self.folder.name, 'record')

        class Ends(Peer):
            def execute(self, compiled, arguments):
                os._exit(3)

        for peer, arguments in ((Ends(), ARGUMENTS), (Peer(), RESULTS)):
            child = os.fork()
            if child == 0:
                recorder = stored_answers.Recorder(peer, record)
                recorder.hello()
                module = stored_answers.StoredModule(MODULE)
                recorder.target.compile = lambda *_: module
                recorder.execute(recorder.compile('hlo-text', MODULE), arguments)
                os._exit(0)
            os.waitpid(child, 0)
        with contextlib.redirect_stdout(io.StringIO()):
            stored_answers.pack(record)
        stored = stored_answers.Stored(record + '.gz')
        module = stored.compile('hlo-text', MODULE)
        self.assertEqual(stored.execute(module, RESULTS), (0.0, [[('u8[4]', b'peer')]]))
        with self.assertRaisesRegex(Refusal, stored_answers.ENDED) as refused:
            stored.execute(module, ARGUMENTS)
        self.assertEqual(refused.exception.kind, 'internal')


if __name__ == '__main__':
    unittest.main()
