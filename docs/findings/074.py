import jax, numpy as np
jax.config.update('jax_num_cpu_devices', 2)
mesh = jax.make_mesh((2,), ('d',), axis_types=(jax.sharding.AxisType.Auto,))
x = np.float32([1, np.nan, np.nan, 1])  # two elements of each device
f = jax.shard_map(lambda x: jax.lax.pmax(x, 'd'), mesh=mesh, in_specs=jax.P('d'), out_specs=jax.P())
print('expected', [float('nan')] * 2)
print('actual', jax.jit(f)(x).tolist())
