import jax, jax.numpy as jnp
jax.config.update('jax_num_cpu_devices', 2)
sharding = jax.NamedSharding(jax.make_mesh((2,), 'x'), jax.P('x'))
f = lambda x, i: jax.lax.dynamic_slice(x, (i,), (2,))
sharded = jax.jit(f, in_shardings=(sharding, None), out_shardings=sharding)
print('expected', [6, 7])
print('actual', sharded(jnp.arange(8), jnp.int32(7)).tolist())
