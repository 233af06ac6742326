#!/usr/bin/env python3
"""XLA CPU's stored answers under the suite, as tools/demo shows them: nothing is wrong but what is known to be, and the
corpus still asks what the answers are for. usage: stored_answers_test.py ASSAY
"""
import collections
import fnmatch
import json
import os
import re
import subprocess
import sys
import tempfile

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
# Each failure has its finding.
with open(os.path.join(SOURCE, 'docs', 'findings', 'xla_cpu.waivers.textproto')) as f:
    KNOWN = re.findall(r'glob: "([^"]*)"', f.read())
JUDGED = 2100  # of 2,427; the rest XLA CPU does not support
FAILURES = ('wrong', 'flaky', 'failed', 'invalid')

with tempfile.TemporaryDirectory() as folder:
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'judge_stored_answers.sh')
    done = subprocess.run([script, sys.argv[1], folder], capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    with open(os.path.join(folder, 'xla_cpu.json')) as f:
        cases = json.load(f)['cases']
    assert os.path.getsize(os.path.join(folder, 'xla_cpu.html')) > 100000
unknown = [case for case in cases if case['outcome'] in FAILURES
           and not any(fnmatch.fnmatchcase(case['id'], glob) for glob in KNOWN)]
for case in unknown:
    print(f'{case["outcome"]}: {case["id"]}: {case.get("message", "")}')
outcomes = collections.Counter(case['outcome'] for case in cases)
judged = len(cases) - outcomes['not supported'] - outcomes['not run']
print(f'{judged} of {len(cases)} cases judged: {dict(outcomes)}')
if unknown or judged < JUDGED:
    sys.exit('what is stored no longer fits: judge_stored_answers.sh says how to store it anew' if judged < JUDGED else 1)
