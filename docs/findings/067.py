import jax.numpy as jnp
from jax import lax
print('expected', [1.0, 2.0], flush=True)
print('actual', lax.reduce_window(jnp.arange(3.0), 0.0, lax.add, (1,), (1,), [(-1, 0)]).tolist())
