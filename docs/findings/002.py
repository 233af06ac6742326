import jax.numpy as jnp
from jax import lax
print('expected', True, flush=True)
x = lax.rng_uniform(jnp.int8(0), jnp.int8(10), (100,))
print('actual', bool(((x >= 0) & (x < 10)).all()))
