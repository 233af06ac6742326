import jax, jax.numpy as jnp
jax.config.update('jax_num_cpu_devices', 2)
sharding = jax.NamedSharding(jax.make_mesh((2,), 'x'), jax.P('x'))
f = lambda x, i: jax.lax.dynamic_update_slice(x, jnp.array([99]), (i,))
sharded = jax.jit(f, in_shardings=(sharding, None), out_shardings=sharding)
print('expected', [0, 1, 2, 99])
print('actual', sharded(jnp.arange(4), jnp.int32(7)).tolist())
