import jax, jax.numpy as jnp
from jax import lax
low, x, high = jnp.int32(0), jnp.int32(5), jnp.int32(-3)
print('expected', max(0, min(max(5, 0), -3)))
print('actual', int(jax.jit(lambda low, x, high: jnp.maximum(low, lax.clamp(low, x, high)))(low, x, high)))
