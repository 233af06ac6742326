"""assay.check on functions of JAX, on XLA's CPU backend and on targets that are wrong on purpose."""

import dataclasses
import functools
import os
import pathlib
import pickle
import subprocess
import sys
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import assay

HERE = pathlib.Path(__file__)
X = jax.random.normal(jax.random.key(0), (8, 16))
W = jax.random.normal(jax.random.key(1), (16, 4))


def model(x, w):
    y = x @ w
    return {'tanh': jnp.tanh(y), 'sum': jnp.sum(y)}


TANH_LINE = next(
    i for i, line in enumerate(HERE.read_text().splitlines(), 1) if "{'tanh': jnp.tanh(y)" in line
)


def wrong_tanh(module, *arguments):
    """A tanh that is a tenth too large for small arguments."""
    results = module.run(*arguments)
    if 'tanh' not in module.show('short'):
        return results
    grow = lambda value: np.where(abs(value) < 0.5, value * 1.1, value).astype(value.dtype)  # noqa: E731
    return jax.tree_util.tree_map(grow, results)


def test_a_right_function_gives_a_report_and_its_result() -> None:
    report = assay.check(model)(X, W)
    assert report.ok and report.profile == 'xla-cpu' and report.target.startswith('JAX on cpu')
    assert set(report.result) == {'sum', 'tanh'}
    assert sum(report.whole['elements'].values()) == 33
    assert report.whole['elements']['wrong'] == 0 and 'No bug found' in str(report)


def test_instructions_are_asked_on_the_same_device() -> None:
    report = assay.check(model, isolate=True)(X, W)
    assert report.ok, str(report)
    assert [each['opcode'] for each in report.instructions] == ['dot', 'tanh', 'reduce']
    assert not any('not_run' in each for each in report.instructions)


def test_wrong_results_raise_with_the_users_line() -> None:
    with pytest.raises(assay.WrongResultError) as caught:
        assay.check(model, target=wrong_tanh, profile='xla-cpu')(X, W)
    report = caught.value.report
    assert report.first_wrong['opcode'] == 'tanh'
    assert report.source_line == f'{HERE}:{TANH_LINE}: ' + "return {'tanh': jnp.tanh(y), 'sum': jnp.sum(y)}"
    text = str(caught.value)
    for part in ('1 instruction is wrong: tanh', f'check_test.py:{TANH_LINE}', 'worst element', 'ENTRY'):
        assert part in text
    assert assay.check(model, target=wrong_tanh, profile='xla-cpu', raise_on=None)(X, W).verdict == 'wrong'


def test_a_target_is_judged_by_the_profile_that_the_command_takes() -> None:
    chosen = {'golden': 'golden', 'cpu': 'cpu', wrong_tanh: 'cpu-strict', jax.devices()[0]: 'xla-cpu'}
    for target, profile in chosen.items():
        assert assay.check(lambda x: x + 1, target=target)(X).profile == profile, target


class Broken:
    """A jitted function whose device gives other results than its program."""

    def __init__(self, function, change):
        self._jitted = jax.jit(function)
        self._change = change
        self.__name__ = 'broken'

    def lower(self, *args, **kwargs):
        return self._jitted.lower(*args, **kwargs)

    def __call__(self, *args, **kwargs):
        return self._change(self._jitted(*args, **kwargs))


def test_a_device_that_is_wrong_only_as_a_whole() -> None:
    broken = Broken(model, lambda result: {**result, 'sum': result['sum'] + 1})
    report = assay.check(broken, raise_on=None)(X, W)
    assert report.verdict == 'wrong' and 'No instruction alone is wrong' in report.sentence
    assert report.repro.name == 'the whole program' and len(report.repro.arguments) == 2


def test_arguments_that_jax_drops_converts_or_takes() -> None:
    @functools.partial(jax.jit, static_argnums=1, donate_argnums=2)
    def f(parameters, power, x, unused=None, *, scale=1.0):
        return parameters['w'] * x**power * scale

    parameters = {'w': jnp.arange(3.0), 'unused': jnp.ones(2)}
    x = jnp.array([1.0, 2.0, 3.0])
    report = assay.check(f)(parameters, 2, x, scale=2)
    np.testing.assert_array_equal(report.result, [0, 8, 36])
    assert report.ok and not x.is_deleted()
    assert assay.check(jnp.add)(np.ones(3), 1).ok  # f64 becomes f32


