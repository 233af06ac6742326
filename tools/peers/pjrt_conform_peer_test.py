#!/usr/bin/env python3
"""The checker of PyPI's `pypjrt` on Assay's plug-in: no check may fail.

usage: pjrt_conform_peer_test.py build/release/lib/libassay_pjrt.so
"""
import json
import os
import subprocess
import sys
import tempfile

import peers

peers.need('pypjrt')


def main():
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, 'report.json')
        process = subprocess.run([sys.executable, '-m', 'pypjrt.conform', '--json', report, sys.argv[1]],
                                 capture_output=True, text=True, timeout=300, check=False)
        print(process.stdout[-1500:], process.stderr[-1500:])
        if process.returncode != 0 or not os.path.exists(report):
            return 1
        with open(report, encoding='utf-8') as file:
            text = json.dumps(json.load(file))
    # A run that checked nothing is no pass.
    return 0 if text.count('"pass"') >= 40 else 1


if __name__ == '__main__':
    sys.exit(main())
