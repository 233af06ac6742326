"""What users get wrong ends in an exception: never in a crash of their Python."""

import os
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import assay

X = np.zeros(4, np.float32)
# 10^11 steps: minutes, if nothing ends it.
SLOW = """
HloModule slow
body { s = s32[] parameter(0) one = s32[] constant(1) ROOT n = s32[] add(s, one) }
condition { s = s32[] parameter(0) most = s32[] constant(2000000000) ROOT c = pred[] compare(s, most), direction=LT }
ENTRY main { zero = s32[] parameter(0) ROOT w = s32[] while(zero), condition=condition, body=body }
"""


@pytest.mark.parametrize(
    'bad',
    [np.array(['a'] * 4), np.array([None] * 4), np.zeros(4, 'datetime64[s]'), object(), 'text', b'bytes', {1, 2},
     np.ma.masked_array(X, [1, 0, 0, 0]), np.zeros(4, [('a', 'f4')]), np.zeros(4, np.longdouble), lambda: 0],
)  # fmt: skip
def test_values_that_are_no_arrays(add_tanh: assay.Module, bad: object) -> None:
    with pytest.raises(assay.InvalidArgumentError, match='argument 1'):
        add_tanh.run(X, bad)


@pytest.mark.parametrize(
    'arguments, message',
    [((), 'takes 2 arrays and 0'), ((X,), 'takes 2 arrays and 1'), ((X, X, X), 'and 3 are given'),
     (([X, X], X), 'and 3 are given'), ((X, X.astype(np.float64)), r'argument 1 is f64\[4\]'),
     ((X, X[:3]), r'f32\[3\]'), ((X, X.reshape(2, 2)), r'f32\[2,2\]'), ((X, 1.0), r'f32\[\]'),
     ((None, X), 'and 1 is given'), ((X.tolist(), X), 'and 5 are given; .*numpy.asarray makes an array of a list')],
)  # fmt: skip
def test_arguments_that_do_not_fit(add_tanh: assay.Module, arguments, message: str) -> None:
    with pytest.raises(assay.InvalidArgumentError, match=message):
        add_tanh.run(*arguments)


def test_numbers_that_the_type_lacks() -> None:
    module = assay.load('HloModule m\nENTRY e { ROOT x = s8[] parameter(0) }')
    assert module.run(-128) == -128
    complex_one = assay.load('HloModule m\nENTRY e { ROOT x = c64[] parameter(0) }')
    assert complex_one.run(1) == 1 and complex_one.run(2j) == 2j
    with pytest.raises(assay.InvalidArgumentError, match='300, which is no s8'):
        module.run(300)


@pytest.mark.parametrize('program', [None, 3, 3.5, [], {}, object(), ('HloModule',), X, lambda x: x, assay])
def test_objects_that_are_no_programs(program: object) -> None:
    with pytest.raises(assay.InvalidArgumentError, match='program'):
        assay.load(program)


def test_what_is_no_function_is_refused_before_it_is_called() -> None:
    with pytest.raises(assay.InvalidArgumentError, match='int is no program'):
        assay.check(3)
    with pytest.raises(assay.InvalidArgumentError, match='function of arrays'):
        assay.accuracy('exp', 'bf16')(3)


@pytest.mark.parametrize('content', [b'', b'\0' * 100, b'ML\xefR\x0dbroken', b'\x1f\x8b\x08broken', os.urandom(4096),
                                     b'HloModule m\nENTRY e {', '{' * 100_000])  # fmt: skip
def test_bytes_that_are_no_programs(content) -> None:
    with pytest.raises(assay.Error):
        assay.load(content)


class Hostile:
    """An object that raises where one looks at it."""

    def __init__(self, **attributes) -> None:
        self._attributes = attributes

    def __getattr__(self, name: str):
        if name.startswith('__'):  # pytest looks at these
            raise AttributeError(name)
        attributes = self.__dict__.get('_attributes', {})
        if name in attributes:
            return attributes[name]
        raise RuntimeError(f'{name} cannot be read')


