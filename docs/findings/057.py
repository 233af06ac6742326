import jax, jax.numpy as jnp
from jax import lax
print('expected', [0, 0, 0])
print('actual', [int(jax.jit(lambda: lax.clz(t(-1)))()) for t in (jnp.int32, jnp.int16, jnp.int8)])
