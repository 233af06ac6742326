import jax.numpy as jnp
from jax import lax
x = jnp.array([2.0**-127, 1], jnp.float8_e8m0fnu)
print('expected', [2.0**-127, 1.0])
print('actual', lax.min(x, jnp.ones_like(x)).astype(float).tolist())
