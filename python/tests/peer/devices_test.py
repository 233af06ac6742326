"""assay.check on functions that run on several devices of XLA's CPU backend."""

import os
import subprocess
import sys
import textwrap

PROGRAM = """
    import jax, jax.numpy as jnp, numpy as np
    from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
    import assay
    mesh = jax.make_mesh((2, 2), ('x', 'y'), axis_types=(AxisType.Auto,) * 2)
    a = jax.device_put(jnp.arange(64.0).reshape(8, 8) / 10, NamedSharding(mesh, P('x', 'y')))
    b = jax.device_put(jnp.ones((8, 4)) / 3, NamedSharding(mesh, P('y', None)))

    # Partitioned by XLA: judged with the bounds of the whole program.
    report = assay.check(lambda a, b: jnp.tanh(a @ b))(a, b)
    assert report.ok and report.target == 'JAX on cpu:0 and 3 more devices', str(report)
    assert report.whole['elements']['not judgeable'] == 0, report.whole
    assert len(report.result.sharding.device_set) == 4

    # Partitioned by hand: the instructions are judged alone, the whole where it is the golden one.
    summed = jax.shard_map(lambda a, b: jax.lax.psum(a @ b, 'y'), mesh=mesh,
                           in_specs=(P('x', 'y'), P('y', None)), out_specs=P('x', None))
    report = assay.check(summed, isolate=True)(a, b)
    assert report.verdict == 'not judged' and 'exchange is not judged' in report.sentence, str(report)
    assert report.first_wrong is None and report.raise_if() is report
    assert [each['opcode'] for each in report.instructions] == ['dot']
    gathered = jax.shard_map(lambda a: jax.lax.all_gather(a, 'x', tiled=True) + jax.lax.axis_index('y'),
                             mesh=mesh, in_specs=P('x', 'y'), out_specs=P(None, 'y'), check_vma=False)
    assert 'golden one' in assay.check(gathered)(a).sentence
    mapped = jax.pmap(lambda x: jax.lax.psum(x, 'i'), axis_name='i')
    assert assay.check(mapped)(jnp.arange(8.0).reshape(4, 2)).ok

    # A device whose sums are wrong, and one whose products are.
    class Wrong:
        __name__ = 'wrong'
        lower = staticmethod(jax.jit(gathered).lower)
        def __call__(self, a):
            return jax.jit(gathered)(a) + 1
    report = assay.check(Wrong(), raise_on=None)(a)
    assert report.verdict == 'not judged' and not report.ok, str(report)
    def wrong_dot(module, *arguments):
        results = module.run(*arguments)
        return jax.tree.map(lambda each: each * np.float32(1.01), results) if ' dot(' in module.show('short') else results
    report = assay.check(summed, target=wrong_dot, profile='xla-cpu', raise_on=None)(a, b)
    assert report.first_wrong['opcode'] == 'dot' and 'psum(a @ b' in report.source_line, str(report)
    print('done')
    """


def test_programs_on_four_devices(tmp_path) -> None:
    file = tmp_path / 'devices.py'
    file.write_text(textwrap.dedent(PROGRAM))
    environment = dict(os.environ, JAX_PLATFORMS='cpu', XLA_FLAGS='--xla_force_host_platform_device_count=4')
    result = subprocess.run([sys.executable, str(file)], env=environment, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0 and 'done' in result.stdout, result.stderr[-3000:]
