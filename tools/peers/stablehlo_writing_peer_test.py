#!/usr/bin/env python3
"""MLIR reads the StableHLO that Assay writes: StableHLO's interpreter is asked a part of the quick tier.

usage: stablehlo_writing_peer_test.py ASSAY [--shard N/M]

Fails where the peer's parser refuses a module as malformed, or where fewer than half of the cases ran. Verdicts about
the interpreter are not looked at: docs/stablehlo.md has them. Needs jax (tools/setup --peers).
"""
import argparse
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

import peers

peers.need('jax')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('assay')
    parser.add_argument('--shard', default='7/60')
    options = parser.parse_args()
    here = pathlib.Path(__file__).parent
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder, 'report.json')
        child = subprocess.run(
            [options.assay, 'test', '--target', f'process:{sys.executable} {here}/stablehlo_interpreter.py', '--profile',
             here / 'stablehlo_interpreter.textproto', '--tier', 'quick', '--shard', options.shard, '--jobs', '1',
             '--report', f'json={report}'], capture_output=True, text=True)
        if not report.exists():
            sys.exit(f'assay test ended with {child.returncode}: {child.stderr}')
        cases = json.loads(report.read_text())['cases']
    counts = collections.Counter(case['outcome'] for case in cases)
    print(dict(counts))
    for case in cases:
        if case['outcome'] == 'invalid':
            print(f'{case["id"]}: {case.get("message", "")}')
    ran = len(cases) - counts['not supported'] - counts['not run']
    return 1 if counts['invalid'] or ran * 2 < len(cases) else 0


if __name__ == '__main__':
    sys.exit(main())
