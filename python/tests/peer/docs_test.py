"""The recipes of docs/python.md work as they are printed."""

import contextlib
import io
import os
import pathlib
import re

import pytest

PAGE = pathlib.Path(os.environ.get('ASSAY_SOURCE_DIR', pathlib.Path(__file__).parents[3])) / 'docs/python.md'


@pytest.mark.skipif(not PAGE.exists(), reason='the page is not part of the wheel')
def test_the_page() -> None:
    text = PAGE.read_text()
    blocks = re.findall(r'```python\n(.*?)```', text, re.S)
    assert len(blocks) >= 4
    output = io.StringIO()
    names: dict[str, object] = {}
    with contextlib.redirect_stdout(output):
        for block in blocks:
            exec(compile(block, str(PAGE), 'exec'), names)
    printed = output.getvalue()
    expected = re.search(r"prints on XLA's CPU backend\n\n```text\n(.*?)```", text, re.S)[1]
    # The distance depends on the vector instructions of the machine.
    words = re.sub(r'[\d.]+', '#', expected)
    assert re.sub(r'[\d.]+', '#', printed).startswith(words), printed
    for line in ('[0. 2. 4.]', 'The module is legal.', "{'add': 1, 'parameter': 1}", 'ulp over all 65,536'):
        assert line in printed
