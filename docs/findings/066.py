import jax.numpy as jnp
from jax import lax
x = (jnp.array([5.0, 4, 3]) * 2.0**-17).astype(jnp.float8_e5m2fnuz)
print('expected', sorted(float(v) for v in x))
print('actual', [float(v) for v in lax.sort(x)])
