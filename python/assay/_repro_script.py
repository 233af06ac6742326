"""The Python program that shows a difference again, for those who have not got Assay."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay._report import Repro

_SCRIPT = '''\
#!/usr/bin/env python3
"""{title}

Runs the program on {device} and compares its results with the exact ones, rounded once. Needs JAX.
Where Assay is installed (pip install assay) it says whether the profile {profile} permits them.
"""
import base64
import io
import sys

import jax
import ml_dtypes
import numpy as np
from jax._src.lib import xla_client

jax.config.update('jax_enable_x64', True)
STABLEHLO = {stablehlo}
HLO = {hlo}
# Arrays in numpy's format, by base64.
ARGUMENTS = [
{arguments}]
EXPECTED = [
{golden}]


def array(encoded, dtype, shape):
    values = np.load(io.BytesIO(base64.b64decode(encoded)))
    return values.view(dtype).reshape(shape)


def run(device, arguments):
    options = xla_client.CompileOptions()
    options.device_assignment = xla_client.DeviceAssignment.create(np.array([[device.id]], np.int32))
    executable = device.client.compile_and_load(STABLEHLO, xla_client.DeviceList((device,)), options)
    placed = [jax.device_put(each, device) for each in arguments]
    results = executable.execute_sharded(placed).disassemble_into_single_device_arrays()
    return [np.asarray(each[0]) for each in results]


def main():
    device = jax.devices({platform})[0]
    arguments, expected = [array(*each) for each in ARGUMENTS], [array(*each) for each in EXPECTED]
    different = 0
    for i, (actual, golden) in enumerate(zip(run(device, arguments), expected)):
        # By bits: a NaN equals a NaN, and zeros have signs.
        bits = [each.reshape(-1).view(np.uint8).reshape(each.size, -1) for each in (actual, golden)]
        places = np.flatnonzero((bits[0] != bits[1]).any(axis=1))
        different += len(places)
        for place in places[:8]:
            print(f'result {{i}}, element {{place}}: actual {{actual.flat[place]!r}}, '
                  f'exact and rounded once {{golden.flat[place]!r}}')
    print(f'{{different}} elements differ')
    try:
        import assay
    except ImportError:
        return 1 if different else 0
    report = assay.diff(HLO, right=device, args=arguments, profile={profile!r})
    print(report.sentence)
    return 0 if report.ok else 1


if __name__ == '__main__':
    sys.exit(main())
'''
_ASSAY_SCRIPT = '''\
#!/usr/bin/env python3
"""{title}

Runs the program on a target and judges its results by the profile {profile}. Needs Assay.
"""
import base64
import io
import sys

import assay
import ml_dtypes
import numpy as np

HLO = {hlo}
# Arrays in numpy's format, by base64.
ARGUMENTS = [
{arguments}]
{target}


def array(encoded, dtype, shape):
    values = np.load(io.BytesIO(base64.b64decode(encoded)))
    return values.view(dtype).reshape(shape)


def main():
    arguments = [array(*each) for each in ARGUMENTS]
    report = assay.diff(HLO, right=TARGET, args=arguments, profile={profile!r})
    print(report)
    return 0 if report.ok else 1


if __name__ == '__main__':
    sys.exit(main())
'''
_ON_JAX = re.compile(r'^JAX on (\w+):\d+')


def _encoded(values: Sequence[Any]) -> str:
    """A line for each array: its elements as unsigned integers, its type and its shape."""
    import numpy as np

    lines = []
    for value in values:
        file = io.BytesIO()
        flat = np.ascontiguousarray(value).reshape(-1)
        np.save(file, flat.view(f'u{min(flat.dtype.itemsize, 8)}'), allow_pickle=False)
        text = base64.b64encode(file.getvalue()).decode()
        known = flat.dtype.name in np.sctypeDict
        dtype = f'np.{flat.dtype.name}' if known else f'ml_dtypes.{flat.dtype.name}'
        if flat.dtype.name == 'bool':
            dtype = 'np.bool_'
        lines.append(f'    ({text!r}, {dtype}, {tuple(value.shape)!r}),\n')
    return ''.join(lines)


def _quoted(text: str) -> str:
    """The text as a literal of Python that people can read."""
    if '"""' in text or text.endswith(('"', '\\')):
        return repr(text)
    return f'r"""\n{text}"""'


def _target_line(target: str) -> str:
    function = ':' not in target and target not in ('golden', 'cpu', 'cuda')
    if not function:
        return f'TARGET = {target!r}'
    return (
        f"# {target} was a Python function of (module, *arrays), which has to be imported here.\n"
        "TARGET = sys.argv[1] if len(sys.argv) > 1 else 'cpu'"
    )


def script(repro: Repro) -> str:
    """The program as text. On JAX it needs no Assay; a target of Assay's needs it."""
    on_jax = _ON_JAX.match(repro.target)
    title = f'{repro.name} is wrong on {repro.target or "a target"}.'
    if repro.detail:
        title += f'\n\n{repro.detail}'
    title = title.replace('\\', '/').replace('"""', "'''")
    words = {
        'title': title,
        'profile': repro.profile or 'xla-cpu',
        'hlo': _quoted(repro.module.show('text')),
        'arguments': _encoded(repro.arguments),
    }
    if on_jax is None:
        return _ASSAY_SCRIPT.format(target=_target_line(repro.target), **words)
    return _SCRIPT.format(
        device=f'JAX on {on_jax[1]}',
        platform=repr(on_jax[1]),
        stablehlo=_quoted(repro.module.show('stablehlo')),
        golden=_encoded(repro.golden),
        **words,
    )
