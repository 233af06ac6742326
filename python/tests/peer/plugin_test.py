"""JAX on the reference interpreter by the package's entry point, beside the package itself."""

import os
import pathlib
import subprocess
import sys
import textwrap

import pytest

import assay

PLUGIN = next(
    (path for path in (
        pathlib.Path(assay.__file__).parent / 'libassay_pjrt.so',  # of a wheel
        pathlib.Path(assay.__file__).parents[2] / 'lib' / 'libassay_pjrt.so',  # of a build tree
    ) if path.exists()), None)  # fmt: skip


@pytest.mark.skipif(PLUGIN is None, reason='the plug-in is not built')
def test_programs_callbacks_and_the_package_in_one_process() -> None:
    program = """
        import numpy as np
        import assay, assay_jax
        module = assay.load('HloModule m\\nENTRY e { ROOT x = f32[] parameter(0) }')
        assert module.run(1.0) == 1
        import jax, jax.numpy as jnp
        if 'assay' not in jax._src.xla_bridge._backend_factories:
            assay_jax.initialize()  # a build tree has no entry points
        assert jax.default_backend() == 'assay', jax.default_backend()
        x = jnp.arange(3.0)
        np.testing.assert_array_equal(jnp.square(x), [0, 1, 4])
        doubled = jax.jit(lambda x: jax.pure_callback(lambda y: np.asarray(y) * 2, x, x))(x)
        np.testing.assert_array_equal(doubled, [0, 2, 4])
        jax.jit(lambda x: jax.debug.print('printed {}', x))(x)
        jax.jit(lambda x: jax.debug.print('in order {}', x, ordered=True))(x)
        jax.effects_barrier()
        # Functions go when no program calls them any more.
        import gc, weakref
        class Held:
            pass
        gone = []
        def once(i):
            held = Held()
            gone.append(weakref.ref(held))
            f = jax.jit(lambda x: jax.pure_callback(lambda y, held=held: np.asarray(y) + i, x, x))
            np.testing.assert_array_equal(f(x), np.arange(3) + i)
        for i in range(5):
            once(i)
            jax.clear_caches()
            gc.collect()
        once(5)
        assert sum(ref() is not None for ref in gone) <= 2, [ref() for ref in gone]
        np.testing.assert_array_equal(jnp.linalg.eigh(jnp.eye(2))[0], [1, 1])
        # JAX refuses this algorithm on CPU.
        assert jax.lax.dot(x, x, precision='TF32_TF32_F32') == 5
        before = jax.devices()[0].memory_stats()['bytes_in_use']
        held = jax.device_put(np.ones(1000, np.float32))
        assert jax.devices()[0].memory_stats()['bytes_in_use'] == before + 4000
        y = jax.jit(lambda x: x + 1, donate_argnums=0)(x)
        assert x.is_deleted()
        report = assay.check(jnp.tanh, isolate=True)(y)
        assert report.ok and report.profile == 'golden', str(report)
        # Programs for devices that are only described; a function that is partitioned by its author.
        from jax.experimental import topologies
        from jax.experimental.custom_partitioning import custom_partitioning
        from jax.sharding import NamedSharding, PartitionSpec
        described = topologies.make_mesh(topologies.get_topology_desc('2', 'assay'), (2,), ('x',))
        halves = NamedSharding(described, PartitionSpec('x'))
        ahead = jax.jit(jnp.linalg.eigh, in_shardings=halves, out_shardings=halves)
        assert 'num_partitions=2' in ahead.lower(jax.ShapeDtypeStruct((2, 2), y.dtype)).compile().as_text()
        split = custom_partitioning(lambda x: x + 1)
        split.def_partition(lambda mesh, args, result: 1 / 0, sharding_rule='i -> i')
        mesh = jax.make_mesh((2,), ('x',))
        x = jax.device_put(jnp.arange(4.0), NamedSharding(mesh, PartitionSpec('x')))
        # The sharding of the result is that of the argument, which XLA would propagate, too.
        once = jax.jit(split)(x)
        np.testing.assert_array_equal(once, [1, 2, 3, 4])
        assert once.sharding.spec == PartitionSpec('x'), once.sharding
        print('done', module.run(2.0))
        """
    environment = dict(os.environ, JAX_PLATFORMS='assay,cpu', ASSAY_PJRT_LIBRARY=str(PLUGIN),
                       ASSAY_DEVICES='2')  # fmt: skip
    result = subprocess.run([sys.executable, '-c', textwrap.dedent(program)], env=environment,
                            capture_output=True, text=True, timeout=120)  # fmt: skip
    assert result.returncode == 0, result.stderr[-3000:]
    assert 'done 2.0' in result.stdout
    assert 'printed [0. 1. 2.]' in result.stdout and 'in order [0. 1. 2.]' in result.stdout
