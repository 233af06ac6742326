import jax.numpy as jnp
from jax import lax
print('expected', [1, 2, 2, 3, 2, 3, 3, 4])
print('actual', lax.population_count(jnp.arange(-8, 0).astype(jnp.int4)).astype(int).tolist())
