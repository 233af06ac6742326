"""The pytest plug-in: programs that JAX runs in a test are judged.

    @pytest.mark.assay(profile='xla-cpu')
    def test_model():
        model(x)                      # every program that JAX compiles and runs here is judged

    def test_layer(assay_check):
        assay_check(layer)(x, w)      # assay.check, whose report goes into the page

--assay-profile names the profile where none is given, --assay-html=FILE writes a page of all
reports.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from assay import _core
    from assay._capture import Execution
    from assay._module import Module
    from assay._report import Report

_REPORTS = pytest.StashKey[list[tuple[str, str, bool, str]]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup('assay', 'programs judged by Assay')
    group.addoption('--assay-html', metavar='FILE', help='write a page of all verdicts')
    group.addoption('--assay-profile', metavar='NAME', help="the profile of tests that name none (default: JAX's platform's)")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        'markers',
        "assay(profile=None, raise_on='wrong'): every program that JAX runs in the test is judged; "
        'a result that the profile does not permit fails the test',
    )
    config.stash[_REPORTS] = []


def _keep(config: pytest.Config, test: str, report: Report) -> None:
    config.stash[_REPORTS].append((test, str(report), report.ok, report._repr_html_()))


def _judge(execution: Execution, profile: str | None) -> Report:
    from assay import _core
    from assay._arrays import to_core
    from assay._check import _whole_report
    from assay._custom_calls import core_custom_calls
    from assay._jax import profile_of, with_callbacks
    from assay._module import load

    profile = profile or profile_of(execution.platform)
    module = load(execution.content, name=execution.name)
    actual = [[to_core(value, f'result {i}') for i, value in enumerate(execution.results)]]
    arguments = module._arguments(tuple(execution.arguments))
    text, sentence, golden = _core.judge(
        module._core, arguments, actual, profile, _core.Budget(), core_custom_calls(with_callbacks(None))
    )
    report = _whole_report(
        module, text, f'{execution.name}: {sentence}', f'JAX on {execution.platform}', profile, None, golden
    )
    if report.verdict == 'wrong':
        found = _diagnosed(module, arguments, execution.platform, profile)
        if found is not None:
            return dataclasses.replace(found, sentence=f'{execution.name}: {found.sentence}')
    return report


def _diagnosed(
    module: Module, arguments: _core.ArraysByDevice, platform: str, profile: str
) -> Report | None:
    """The first instruction that is wrong alone on the platform's first device; none if all are right."""
    import jax

    from assay import _core
    from assay._diff import diagnose
    from assay._errors import Error
    from assay._jax import device_target

    target = device_target(jax.devices(platform)[0])
    try:
        found = diagnose(module, arguments, target, profile, _core.Budget(), reduce=True)
    except Error:  # an instruction that JAX cannot run alone: the verdict on the whole stays
        return None
    return found if found.first_wrong is not None else None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    marker = item.get_closest_marker('assay')
    if marker is None:
        return (yield)
    unknown = set(marker.kwargs) - {'profile', 'raise_on'}
    if unknown or marker.args:
        raise pytest.UsageError(f'pytest.mark.assay takes profile and raise_on, not {sorted(unknown) or marker.args}')
    from assay._capture import Watch
    from assay._errors import Error, UnsupportedError

    profile = marker.kwargs.get('profile') or item.config.getoption('--assay-profile')
    raise_on = marker.kwargs.get('raise_on', 'wrong')
    executions: list[Execution] = []
    watch = Watch(executions.append)
    watch.install()
    try:
        result = yield
    finally:
        watch.remove()
    reasons, judged = list(watch.skipped), 0
    for execution in executions:
        try:
            report = _judge(execution, profile)
        except UnsupportedError as error:
            if raise_on == 'not judged':
                pytest.fail(f'{execution.name} was not judged: {error}', pytrace=False)
            reasons.append(f'{execution.name}: {error}')
            continue
        except Error as error:
            pytest.fail(f'{execution.name} could not be judged: {error}', pytrace=False)
        judged += 1
        _keep(item.config, item.nodeid, report)
        bad = report.verdict == 'wrong' or (raise_on == 'not judged' and not report.ok)
        if bad and raise_on is not None:
            pytest.fail(str(report), pytrace=False)
    if judged == 0:
        listed = ''.join(f'\n  {reason}' for reason in reasons)
        pytest.fail(f'JAX ran no program in this test that could be judged{listed}', pytrace=False)
    return result


@pytest.fixture
def assay_check(request: pytest.FixtureRequest) -> Callable[..., Callable[..., Report]]:
    """assay.check, with the profile of the command line; its reports go into --assay-html."""
    from assay._check import check

    usual = request.config.getoption('--assay-profile')

    def checked(function: Any, **options: Any) -> Callable[..., Report]:
        options.setdefault('profile', usual)
        raise_on = options.pop('raise_on', 'wrong')
        run = check(function, raise_on=None, **options)

        def call(*args: Any, **kwargs: Any) -> Report:
            __tracebackhide__ = True
            report = run(*args, **kwargs)
            _keep(request.config, request.node.nodeid, report)
            return report.raise_if(raise_on)

        return call

    return checked


def pytest_sessionfinish(session: pytest.Session) -> None:
    path = session.config.getoption('--assay-html')
    if not path:
        return
    from assay._html import escaped, page

    reports = session.config.stash[_REPORTS]
    wrong = sum(not ok for _, _, ok, _ in reports)
    sections = ''.join(
        f'<section><h2>{escaped(test)}</h2>{piece}</section>' for test, _, _, piece in reports
    )
    with open(path, 'w', encoding='utf-8') as file:
        title = f'{len(reports)} programs judged, {wrong} not right'
        file.write(page(f'Assay: {title}', f'<h1>{title}</h1>{sections}'))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    reports = config.stash[_REPORTS]
    if reports:
        wrong = sum(not ok for _, _, ok, _ in reports)
        terminalreporter.write_line(f'assay: {len(reports)} programs judged, {wrong} not right')