class Array(Hostile):
    def __array__(self, *args, **kwargs):
        return self._attributes['array'](self)


class Tensor(Hostile):
    def __dlpack__(self, **kwargs):
        return self._attributes['tensor']()

    def __dlpack_device__(self):
        return self._attributes['device']()


@pytest.mark.parametrize(
    'value',
    [Hostile(), Hostile(is_deleted=lambda: 1 / 0), Array(array=lambda self: 1 / 0), Array(array=lambda self: 'text'),
     Array(array=np.asarray), Tensor(device=lambda: None, tensor=lambda: None),
     Tensor(device=lambda: ('a', 'b'), tensor=lambda: None), Tensor(device=lambda: (1, 0), tensor=lambda: 3),
     Tensor(device=lambda: (1, 0), tensor=lambda: 1 / 0), Tensor(device=lambda: (2, 0), tensor=lambda: None),
     10**400, 1j, np.zeros(4, [('a', 'f4')]), np.zeros(4, 'V4'), memoryview(X), bytearray(16)],
)  # fmt: skip
def test_hostile_objects_are_refused(add_tanh: assay.Module, value: object) -> None:
    with pytest.raises(assay.InvalidArgumentError, match='argument 1'):
        add_tanh.run(X, value)


@pytest.mark.parametrize(
    'call',
    [lambda m: m.run(X, X, seed=-1), lambda m: m.run(X, X, seed='a'), lambda m: m.random_arguments(-1),
     lambda m: m.run(by_device=3), lambda m: m.run(by_device=[3]), lambda m: m.run(by_device=[[X, X]] * 2),
     lambda m: m.show(3), lambda m: m.show('\ud800'), lambda m: m.show('nonsense'), lambda m: assay.load('\ud800\n'),
     lambda m: assay.load(m.show(), replicas=-3), lambda m: assay.diff(m, args=3), lambda m: assay.diff(m, left=None),
     lambda m: assay.diff(m, 'cpu', 'golden', max_ulp=-1), lambda m: assay.suite(ops='not', jobs='a'),
     lambda m: assay.suite(ops='not', jobs=0), lambda m: m.run(X, X, steps=2**70), lambda m: m.run(X, X, seconds=-1)],
)  # fmt: skip
def test_options_that_are_wrong_are_named(add_tanh: assay.Module, call) -> None:
    with pytest.raises(assay.InvalidArgumentError):
        call(add_tanh)


def test_nested_beyond_reason(add_tanh: assay.Module) -> None:
    deep: object = X
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises((assay.Error, ValueError, RecursionError)):
        add_tanh.run(deep, X)
    while isinstance(deep, list):  # so that freeing it does not recurse
        deep = deep[0]


def test_targets_that_are_none(add_tanh: assay.Module) -> None:
    for target in (None, 3, 'silver', '', 'process:'):
        with pytest.raises(assay.Error):
            add_tanh.run(X, X, backend=target)
    with pytest.raises(assay.TargetError):
        add_tanh.run(X, X, backend='process:exit 3')


def test_an_argument_that_changes_while_it_runs_does_no_harm() -> None:
    module = assay.load("""HloModule m
      ENTRY e { i = s32[1000] parameter(0) t = f32[1000] parameter(1)
        ROOT g = f32[1000] gather(t, i), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0},
          index_vector_dim=1, slice_sizes={1} }""")
    indices, table = np.zeros(1000, np.int32), np.zeros(1000, np.float32)
    stop = threading.Event()

    def scribble() -> None:
        while not stop.is_set():
            indices[:] = np.random.default_rng(0).integers(-(2**31), 2**31, 1000, np.int32)

    thread = threading.Thread(target=scribble)
    thread.start()
    try:
        for _ in range(50):
            assert not module.run(indices, table).any()
    finally:
        stop.set()
        thread.join()


