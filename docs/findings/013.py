import jax.numpy as jnp
from jax import lax
one, big = jnp.complex64(1), jnp.complex64(3e38)
print('expected', 1.571)
print('actual', float(f'{lax.atan2(big, one).real:.4g}'))
