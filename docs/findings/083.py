import jax, jax.numpy as jnp
x = jnp.array([jnp.nan, jnp.inf, 2.0], jnp.float32)
mask = jnp.array([False, False, True])
print('expected', (x * mask.astype(jnp.float32)).tolist())
print('actual', jax.jit(lambda a, m: a * m.astype(jnp.float32))(x, mask).tolist())
