import jax.numpy as jnp
from jax import lax
r = lax.mul(jnp.complex64(1.67865343e19 + 9.43628323e19j), jnp.complex64(1.61837914e18 + 3.67494884e18j))
print('expected', [-3.196e38, 2.144e38])
print('actual', [float(f'{float(x):.4g}') for x in (r.real, r.imag)])
