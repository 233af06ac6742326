import jax, jax.numpy as jnp
f = jax.jit(lambda x: x / jnp.float32(3e38))
print('expected', [1.0, jnp.inf])
print('actual', f(jnp.float32([3e38, jnp.inf])).tolist())
