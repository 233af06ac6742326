import jax.numpy as jnp
from jax import lax
r = lax.pow(jnp.complex64(2), jnp.complex64(1e6j))
print('expected', [0.309, -0.951])
print('actual', [round(float(r.real), 3), round(float(r.imag), 3)])