def test_threads_run_at_once(add_tanh: assay.Module) -> None:
    expected = add_tanh.run(X + 1, X)
    failures = []

    def work() -> None:
        for _ in range(50):
            if add_tanh.run(X + 1, X).tobytes() != expected.tobytes():
                failures.append(1)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def run_python(program: str, interrupt_after: str | None = None) -> tuple[int, str]:
    """The exit code and output of a Python program; SIGINT once it has printed the word.

    A shell starts what runs in the background with SIGINT ignored, which the program would inherit.
    """
    heard = 'import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n'
    process = subprocess.Popen([sys.executable, '-u', '-c', heard + textwrap.dedent(program)],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)  # fmt: skip
    assert process.stdout is not None
    output = ''
    if interrupt_after is not None:
        output = process.stdout.readline()
        assert interrupt_after in output, output + process.stdout.read()
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
    try:
        output += process.communicate(timeout=60)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    return process.returncode, output


@pytest.mark.parametrize('call', [
    'module.run(0)', 'module.run(0, seconds=None)', "module.run(0, backend='cpu')",
    "assay.diff(module, right='cpu', args=(0,))",
    "assay.diff(module, right=lambda module, x: x, args=(0,))",
    "assay.suite(tier='full')", "module.run(0, backend='process:sleep 100')",
])  # fmt: skip
def test_control_c_ends_work(call: str) -> None:
    start = time.monotonic()
    code, output = run_python(
        f"""
        import assay
        module = assay.load({SLOW!r})
        print('begins')
        try:
            {call}
        except KeyboardInterrupt:
            print('interrupted')
        """,
        interrupt_after='begins',
    )
    assert (code, output.splitlines()[-1]) == (0, 'interrupted'), output
    assert time.monotonic() - start < 30


def test_the_interpreter_ends_while_threads_run() -> None:
    code, output = run_python(f"""
        import threading, time, assay
        module = assay.load({SLOW!r})
        for _ in range(4):
            threading.Thread(target=module.run, args=(0,), daemon=True).start()
        time.sleep(0.3)
        print('ends')
        """)
    assert code == 0, output
    assert output.splitlines()[0] == 'ends' and 'Fatal' not in output and 'terminate' not in output


def test_forks_after_import_work(add_tanh: assay.Module) -> None:
    code, output = run_python(f"""
        import multiprocessing, os, sys
        import numpy as np
        import assay
        module = assay.load({add_tanh.show('short')!r})
        x = np.zeros(4, np.float32)
        module.run(x, x)
        for _ in range(3):
            pid = os.fork()
            if pid == 0:
                ok = not module.run(x, x).any() and not assay.suite(ops='not', jobs=2).fails
                os._exit(0 if ok else 1)
            assert os.waitpid(pid, 0)[1] == 0
        with multiprocessing.get_context('fork').Pool(2) as pool:
            assert len(pool.starmap(module.run, [(x, x)] * 4)) == 4
        print('done')
        """)
    assert (code, output.strip()) == (0, 'done'), output


def test_a_second_copy_of_the_package_is_refused(tmp_path) -> None:
    shutil.copytree(os.path.dirname(assay.__file__), tmp_path / 'assay')
    code, output = run_python(f"""
        import sys
        import assay
        for name in [name for name in sys.modules if name.partition('.')[0] == 'assay']:
            del sys.modules[name]
        sys.path.insert(0, {str(tmp_path)!r})
        try:
            import assay
        except ImportError as error:
            print(error)
        """)
    assert code == 0 and 'another copy of assay' in output, output


def test_import_does_not_import_numpy_and_leaves_no_threads() -> None:
    code, output = run_python("""
        import sys, threading
        import assay
        print('numpy' in sys.modules, 'jax' in sys.modules, threading.active_count())
        """)
    assert (code, output.strip()) == (0, 'False False 1'), output
