import jax, numpy as np; jax.config.update('jax_num_cpu_devices', 2)
from jax._src.lax import parallel
mesh = jax.sharding.Mesh(np.array(jax.devices()), 'x')
P = jax.sharding.PartitionSpec
f = lambda v: parallel.all_to_all_start(v, 'x', 1, 0, tiled=True).done()
run = jax.jit(jax.shard_map(f, mesh=mesh, in_specs=P('x'), out_specs=P('x')))
print('expected', [[0.0], [2.0], [1.0], [3.0]], flush=True)
print('actual', run(np.arange(4, dtype=np.float32).reshape(2, 2)).tolist())
