"""The script of the day with a GPU, rehearsed on the emulated device: steps run once, what needs a
GPU is left out by name, failed steps run again, and a folder belongs to one target.

usage: gpu_day_cli_test.py ASSAY SOURCE_FOLDER
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ASSAY, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])


def gpu_day(out, *arguments, assay=ASSAY, target='cuda-emulated'):
    command = [sys.executable, str(ROOT / 'tools/gpu_day'), '--out', str(out), '--assay', assay,
               '--target', target, '--op', 'negate', *arguments]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


class GpuDay(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name) / 'day'

    def test_steps_run_until_they_pass_and_what_needs_a_gpu_is_left_out(self):
        chosen = ['--step', 'again', 'text', 'libraries', 'memcheck']
        failed = gpu_day(self.out, *chosen, assay='false')
        self.assertEqual(failed.returncode, 1)
        self.assertIn('again: failed (exit code 1)', failed.stdout)
        late = gpu_day(self.out, *chosen, '--minutes', '0')
        self.assertEqual(late.returncode, 1)
        self.assertIn('again: no time left', late.stdout)
        passed = gpu_day(self.out, *chosen)
        self.assertEqual(passed.returncode, 0, passed.stdout)
        verdict = (self.out / 'verdict.txt').read_text(encoding='utf-8').splitlines()
        self.assertIn('target cuda-emulated', verdict)
        self.assertIn('again: passed', verdict)
        self.assertIn('text: passed', verdict)
        self.assertIn('libraries: left out: needs GPU', verdict)
        self.assertIn('memcheck: left out: needs GPU', verdict)
        self.assertIn('standard: not run', verdict)
        self.assertTrue(json.loads((self.out / 'again.json').read_text(encoding='utf-8')))
        more = gpu_day(self.out, *chosen)
        self.assertEqual(more.returncode, 0, more.stdout)
        self.assertNotIn('again:', more.stdout)

    def test_a_folder_belongs_to_one_target_and_steps_have_names(self):
        self.assertEqual(gpu_day(self.out, '--step', 'memcheck').returncode, 0)
        other = gpu_day(self.out, '--step', 'memcheck', target='cuda')
        self.assertEqual(other.returncode, 2)
        self.assertIn('holds results of cuda-emulated', other.stdout)
        unknown = gpu_day(self.out, '--step', 'quik')
        self.assertEqual(unknown.returncode, 2)
        self.assertIn('there is no step quik', unknown.stdout)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
