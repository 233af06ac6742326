"""Finds the Python that has the peers (JAX, numpy, ml_dtypes): this interpreter, or the one that tools/setup --peers
installs in $ASSAY_PEERS (default: ~/.cache/assay/peers). Where there is none a test is skipped (exit code 77); with
ASSAY_REQUIRE_PEERS=1, as in CI, it fails.
"""
import importlib.util
import os
import sys

SKIP = 77
FOLDER = os.environ.get('ASSAY_PEERS') or os.path.expanduser('~/.cache/assay/peers')
PYTHON = os.path.join(FOLDER, 'bin', 'python')


def skip(why):
    print(f'skipped: {why} (tools/setup --peers installs it in {FOLDER})')
    sys.exit(1 if os.environ.get('ASSAY_REQUIRE_PEERS') == '1' else SKIP)


def need_python():
    """The peers' interpreter."""
    if not os.path.exists(PYTHON):
        skip(f'there is no {PYTHON}')
    return PYTHON


def need(*modules):
    """Returns in an interpreter that has the modules: this one, or the peers' with the same script."""
    missing = [module for module in modules if importlib.util.find_spec(module) is None]
    if not missing:
        return
    if os.path.exists(PYTHON) and os.path.realpath(sys.prefix) != os.path.realpath(FOLDER):
        os.execv(PYTHON, [PYTHON, *sys.argv])
    skip(f'no Python module {", ".join(missing)}')