class Point(NamedTuple):
    a: jax.Array
    b: jax.Array


def test_a_target_gets_arguments_as_jax_hands_them_over() -> None:
    rows = np.array([5, 0, 3])  # 64 bits, of which JAX takes 32
    report = assay.check(lambda x, i: x[i], target='cpu')(X, rows)
    assert report.ok, str(report)

    @functools.partial(jax.jit, static_argnums=1)
    def scaled(x, times):
        return x * times

    assert assay.check(scaled, target='cpu')(X, 3).ok


def test_pytrees_of_arguments_and_results() -> None:
    module = assay.load(jax.jit(lambda p, q: Point(p['u'] + q.a, (q.b,))).lower({'u': X}, Point(X, W)))
    result = module.run({'u': X}, Point(X, W))
    assert isinstance(result, Point)
    np.testing.assert_array_equal(result.a, np.asarray(X + X))
    np.testing.assert_array_equal(result.b[0], np.asarray(W))
    with pytest.raises(assay.InvalidArgumentError, match=r"argument 0\['u'\] is f32\[16,4\]"):
        module.run({'u': W}, Point(X, W))
    with pytest.raises(assay.InvalidArgumentError, match='takes 3 arrays and 2 are given'):
        module.run({'u': X}, Point(X, None))


def test_every_stage_of_jax_is_a_program() -> None:
    jitted = jax.jit(model)
    lowered = jitted.lower(X, W)
    expected = assay.load(lowered).run(X, W)
    for program in (lowered.compile(), jax.export.export(jitted)(X, W), lowered.as_text(),
                    lowered.compiler_ir('stablehlo'), lowered.as_text(debug_info=True)):  # fmt: skip
        result = assay.load(program).run(X, W)
        if isinstance(result, tuple):  # text does not say what the function returns
            result = dict(zip(('sum', 'tanh'), result))
        np.testing.assert_array_equal(result['sum'], expected['sum'])
        np.testing.assert_array_equal(result['tanh'], expected['tanh'])
    exported = jax.export.export(jitted)(
        jax.ShapeDtypeStruct(jax.export.symbolic_shape('b, 16'), jnp.float32), W
    )
    assert assay.load(exported, dimensions={'b': 8}).run(X, W)['tanh'].shape == (8, 4)


def test_diff_on_a_device() -> None:
    report = assay.diff(jax.jit(model).lower(X, W), right=jax.devices()[0], args=(X, W))
    assert report.ok and report.target == 'JAX on cpu:0'


def test_keys_bfloat16_and_narrow_types() -> None:
    def f(key, x):
        return jax.random.bits(key, (4,)), x.astype(jnp.float8_e4m3fn), x.astype(jnp.int4)

    report = assay.check(f)(jax.random.key(3), jnp.array([1.5, -2.5, 3], jnp.bfloat16))
    assert report.ok, str(report)
    for actual, golden in zip(report.result, report.golden):
        assert np.asarray(actual).tobytes() == golden.tobytes()


def test_the_repro_is_reduced_and_runs_without_assay(tmp_path) -> None:
    # XLA CPU's tanh is not correctly rounded, which the profile golden asks for.
    report = assay.check(lambda x: jnp.tanh(x) * 2, profile='golden', raise_on=None)(jnp.linspace(-3, 3, 1000))
    assert report.first_wrong['opcode'] == 'tanh' and report.first_wrong['elements']['wrong'] > 100
    (argument,), (golden,), (actual,) = report.repro.arguments, report.repro.golden, report.repro.actual
    assert argument.shape == (1,) and golden != actual
    assert report.repro.detail in str(report)
    report.repro.save(tmp_path)
    for path in (sys.path[0], os.path.dirname(os.path.dirname(assay.__file__))):
        result = subprocess.run([sys.executable, str(tmp_path / 'repro.py')], capture_output=True, text=True,
                                timeout=120, env=dict(os.environ, PYTHONPATH=path))  # fmt: skip
        assert result.returncode == 1 and '1 elements differ' in result.stdout, result.stderr[-2000:]
    assert 'tanh' in result.stdout


