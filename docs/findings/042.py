import jax, jax.numpy as jnp
jax.config.update('jax_enable_x64', True)
print('expected', [16908288.0, 1.0009765625])
a = jnp.array([2**24 + 2**16 + 1]).astype(jnp.bfloat16)
b = jnp.array([1 + 2**-11 + 2**-40]).astype(jnp.float16)
print('actual', [float(a[0]), float(b[0])])
