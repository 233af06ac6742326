"""assay.capture and the pytest plug-in, on XLA's CPU backend."""

import pathlib
import subprocess
import sys
import textwrap
from importlib.metadata import entry_points

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import assay

X = jnp.arange(6.0).reshape(2, 3)


def test_every_program_is_kept_with_arguments_and_results(tmp_path) -> None:
    step = jax.jit(lambda x, y: (jnp.sin(x) + y, x.astype(jnp.bfloat16)), donate_argnums=1)
    before = step(X, X + 1)  # compiled, and on the fast path
    with assay.capture(tmp_path) as captured:
        inside = step(X, X + 1)
        step(X, X + 2)
        jnp.tanh(X)
    np.testing.assert_array_equal(before[0], inside[0])
    names = [program.name for program in captured.programs]
    assert sum('lambda' in name for name in names) == 1 and any('tanh' in name for name in names)
    program = next(each for each in captured.programs if 'lambda' in each.name)
    inputs, results = np.load(program.inputs), np.load(program.results)
    np.testing.assert_array_equal(inputs['arg1'], np.asarray(X + 1))
    np.testing.assert_array_equal(results['out0'], np.asarray(inside[0]))
    golden = program.load().run(inputs['arg0'], inputs['arg1'])
    np.testing.assert_allclose(golden[0], results['out0'], rtol=1e-6)
    report = captured.triage()
    assert not report.fails and len(report.to_dict()['groups']) >= 1
    # Arrays of numpy and numbers are kept as JAX hands them on.
    with assay.capture(tmp_path / 'numbers') as numbers:
        jax.jit(lambda x, y: x * y)(np.ones(3), 2)
    assert not numbers.skipped, numbers.skipped
    inputs = np.load(numbers.programs[0].inputs)
    assert inputs['arg0'].dtype == np.float32 and inputs['arg1'].dtype == np.int32
    count = len(captured.programs)
    step(X, X + 1)
    assert len(captured.programs) == count


def test_blocks_do_not_nest_and_survive_exceptions(tmp_path) -> None:
    with pytest.raises(ZeroDivisionError):
        with assay.capture(tmp_path):
            with pytest.raises(assay.UnsupportedError, match='nest'):
                with assay.capture(tmp_path):
                    pass
            1 / 0  # noqa: B018
    with assay.capture(tmp_path) as captured:
        jax.jit(lambda x: x + 1)(X)
    assert captured.programs


def run_pytest(folder: pathlib.Path, text: str, *arguments: str) -> tuple[int, str]:
    (folder / 'test_model.py').write_text(textwrap.dedent(text))
    # A wheel brings an entry point; a build tree has none.
    installed = any(point.value == 'assay.pytest_plugin' for point in entry_points(group='pytest11'))
    plugin = [] if installed else ['-p', 'assay.pytest_plugin']
    result = subprocess.run(
        [sys.executable, '-m', 'pytest', '-q', *plugin, '-p', 'no:cacheprovider', *arguments, str(folder)],
        capture_output=True, text=True, timeout=120)  # fmt: skip
    return result.returncode, result.stdout + result.stderr


def test_the_plugin_judges_marked_tests(tmp_path) -> None:
    code, output = run_pytest(tmp_path, """
        import jax, jax.numpy as jnp, numpy as np, pytest
        import assay

        def wrong(module, *arguments):
            return module.run(*arguments) + 1

        @pytest.mark.assay
        def test_right():
            jax.jit(lambda x: jnp.tanh(x) * 2)(jnp.ones(3))

        @pytest.mark.assay(profile='golden')
        def test_beyond_golden():
            # XLA CPU's tanh is no correctly rounded one
            jax.jit(jnp.tanh)(np.linspace(-3, 3, 1000))

        @pytest.mark.assay
        def test_nothing_runs():
            pass

        @pytest.mark.assay
        def test_prints():
            jax.jit(lambda x: (jax.debug.print('{}', x), x + 1))(jnp.ones(3))

        def twice(x):
            return jax.pure_callback(lambda x: 2 * np.asarray(x), x, x)

        @pytest.mark.assay
        def test_nothing_is_judged():
            jax.jit(twice)(np.ones(3, np.float32))

        def test_fixture(assay_check):
            assert assay_check(jnp.sin)(jnp.ones(3)).ok
            with pytest.raises(assay.WrongResultError):
                assay_check(jnp.sin, target=wrong)(jnp.ones(3))

        @pytest.mark.assay(nonsense=1)
        def test_usage():
            pass
        """, f'--assay-html={tmp_path}/report.html')  # fmt: skip
    assert code == 1, output
    assert '4 failed, 3 passed' in output
    assert 'elements are wrong' in output and output.count('ran no program') >= 2 and 'nonsense' in output
    assert 'programs judged' in output
    assert '1 instruction is wrong: tanh (test_' in output and 'source ' in output
    page = (tmp_path / 'report.html').read_text()
    assert 'test_right' in page and 'test_beyond_golden' in page and page.count('<section>') >= 4


def test_accuracy_of_jax() -> None:
    report = assay.accuracy('tanh', 'bf16')(jnp.tanh)
    assert 0 < report.worst < 2 and report.special == 0
