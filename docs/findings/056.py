import jax, jax.numpy as jnp
from jax import lax
@jax.jit
def f(x, i, j):
    return lax.dynamic_slice(lax.dynamic_slice(x, (i,), (6,)), (j,), (4,))
print('expected', [5, 6, 7, 8])
print('actual', f(jnp.arange(10), 7, 1).tolist())
