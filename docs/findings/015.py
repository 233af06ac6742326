import jax.numpy as jnp
from jax import lax
r = lax.sign(jnp.complex64(-2e38 + 3e38j))
print('expected', [-0.5547, 0.8321])
print('actual', [float(f'{x:.4g}') for x in (r.real, r.imag)])
