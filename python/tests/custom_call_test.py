"""Custom calls whose meaning is a Python function."""

import numpy as np
import pytest

import assay

PROGRAM = """
HloModule calls
ENTRY main {
  x = f32[3] parameter(0)
  pair = (f32[3], s32[]) custom-call(x), custom_call_target="scale_and_count", backend_config="{factor = 3 : i64}"
  scaled = f32[3] get-tuple-element(pair), index=0
  count = s32[] get-tuple-element(pair), index=1
  as_float = f32[] convert(count)
  all = f32[3] broadcast(as_float), dimensions={}
  ROOT sum = f32[3] add(scaled, all)
}
"""
X = np.array([1, 2, 3], np.float32)


def scale_and_count(call: assay.CustomCall, x: np.ndarray):
    assert call.target == 'scale_and_count' and call.config == '{factor = 3 : i64}'
    assert call.results == ((np.dtype('float32'), (3,)), (np.dtype('int32'), ()))
    return x * 3, np.int32(x.size)


CALLS = {'scale_and_count': scale_and_count}


def test_functions_give_the_value_of_calls() -> None:
    module = assay.load(PROGRAM)
    np.testing.assert_array_equal(module.run(X, custom_calls=CALLS), [6, 9, 12])
    with pytest.raises(assay.UnsupportedError, match='scale_and_count'):
        module.run(X)


def test_diff_asks_the_target_for_what_it_knows() -> None:
    def target(module, *arguments):
        return module.run(*arguments, custom_calls=CALLS)

    report = assay.diff(PROGRAM, right=target, args=(X,), custom_calls=CALLS)
    assert report.verdict == 'right', str(report)


@pytest.mark.parametrize(
    'function, message',
    [(lambda call, x: x, 'returned 1 arrays, not 2'), (lambda call, x: (x, np.zeros(2, np.int32)), r's32\[2\]'),
     (lambda call, x: (x, np.float32(1.5)), 'f32'), (lambda call, x: ('a', 1), 'str'), (lambda call: 1, 'argument'),
     (lambda call, x: 1 / 0, 'division by zero')],
)  # fmt: skip
def test_functions_that_return_nonsense_or_raise(function, message: str) -> None:
    with pytest.raises(assay.Error, match=message):
        assay.load(PROGRAM).run(X, custom_calls={'scale_and_count': function})


@pytest.mark.parametrize('calls', [3, ['a'], {'a': 1}, {1: print}])
def test_what_is_no_dictionary_of_functions(calls) -> None:
    with pytest.raises(assay.InvalidArgumentError, match='custom_calls'):
        assay.load(PROGRAM).run(X, custom_calls=calls)


def test_operands_cannot_be_written_to_and_exits_pass_through() -> None:
    def writes(call, x):
        x += 1
        return x, 1

    module = assay.load(PROGRAM)
    with pytest.raises(assay.TargetError, match='read-only'):
        module.run(X, custom_calls={'scale_and_count': writes})

    def leaves(call, x):
        raise SystemExit(3)

    with pytest.raises(SystemExit):
        module.run(X, custom_calls={'scale_and_count': leaves})


def test_functions_may_run_programs() -> None:
    def nested(call, x):
        tripled = assay.load('HloModule m\nENTRY e { x = f32[3] parameter(0) a = f32[3] add(x, x) '
                             'ROOT b = f32[3] add(a, x) }').run(x)  # fmt: skip
        return tripled, 3

    np.testing.assert_array_equal(
        assay.load(PROGRAM).run(X, custom_calls={'scale_and_count': nested}), [6, 9, 12]
    )
