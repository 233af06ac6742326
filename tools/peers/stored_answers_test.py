#!/usr/bin/env python3
"""XLA CPU's stored answers under the suite, as tools/demo shows them: nothing is wrong but what is known to be, and the
corpus still asks what the answers are for. usage: stored_answers_test.py ASSAY
"""
import collections
import json
import os
import subprocess
import sys
import tempfile

# Of XLA CPU 0.10.2, each with its finding: cbrt and atan2 of denormals (011, 012),
# regions of another type than their arrays (041).
KNOWN = ('cbrt/f32/example/table', 'cbrt/f32/special/special', 'atan2/f32/special/special',
         'reduce/s32/defect/second_element_of_another_type', 'scatter/f32/defect/updates_of_another_type')
JUDGED = 850  # of 1,005; the rest XLA CPU does not support
FAILURES = ('wrong', 'flaky', 'failed', 'invalid')

with tempfile.TemporaryDirectory() as folder:
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'judge_stored_answers.sh')
    done = subprocess.run([script, sys.argv[1], folder], capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    with open(os.path.join(folder, 'xla_cpu.json')) as f:
        cases = json.load(f)['cases']
    assert os.path.getsize(os.path.join(folder, 'xla_cpu.html')) > 100000
unknown = [case for case in cases if case['outcome'] in FAILURES
           and case['id'] not in KNOWN]
for case in unknown:
    print(f'{case["outcome"]}: {case["id"]}: {case.get("message", "")}')
outcomes = collections.Counter(case['outcome'] for case in cases)
judged = len(cases) - outcomes['not supported'] - outcomes['not run']
print(f'{judged} of {len(cases)} cases judged: {dict(outcomes)}')
if unknown or judged < JUDGED:
    sys.exit('what is stored no longer fits: judge_stored_answers.sh says how to store it anew' if judged < JUDGED else 1)
