"""ops, profiles, graph and accuracy, without JAX."""

import re

import ml_dtypes
import numpy as np
import pytest

import assay


def test_operations_are_found_by_all_their_names() -> None:
    assert len(assay.ops) > 100 and 'gather' in assay.ops and 'gatherer' not in assay.ops
    assert assay.ops['gather'].name == 'gather'
    assert assay.ops['exp'].name == assay.ops['stablehlo.exponential'].name == 'exponential'
    assert assay.ops['lax.dot_general'].name == 'dot'
    assert 'exp' in assay.ops['exponential'].aliases
    assert set(assay.ops['popcnt'].types) >= {'s32', 'u8'} and 'f32' not in assay.ops['popcnt'].types
    assert 'offset_dims' in str(assay.ops['gather'])
    with pytest.raises(KeyError, match='did you mean gather'):
        assay.ops['gathr']


def test_profiles_are_listed() -> None:
    assert set(assay.profiles()) >= {'golden', 'xla-cpu', 'gpu', 'tpu-like'}


def test_graphs_are_drawn(add_tanh: assay.Module) -> None:
    graph = add_tanh.graph()
    assert graph.dot.startswith('digraph')
    picture = graph._repr_svg_()
    assert picture.count('<rect') == 4 and picture.count('<path') == 3
    tops = {name: int(re.search(rf'y="(\d+)"[^>]*>{name}<', picture)[1]) for name in ('x', 'sum', 'result')}
    assert tops['x'] < tops['sum'] < tops['result']
    loops = assay.load("""HloModule m
      body { s = s32[] parameter(0) ROOT n = s32[] negate(s) }
      condition { s = s32[] parameter(0) ROOT c = pred[] compare(s, s), direction=NE }
      ENTRY e { x = s32[] parameter(0) ROOT w = s32[] while(x), condition=condition, body=body }""")
    drawn = loops.graph()._repr_svg_()
    assert 'while' in drawn
    # Each computation stands by itself under its name, the entry first.
    places = [drawn.index(f'font-weight="bold" fill="currentColor">{name}<') for name in ('ENTRY e', 'body', 'condition')]
    assert places[0] == min(places)


def test_the_error_of_a_function_over_all_arguments() -> None:
    measure = assay.accuracy('exp', 'bf16')
    assert measure.count == 1 << 16 and measure.exhaustive

    def rounded(x):
        with np.errstate(all='ignore'):
            return np.exp(x.astype(np.float64)).astype(ml_dtypes.bfloat16)

    right = measure(rounded)
    assert right.worst <= 0.5 and right.special == 0 and right.correctly_rounded == 1 << 16
    one = np.array(1, ml_dtypes.bfloat16)

    def bad_at_one(x):
        result = rounded(x)
        result[x == one] = 3  # e is 2.71828, bf16 has 2^-6 there
        return result

    wrong = measure(bad_at_one)
    assert wrong.worst == pytest.approx((3 - np.e) * 64, rel=1e-9)
    assert wrong.worst_at == (1.0,) and wrong.worst_actual == 3
    assert wrong.correctly_rounded == right.correctly_rounded - 1

    def nan_at_zero(x):
        return np.where(x == 0, np.array(np.nan, x.dtype), rounded(x))

    special = measure(nan_at_zero)
    assert special.special == 2 and special.special_at == (0.0,)  # both zeros
    assert 'NaN' in special.sentence
    assert len(wrong.plot['ulp']) == len(wrong.plot['argument']) >= 128
    assert max(wrong.plot['ulp']) == wrong.worst and '<svg' in wrong._repr_html_()
    # Letters and lines have the colour of the page, which may be dark.
    picture = wrong._repr_svg_()
    assert 'fill="currentColor"' in picture and picture.count('stroke="currentColor"') == 3


def test_samples_of_wide_types_and_pairs_of_narrow_ones() -> None:
    tangent = assay.accuracy('tanh', 'f32', samples=4096)
    assert tangent.count == 4096 and not tangent.exhaustive
    report = tangent(lambda x: np.tanh(x.astype(np.float64)).astype(np.float32))
    assert report.worst <= 0.5 + 1e-6
    add = assay.accuracy('add', 'f8e4m3fn')
    assert add.count == 1 << 16 and add.exhaustive

    def exact_sum(x, y):
        return (x.astype(np.float32) + y.astype(np.float32)).astype(ml_dtypes.float8_e4m3fn)

    assert add(exact_sum).worst <= 0.5
    assert assay.accuracy('sine', 'f64', samples=256)(np.sin).worst < 1


def test_accuracy_refuses_what_it_cannot_measure() -> None:
    with pytest.raises(assay.NotFoundError, match=r"no operation 'tanhh' \(did you mean tanh"):
        assay.accuracy('tanhh', 'bf16')
    for operation, type_ in (('exp', 's32'), ('and', 'u8'), ('exp', 'f31')):
        with pytest.raises(assay.InvalidArgumentError):
            assay.accuracy(operation, type_)
    with pytest.raises(assay.UnsupportedError):
        assay.accuracy('dot', 'f32')
    with pytest.raises(assay.InvalidArgumentError, match='shape'):
        assay.accuracy('exp', 'f16')(lambda x: x[:-1])
    with pytest.raises(assay.InvalidArgumentError, match='float64'):
        assay.accuracy('exp', 'f16')(lambda x: x.astype(np.float64))
