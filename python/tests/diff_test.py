"""diff, triage and suite with targets that are wrong on purpose, and their reports."""

import dataclasses
import json
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import assay

X = np.linspace(-2, 2, 4, dtype=np.float32)


def wrong_tanh(module, *arguments):
    """An implementation whose tanh is a quarter too large in its first element."""
    result = module.run(*arguments)
    if 'tanh' in module.show('short'):
        result = result.copy()
        result.flat[0] += 0.25
    return result


def test_the_first_wrong_instruction_is_named(add_tanh: assay.Module) -> None:
    report = assay.diff(add_tanh, right=wrong_tanh, args=(X, X))
    assert isinstance(report, assay.Report)
    assert report.verdict == 'wrong' and not report
    wrong = report.first_wrong
    assert wrong is not None and wrong['instruction'] == 'result' and wrong['opcode'] == 'tanh'
    assert wrong['elements']['wrong'] == 1 and report.whole['verdict'] == 'wrong'
    assert '1 of 4 elements' in report.sentence and report.sentence in str(report)
    assert report.repro is not None and report.repro.module.stats()['opcodes']['tanh'] == 1
    np.testing.assert_array_equal(report.repro.arguments[0], X + X)
    with pytest.raises(assay.WrongResultError) as caught:
        report.raise_if()
    assert caught.value.report is report and isinstance(caught.value, AssertionError)
    assert report.raise_if(None) is report


def test_a_right_target_is_right(add_tanh: assay.Module) -> None:
    for target in ('golden', 'cpu', lambda module, *arguments: module.run(*arguments)):
        report = assay.diff(add_tanh, right=target, args=(X, X))
        assert report.ok and report.verdict == 'right', str(report)


def test_repro_is_saved_as_the_command_reads_it(add_tanh, tmp_path) -> None:
    report = assay.diff(add_tanh, right=wrong_tanh, args=(X, X))
    assert 'assay diff' in report.repro.save(tmp_path)
    module = assay.load(tmp_path / 'module.hlo')
    inputs, expected = np.load(tmp_path / 'inputs.npz'), np.load(tmp_path / 'expected.npz')
    np.testing.assert_array_equal(module.run(inputs['arg0']), expected['out0'])


def test_repro_is_reduced_and_its_script_asks_again(tmp_path) -> None:
    module = assay.load("""HloModule m
      ENTRY e { x = f32[100] parameter(0) y = f32[100] exponential(x) t = f32[100] tanh(y)
        ROOT z = f32[100] multiply(t, y) }""")

    def small(module, *arguments):  # an implementation whose tanh is wrong for small arguments
        result = module.run(*arguments)
        if 'tanh' in module.show('short'):
            result = np.where(abs(result) < 0.5, result * np.float32(1.01), result)
        return result

    arguments = (np.linspace(-3, 3, 100, dtype=np.float32),)
    report = assay.diff(module, right=small, args=arguments, reduce=True)
    assert report.repro.arguments[0].shape == (1,) and report.repro.detail in str(report)
    assert report.repro.actual[0] != report.repro.golden[0]
    script = tmp_path / 'repro.py'
    script.write_text(report.repro.script())
    # The function is not known to the script, which asks another target.
    environment = dict(os.environ, PYTHONPATH=os.path.dirname(os.path.dirname(assay.__file__)))
    for target, code in (('cpu', 0), ('process:exit 3', 1)):
        result = subprocess.run([sys.executable, str(script), target], capture_output=True, text=True,
                                env=environment)  # fmt: skip
        assert result.returncode == code, result.stdout + result.stderr
    assert assay.diff(module, right=small, args=arguments).repro.arguments[0].shape == (100,)


def test_reports_are_pages_with_the_graph(add_tanh, tmp_path) -> None:
    report = assay.diff(add_tanh, right=wrong_tanh, args=(X, X))
    page = report.to_html()
    assert page.startswith('<!doctype html') and 'worst element' in page and report.sentence[:20] in page
    assert '<iframe' in report._repr_html_()
    report.save(tmp_path / 'report.html')
    report.save(tmp_path / 'report.json')
    assert (tmp_path / 'report.html').read_text() == page
    assert json.loads((tmp_path / 'report.json').read_text())['verdict'] == 'wrong'
    again = pickle.loads(pickle.dumps(report))
    assert again.sentence == report.sentence and 'wrong' in again.to_html()


def test_arguments_cannot_be_written_to_by_targets(add_tanh: assay.Module) -> None:
    def writes(module, *arguments):
        arguments[0][:] = 0
        return module.run(*arguments)

    report = assay.diff(add_tanh, right=writes, args=(X, X))
    assert report.verdict == 'not run' and 'read-only' in str(report.to_dict())