def test_custom_calls_of_a_function() -> None:
    def f(x):
        return jax.ffi.ffi_call('triple', jax.ShapeDtypeStruct(x.shape, x.dtype))(x, by=np.int64(3)) + 1

    def triple(call, x):
        assert 'by = 3' in call.config
        return x * 3

    module = assay.load(jax.jit(f).lower(X))
    np.testing.assert_array_equal(module.run(X, custom_calls={'triple': triple}), np.asarray(X) * 3 + 1)

    def target(module, *arguments):
        return module.run(*arguments, custom_calls={'triple': triple})

    assert assay.check(f, target=target, profile='xla-cpu', custom_calls={'triple': triple})(X).ok


def test_functions_that_are_no_programs() -> None:
    with pytest.raises(assay.InvalidArgumentError, match='is a function'):
        assay.load(model)
    with pytest.raises(assay.UnsupportedError, match="custom_calls={'xla_ffi_python_cpu_callback'"):
        assay.check(lambda x: jax.pure_callback(lambda y: y, x, x))(X)
    with pytest.raises(assay.InvalidArgumentError, match=r'check jax\.numpy\.sin'):
        assay.check(np.sin)(X)
    ref = jax.new_ref(X)
    for function, arguments in ((lambda: ref[...] * 2, ()), (lambda r: r[...] * 2, (ref,))):
        with pytest.raises(assay.UnsupportedError, match=r'jax\.Ref'):
            assay.check(function)(*arguments)
    deleted = jnp.ones(3)
    deleted.delete()
    with pytest.raises(assay.PreconditionError, match='deleted'):
        assay.check(jnp.sin)(deleted)

    def inside(x):
        return assay.check(jnp.sin)(x).result

    for transform in (jax.jit, jax.vmap, jax.grad, assay.check):
        with pytest.raises(assay.InvalidArgumentError, match=r'as assay\.check\(jax\.vmap\(f\)\)'):
            transform(inside)(X)


def test_what_prints_and_what_is_compiled_is_checked(capfd) -> None:
    def prints(x):
        jax.debug.print('x is {}', x[0, 0])
        return x + 1

    assert assay.check(prints)(X).ok
    assert 'x is ' in capfd.readouterr().out
    report = assay.check(jax.jit(jnp.sin).lower(X).compile())(X)
    assert report.ok and report.target.startswith('JAX on cpu'), report


def test_the_line_of_a_function_of_jax_is_the_one_that_checks_it() -> None:
    with pytest.raises(assay.WrongResultError) as raised:
        assay.check(jnp.sin, target=lambda module, x: np.zeros_like(x))(X)
    assert 'check_test.py' in (raised.value.report.source_line or ''), raised.value


def test_a_target_that_does_not_run_is_no_success() -> None:
    def target(module, *arguments):
        raise ValueError('it burns')

    with pytest.raises(assay.TargetError, match='it burns'):
        assay.check(jnp.sin, target=target)(X)
    assert assay.check(jnp.sin, target=target, raise_on=None)(X).verdict == 'not run'


def test_side_effects_of_tracing_happen_once() -> None:
    calls = []

    def f(x):
        calls.append(x)
        return x + 1

    assert assay.check(f)(X).ok
    assert len(calls) == 1


def test_reports_are_pickled_without_jax_objects() -> None:
    report = assay.check(model)(X, W)
    again = pickle.loads(pickle.dumps(report.to_dict()))
    assert again['verdict'] == 'right'
    diagnosed = assay.check(model, isolate=True)(X, W)
    assert pickle.loads(pickle.dumps(dataclasses.replace(diagnosed, result=None))).sentence == diagnosed.sentence


class Dlpack:
    """A tensor of a library that speaks DLPack and nothing else."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


@pytest.mark.parametrize('dtype', ['float32', 'bfloat16', 'int8', 'complex64', 'float8_e4m3fn'])
def test_arrays_of_jax_pass_without_a_copy(dtype) -> None:
    from assay._arrays import to_core

    array = jnp.arange(64).astype(dtype)
    for value in (array, Dlpack(array)):
        taken = to_core(value, 'x')
        assert taken.elements().ctypes.data == array.unsafe_buffer_pointer()
        assert taken.elements().tobytes() == np.asarray(array).tobytes()
        del taken, value
