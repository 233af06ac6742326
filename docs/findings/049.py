import jax, jax.numpy as jnp
from jax import lax
f = jax.jit(lambda: lax.bitcast_convert_type(jnp.array([0x21, 0x43], jnp.uint8), jnp.int4))
print('expected', [[1, 2], [3, 4]])
print('actual', f().astype(int).tolist())
