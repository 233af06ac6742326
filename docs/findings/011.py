import jax.numpy as jnp
print('expected', [1.119e-15, 4.642e-14])
print('actual', [float(f'{x:.4g}') for x in jnp.cbrt(jnp.array([1.4e-45, 1e-40], jnp.float32))])
