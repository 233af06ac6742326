"""What users of JAX get wrong ends in an exception, and what is merely unusual works."""

import multiprocessing
import os
import subprocess
import sys
import textwrap

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import assay

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def run_python(program: str) -> subprocess.CompletedProcess[str]:
    environment = dict(os.environ, JAX_PLATFORMS='cpu', XLA_FLAGS='--xla_force_host_platform_device_count=3')
    return subprocess.run([sys.executable, '-c', textwrap.dedent(program)], env=environment,
                          capture_output=True, text=True, timeout=120)  # fmt: skip


def donated() -> jax.Array:
    array = jnp.asarray(X)
    jax.jit(lambda x: x + 1, donate_argnums=0)(array)
    assert array.is_deleted()
    return array


@pytest.mark.parametrize(
    'call',
    [lambda x: assay.check(jnp.sin)(x), lambda x: assay.check(lambda tree: tree['w'] + 1)({'w': x}),
     lambda x: assay.load(jax.jit(jnp.sin).lower(X)).run(x),
     lambda x: assay.diff(assay.load(jax.jit(jnp.sin).lower(X)), right='cpu', args=(x,))],
    ids=['check', 'leaf of a tree', 'run', 'diff'],
)  # fmt: skip
def test_donated_arrays_are_named(call) -> None:
    with pytest.raises(assay.PreconditionError, match='donated'):
        call(donated())


@pytest.mark.parametrize(
    'arguments',
    [({'w': X},), ({'w': X, 'b': X, 'c': X},), ([X, X],), ((X, X),), (X,), (), ({'w': X, 'b': [X]},),
     ({'w': X, 'b': None},), ({'x': X, 'y': X},), (X, {'w': X})],
)  # fmt: skip
def test_trees_of_another_structure(arguments) -> None:
    module = assay.load(jax.jit(lambda tree: tree['w'] + tree['b']).lower({'w': X, 'b': X}))
    np.testing.assert_array_equal(module.run({'b': X, 'w': X}), X + X)
    np.testing.assert_array_equal(module.run(X, X), X + X)  # in the order of the parameters
    with pytest.raises(assay.InvalidArgumentError):
        module.run(*arguments)


@pytest.mark.parametrize(
    'array', [X.astype(np.float64), X.astype(np.int32), X.astype(jnp.bfloat16), X > 0, X.T, X[:1]]
)
def test_types_and_shapes_of_another_program(array: np.ndarray) -> None:
    module = assay.load(jax.jit(jnp.sin).lower(X))
    with pytest.raises(assay.InvalidArgumentError, match=r'f32\[2,3\]'):
        module.run(array)


def frozen() -> np.ndarray:
    array = X.copy()
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    'array',
    [frozen(), np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2], X[::-1],
     np.frombuffer(b'\0' + X.tobytes(), np.float32, 6, 1).reshape(2, 3), np.broadcast_to(X[:1], (2, 3))],
    ids=['read-only', 'column-major', 'strided', 'reversed', 'unaligned', 'broadcast'],
)  # fmt: skip
def test_layouts_of_arrays_do_not_matter(array: np.ndarray) -> None:
    before = array.copy()
    report = assay.check(lambda x: x * 2)(array)
    assert report.ok, str(report)
    np.testing.assert_array_equal(report.result, before * 2)
    np.testing.assert_array_equal(assay.load(jax.jit(lambda x: x * 2).lower(X)).run(array), before * 2)
    np.testing.assert_array_equal(array, before)


# One program for both, as the start of JAX takes a second.
def test_the_judged_device_is_that_of_the_arguments_and_python_ends_while_programs_run() -> None:
    result = run_python("""
        import threading, time
        import jax, jax.numpy as jnp
        import assay
        first, third = (jax.device_put(jnp.arange(3.0), jax.devices()[i]) for i in (0, 2))
        report = assay.check(jnp.tanh)(third)
        assert report.ok and report.target == 'JAX on cpu:2', report.target
        try:
            assay.check(lambda x, y: x + y)(first, third)
        except ValueError as error:
            print('refused', error)
        loop = jax.jit(lambda x: jax.lax.while_loop(lambda s: s < 2_000_000_000, lambda s: s + 1, x))
        module = assay.load(loop.lower(0))
        for _ in range(2):
            threading.Thread(target=module.run, args=(0,), kwargs={'steps': None}, daemon=True).start()
        time.sleep(0.2)
        print('ends')
        """)
    assert result.returncode == 0, result.stderr[-3000:]
    assert 'refused' in result.stdout and 'incompatible devices' in result.stdout, result.stdout
    assert result.stdout.endswith('ends\n'), result.stdout
    assert 'Fatal' not in result.stderr and 'Exception' not in result.stderr and 'terminate' not in result.stderr


def test_exceptions_of_the_function_are_the_users() -> None:
    class Mine(Exception):
        pass

    def f(x):
        raise Mine('in the function')

    with pytest.raises(Mine, match='in the function'):
        assay.check(f)(X)
    with pytest.raises(jax.errors.TracerBoolConversionError):
        assay.check(lambda x: x if x.sum() > 0 else -x)(X)
    with pytest.raises(TypeError):
        assay.check(lambda x: x)(X, X)


def run_in_a_child(queue) -> None:
    module = assay.load('HloModule m\nENTRY e { x = f32[2,3] parameter(0) ROOT y = f32[2,3] negate(x) }')
    queue.put(module.run(X).tolist())


@pytest.mark.filterwarnings('ignore:os.fork')  # JAX's advice: the child does not call it
def test_a_forked_child_beside_jax_runs_programs() -> None:
    assert assay.check(jnp.negative)(X).ok
    context = multiprocessing.get_context('fork')
    queue = context.SimpleQueue()
    child = context.Process(target=run_in_a_child, args=(queue,), daemon=True)
    child.start()
    child.join(60)
    assert child.exitcode == 0
    assert queue.get() == (-X).tolist()
