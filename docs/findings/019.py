import jax.numpy as jnp
from jax import lax
print('expected', 3.875)
print('actual', float(lax.sqrt(jnp.array(15.5, jnp.float8_e3m4))))
