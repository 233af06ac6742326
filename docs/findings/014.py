import jax.numpy as jnp
from jax import lax
r = lax.log1p(jnp.complex64(-1 + 1.18e-38j))
print('expected', [-87.33, 1.571])
print('actual', [float(f'{x:.4g}') for x in (r.real, r.imag)])
