import jax.numpy as jnp
from jax import lax
print('expected', 0.0)
print('actual', abs(float(lax.rsqrt(jnp.complex64(1.4e-45)).imag)))
