import jax.numpy as jnp
from jax import lax
def body(a, b):
    return lax.fori_loop(0, 3, lambda i, c: c + b, a)
print('expected', 18, flush=True)
print('actual', int(lax.reduce(jnp.arange(4), jnp.int32(0), body, (0,))))
