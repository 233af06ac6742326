import jax.numpy as jnp
from jax import lax
r = lax.pow(jnp.float32([1e-40, 1e-44]), jnp.float32(0.25))
print('expected', True)
print('actual', all(x == 0 or abs(x / y - 1) < 1e-4 for x, y in zip(r.tolist(), (1e-10, 9.9525e-12))))
