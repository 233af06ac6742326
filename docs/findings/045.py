import jax, jax.numpy as jnp
from jax import lax
x = jnp.arange(300)
print('expected', [200, 200])
a = jax.jit(lambda x: x[jnp.uint8(200)])(x)
b = jax.jit(lambda x: lax.dynamic_slice(x, (jnp.uint8(200),), (1,)))(x)
print('actual', [int(a), int(b[0])])
