import jax.numpy as jnp
from jax import lax
z = jnp.complex64(100 + 2.0**-100 * 1j)
print('expected', 2.12e13)
print('actual', float(f'{lax.expm1(z).imag:.3g}'))