def test_comparison_of_two_implementations(add_tanh: assay.Module) -> None:
    same = assay.diff(add_tanh, 'cpu', 'golden', (X, X), max_ulp=4)
    assert isinstance(same, assay.Comparison) and same.ok
    results = [add_tanh.run(X, X, backend=backend) for backend in ('cpu', 'golden')]
    assert same.rows()[0]['elements'] == 4
    assert same.rows()[0]['equal'] == np.count_nonzero(results[0] == results[1])
    assert '<th>elements</th>' in same._repr_html_()
    other = assay.diff(add_tanh, 'cpu', wrong_tanh, (X, X), max_ulp=4)
    assert not other and other.right == 'wrong_tanh' and 'wrong_tanh' in str(other)


def test_errors_of_functions_are_errors_of_the_target(add_tanh: assay.Module) -> None:
    def raises(module, *arguments):
        raise RuntimeError('the accelerator burns')

    def nothing(module, *arguments):
        return ()

    def unsupported(module, *arguments):
        raise NotImplementedError('no tanh here')

    report = assay.diff(add_tanh, right=raises, args=(X, X))
    assert report.verdict == 'not run' and 'burns' in report.whole['not_run']
    assert 'returned 0 arrays' in assay.diff(add_tanh, right=nothing, args=(X, X)).whole['not_run']
    report = assay.diff(add_tanh, right=unsupported, args=(X, X))
    assert report.whole['status'] == 'UNIMPLEMENTED'
    with pytest.raises(assay.TargetError, match='burns'):
        add_tanh.run(X, X, backend=raises)
    with pytest.raises(assay.UnsupportedError, match='no tanh'):
        add_tanh.run(X, X, backend=unsupported)


def test_unknown_names_are_listed(add_tanh: assay.Module) -> None:
    with pytest.raises(assay.InvalidArgumentError, match='golden'):
        assay.diff(add_tanh, right='silver', args=(X, X))
    with pytest.raises(assay.NotFoundError, match='xla-cpu'):
        assay.diff(add_tanh, right='cpu', args=(X, X), profile='none-such')


def test_reports_in_other_forms(add_tanh: assay.Module) -> None:
    report = assay.diff(add_tanh, right=wrong_tanh, args=(X, X))
    data = report.to_dict()
    assert data['verdict'] == 'wrong' and len(data['instructions']) == 2
    assert 'tanh' in data['repro']
    page = report._repr_html_()
    assert page.count('<tr>') == 3 and 'wrong' in page and '<details' not in page
    long = dataclasses.replace(report, instructions=report.instructions * 20)
    assert '<details><summary>40 instructions were asked alone</summary>' in long._repr_html_()
    # Without a graph the page has a light and a dark form of its own.
    assert 'color-scheme:light dark' in dataclasses.replace(report, _page=None).to_html()
    evil = assay.load('HloModule m\nENTRY e { ROOT x = f32[1] parameter(0) }')
    assert '<script>' not in assay.diff(evil, right='golden', args=(X[:1],))._repr_html_()


def test_triage_of_nothing(tmp_path) -> None:
    with pytest.raises(assay.NotFoundError, match="no file or folder '/nonexistent'"):
        assay.triage(['/nonexistent', tmp_path])


def test_triage_groups_what_is_wrong_alike(add_tanh, tmp_path) -> None:
    for name in ('a', 'b'):
        (tmp_path / f'{name}.hlo').write_text(add_tanh.show())
    (tmp_path / 'broken.hlo').write_text('HloModule')
    report = assay.triage(tmp_path, wrong_tanh)
    assert report.fails and report.groups[0]['class'] == 'wrong'
    assert report.groups[0]['operation'] == 'tanh f32'
    assert [len(group['modules']) for group in report.groups] == [2, 1]
    assert 'look first at' in report.sentence and 'broken' in str(report)
    assert not assay.triage(tmp_path / 'a.hlo', 'golden').fails


def test_suite() -> None:
    report = assay.suite('golden', 'golden', ops=['not'], jobs=1)
    assert not report.fails and report
    data = report.to_dict()
    cases = data['cases']
    assert len(cases) > 3 and all(case['op'] == 'not' for case in cases)
    assert report.to_html().startswith('<!') and 'iframe' in report._repr_html_()
    assert 'No bug found' in report.sentence and report.sentence in str(report)
    bad = assay.suite(lambda module, *arguments: module.run(*arguments), ops='sign', jobs=1)
    assert not bad.fails
    with pytest.raises(assay.InvalidArgumentError, match='no tier'):
        assay.suite(tier='slow')
    with pytest.raises(assay.InvalidArgumentError, match='glob|case'):
        assay.suite(filter='nothing/*')
