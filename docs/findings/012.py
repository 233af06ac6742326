import jax.numpy as jnp
x = jnp.float32(1.4e-45)
print('expected', True)
print('actual', bool(jnp.isfinite(jnp.arctan2(x, x))))
