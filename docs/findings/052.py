import jax, jax.numpy as jnp
from jax import lax
f = jax.jit(lambda x, y: lax.log(lax.pow(x, y)))
print('expected', [jnp.nan, 0.0])
print('actual', f(jnp.float32([-2, 1]), jnp.float32([3, jnp.inf])).tolist())
