"""load, run, verify, show. Expected values are numpy's, worked examples, or stored ones of XLA."""

import math
import pickle

import ml_dtypes
import numpy as np
import pytest

import assay
from assay._arrays import _ML_DTYPES, _NUMPY, dtype_of


def identity(name: str, sizes: tuple[int, ...]) -> assay.Module:
    shape = f'{name}[{",".join(map(str, sizes))}]'
    return assay.load(f'HloModule m\nENTRY e {{ ROOT x = {shape} parameter(0) }}')


@pytest.mark.parametrize('name', sorted({**_NUMPY, **_ML_DTYPES}))
def test_every_element_type_comes_back_with_all_its_bits(name: str) -> None:
    dtype = dtype_of(name)
    width = {'pred': 1, 's1': 1, 'u1': 1, 's2': 2, 'u2': 2, 's4': 4, 'u4': 4, 'f4e2m1fn': 4,
             'f6e2m3fn': 6, 'f6e3m2fn': 6}.get(name, 8)  # fmt: skip
    values = np.tile(np.arange(2**width, dtype=np.uint8), 16).view(dtype)
    back = identity(name, values.shape).run(values)
    assert back.dtype == dtype
    assert back.tobytes() == values.tobytes()


def test_results_are_rounded_correctly(add_tanh: assay.Module) -> None:
    x = np.array([0.1, -2, 3, 0], np.float32)
    y = np.array([1, 0.25, -3, 0], np.float32)
    expected = [np.float32(math.tanh(float(np.float32(a + b)))) for a, b in zip(x, y)]
    np.testing.assert_array_equal(add_tanh.run(x, y), np.array(expected, np.float32))


@pytest.mark.parametrize('backend', ['golden', 'cpu'])
def test_samples_give_what_xla_gave(samples, backend: str) -> None:
    for name in ('bitops_popcount_clz_shifts', 'sort_topk_argsort', 'rng_threefry'):
        module = assay.load(samples / f'{name}.hlo')
        inputs = np.load(samples / f'{name}.inputs.npz')
        expected = np.load(samples / f'{name}.expected.npz')
        arguments = []
        for key in sorted(inputs, key=lambda key: int(key.split('@')[0][3:])):
            array = inputs[key]
            arguments.append(array.view(dtype_of(key.split('@')[1])) if '@' in key else array)
        results = module.run(*arguments, backend=backend)
        results = results if isinstance(results, tuple) else (results,)
        assert len(results) == len(expected.files)
        for i, key in enumerate(sorted(expected, key=lambda key: int(key.split('@')[0][3:]))):
            assert results[i].tobytes() == expected[key].tobytes(), (name, key)


def test_tuples_pytrees_and_numbers() -> None:
    module = assay.load("""HloModule m
      ENTRY e {
        p = (f32[], s32[2]) parameter(0)
        n = s8[] parameter(1)
        a = f32[] get-tuple-element(p), index=0
        b = s32[2] get-tuple-element(p), index=1
        inner = (s32[2], s8[]) tuple(b, n)
        ROOT r = (f32[], (s32[2], s8[])) tuple(a, inner)
      }""")
    pair = np.array([7, -7], np.int32)
    for arguments in (((1.5, pair), 3), ({'a': 1.5, 'b': pair}, 3), (1.5, [pair, None], 3)):
        first, (second, third) = module.run(*arguments)
        assert first.shape == () and first.dtype == np.float32 and first == 1.5
        np.testing.assert_array_equal(second, pair)
        assert third.dtype == np.int8 and third == 3


def test_arrays_are_not_copied_and_results_are_the_users() -> None:
    module = identity('f32', (1000,))
    given = np.arange(1000, dtype=np.float32)
    result = module.run(given)
    assert not np.shares_memory(given, result)
    result[0] = 5
    assert given[0] == 0 and result.flags.writeable


def test_strided_reversed_unaligned_and_foreign_bytes() -> None:
    module = identity('s32', (2, 3))
    dense = np.arange(24, dtype=np.int32).reshape(4, 6)
    for view in (dense[::2, ::2], dense[1::2, ::-2], dense.T[:2, :3], dense[:2, :3].astype('>i4'),
                 np.frombuffer(b'\0' + dense[:2, :3].tobytes(), np.int32, offset=1).reshape(2, 3)):  # fmt: skip
        result = module.run(view)
        np.testing.assert_array_equal(result, view)
    readonly = dense[:2, :3].copy()
    readonly.flags.writeable = False
    np.testing.assert_array_equal(module.run(readonly), readonly)


def test_bits_above_narrow_values_do_not_count() -> None:
    bytes_ = np.array([0x1F, 0xF7, 0x08], np.uint8)
    result = identity('s4', (3,)).run(bytes_.view(ml_dtypes.int4))
    np.testing.assert_array_equal(result.astype(np.int32), [-1, 7, -8])
    flags = np.array([0, 1, 2, 255], np.uint8).view(np.bool_)
    assert identity('pred', (4,)).run(flags).view(np.uint8).tolist() == [0, 1, 1, 1]


def test_empty_and_scalar_arrays() -> None:
    assert identity('f64', (3, 0)).run(np.zeros((3, 0))).shape == (3, 0)
    assert identity('f64', ()).run(np.float64(2.5)) == 2.5
    assert identity('f64', ()).run(2) == 2.0


class Dlpack:
    """Any library that speaks DLPack and nothing else."""

    def __init__(self, array, device=None):
        self._array = array
        self._device = device

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._device or self._array.__dlpack_device__()


