import jax.numpy as jnp
from jax import lax
print('expected', -2.0)
print('actual', float(lax.sqrt(jnp.complex64(complex(-4, -0.0))).imag))
