import jax, jax.numpy as jnp
from jax import lax
f = jax.jit(lambda x: lax.max(x, jnp.array(-1, jnp.int2)))
print('expected', [-1, -1, 0, 1])
print('actual', f(jnp.array([-2, -1, 0, 1], jnp.int2)).astype(int).tolist())