def test_dlpack() -> None:
    given = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.testing.assert_array_equal(identity('f32', (2, 3)).run(Dlpack(given)), given)
    np.testing.assert_array_equal(identity('f32', (3, 2)).run(Dlpack(given.T)), given.T)
    with pytest.raises(assay.InvalidArgumentError, match='lies on a device'):
        identity('f32', (2, 3)).run(Dlpack(given, device=(2, 0)))


def test_verify_says_every_finding() -> None:
    module = assay.load("""HloModule m
      ENTRY e {
        x = f32[4] parameter(0)
        y = s32[4] parameter(1)
        a = f32[4] add(x, y)
        ROOT r = f32[5] negate(a)
      }""")
    found = module.verify()
    assert not found and len(found.findings) == 2
    assert [each.instruction for each in found.findings] == ['a', 'r']
    assert 'add' in str(found) and found.to_dict()['findings'][0]['line'] == 5
    assert len(module.verify(max_findings=1).findings) == 1
    assert module.verify(max_findings=1).left_out == 1
    with pytest.raises(assay.InvalidArgumentError, match='a ='):
        module.run(np.zeros(4, np.float32), np.zeros(4, np.int32))


def test_show_in_every_form_reads_back(add_tanh: assay.Module) -> None:
    for form in ('text', 'short', 'default', 'canonical', 'proto', 'textproto', 'stablehlo',
                 'stablehlo-generic', 'stablehlo-artifact', 'stablehlo-artifact=1.0.0'):  # fmt: skip
        shown = add_tanh.show(form)
        assert isinstance(shown, bytes) == (form == 'proto' or 'artifact' in form)
        again = assay.load(shown)
        assert again.stats()['opcodes'] == add_tanh.stats()['opcodes']
    assert add_tanh.show('dot').startswith('digraph')
    with pytest.raises(assay.InvalidArgumentError, match="no format 'pdf'"):
        add_tanh.show('pdf')


def test_load_takes_paths_text_and_bytes(samples, tmp_path) -> None:
    text = (samples / 'matmul_chain.hlo').read_text()
    sizes = {assay.load(source).stats()['instructions'] for source in (
        samples / 'matmul_chain.hlo', str(samples / 'matmul_chain.hlo'), text, text.encode(),
        (samples / 'matmul_chain.pb').read_bytes(), samples / 'matmul_chain.pb',
    )}  # fmt: skip
    assert len(sizes) == 1
    with pytest.raises(assay.NotFoundError, match='no_such.hlo'):
        assay.load(tmp_path / 'no_such.hlo')


def test_snapshots_bring_their_arguments(samples) -> None:
    module = assay.load(samples / 'int8_quantized_dot.snapshot.pb')
    expected = np.load(samples / 'int8_quantized_dot.expected.npz')
    result = module.run()
    first = result[0] if isinstance(result, tuple) else result
    assert first.shape == expected['out0'].shape


def test_symbolic_dimensions() -> None:
    text = """func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
      %0 = stablehlo.add %x, %x : tensor<?xf32>
      return %0 : tensor<?xf32>
    }"""
    assert assay.load(text, sizes=[[3]]).run(np.ones(3, np.float32)).tolist() == [2, 2, 2]


def test_several_devices(samples) -> None:
    module = assay.load("""HloModule m, replica_count=2
      add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
      ENTRY e { x = f32[2] parameter(0) ROOT r = f32[2] all-reduce(x), to_apply=add }""")
    assert module.devices == 2
    one, two = np.array([1, 2], np.float32), np.array([10, 20], np.float32)
    for result in module.run(by_device=[[one], [two]]):
        np.testing.assert_array_equal(result, one + two)
    assert [result.tolist() for result in module.run(one)] == [[2, 4], [2, 4]]
    with pytest.raises(assay.InvalidArgumentError, match='3 devices'):
        module.run(by_device=[[one]] * 3)


def test_random_arguments_depend_on_the_seed_alone(add_tanh: assay.Module) -> None:
    first, again, other = (add_tanh.random_arguments(seed) for seed in (1, 1, 2))
    assert [array.tobytes() for array in first] == [array.tobytes() for array in again]
    assert [array.tobytes() for array in first] != [array.tobytes() for array in other]
    add_tanh.run(*first)


def test_modules_are_pickled(add_tanh: assay.Module) -> None:
    again = pickle.loads(pickle.dumps(add_tanh))
    assert again.show('text') == add_tanh.show('text')


def test_budgets_are_exceptions_by_code(add_tanh: assay.Module) -> None:
    x = np.zeros(4, np.float32)
    for name, value in {'steps': 1, 'elements': 3}.items():
        with pytest.raises(assay.BudgetError) as caught:
            add_tanh.run(x, x, **{name: value})
        assert caught.value.code == 'RESOURCE_EXHAUSTED'
    large = assay.load("""HloModule m
      ENTRY e { x = f32[] parameter(0) ROOT b = f32[1000000] broadcast(x), dimensions={} }""")
    with pytest.raises(assay.BudgetError, match='bytes'):
        large.run(1.0, bytes=1_000_000)
    add_tanh.run(x, x, steps=None, bytes=None, seconds=None, threads=1)
    with pytest.raises(assay.InvalidArgumentError):
        add_tanh.run(x, x, steps=-3)
    with pytest.raises(TypeError, match='speed'):
        add_tanh.run(x, x, speed=3)
