#!/usr/bin/env python3
"""The suite on several processes: four ranks under Open MPI, Slurm's variables, and what `assay report merge` makes of
their reports. usage: shards_cli_test.py ASSAY. Without mpirun (tools/setup installs it) a skip, in CI a failure.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

ASSAY = sys.argv[1]
SELECTION = ['--filter', 'add/*', '--filter', 'reduce/s32/*', '--filter', 'module/refused/*']
RANKS = 4


def run(*command, code=0, **variables):
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(('OMPI_', 'PMI', 'SLURM_', 'GTEST_'))}
    done = subprocess.run(command, env={**environment, **variables}, capture_output=True, text=True)
    assert done.returncode == code, f'{command}: exit code {done.returncode}, not {code}\n{done.stdout}{done.stderr}'
    return done


def cases(path):
    with open(path) as f:
        return {case['id']: case['outcome'] for case in json.load(f)['cases']}


def ids(*arguments, **variables):
    return set(run(ASSAY, 'test', *SELECTION, '--list', *arguments, **variables).stdout.split())


def check_mpi(folder):
    alone, joined = os.path.join(folder, 'alone.json'), os.path.join(folder, 'joined.json')
    run(ASSAY, 'test', *SELECTION, '--quiet', '--report', f'json={alone}')
    expected = cases(alone)
    assert len(expected) > 200, len(expected)
    # Open MPI does not start as root, nor more ranks than there are processors, unless it is told to.
    run('mpirun', '-n', str(RANKS), '--oversubscribe', ASSAY, 'test', *SELECTION, '--quiet', '--jobs', '1',
        '--shard', 'auto', '--report', f'json={folder}/shard.%r.json',
        OMPI_ALLOW_RUN_AS_ROOT='1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM='1')
    shards = [os.path.join(folder, f'shard.{rank}.json') for rank in range(RANKS)]
    sizes = [len(cases(shard)) for shard in shards]
    assert sum(sizes) == len(expected) and min(sizes) > 0.5 * len(expected) / RANKS, sizes
    run(ASSAY, 'report', 'merge', *shards, '-o', joined)
    assert cases(joined) == expected, 'four ranks say something else than one process'
    # Holes and duplicates are not a report.
    for files, word in ((shards[:-1], 'shard 3'), (shards + shards[:1], 'shard.0.json')):
        refused = run(ASSAY, 'report', 'merge', *files, '-o', joined + '.no', code=2)
        assert word in refused.stderr, refused.stderr
        assert not os.path.exists(joined + '.no')


def check_variables():
    every = ids()
    for names in (('SLURM_PROCID', 'SLURM_NTASKS'), ('PMI_RANK', 'PMI_SIZE'), ('GTEST_SHARD_INDEX', 'GTEST_TOTAL_SHARDS')):
        parts = []
        for rank in range(3):
            parts.append(ids('--shard', 'auto', **{names[0]: str(rank), names[1]: '3'}))
            assert parts[-1] == ids('--shard', f'{rank}/3'), names
        assert set.union(*parts) == every and sum(map(len, parts)) == len(every), names
    # GoogleTest's count without the option, too.
    assert ids(GTEST_SHARD_INDEX='1', GTEST_TOTAL_SHARDS='3') == ids('--shard', '1/3')
    nobody = run(ASSAY, 'test', *SELECTION, '--list', '--shard', 'auto', code=2)
    assert 'auto' in nobody.stderr, nobody.stderr


check_variables()
if shutil.which('mpirun') is None:
    print('skipped: there is no mpirun (tools/setup installs it)')
    sys.exit(1 if os.environ.get('ASSAY_REQUIRE_PEERS') == '1' else 77)
with tempfile.TemporaryDirectory() as scratch:
    check_mpi(scratch)
print('ranks, Slurm, PMI and GoogleTest agree with one process')
