import jax, jax.numpy as jnp
def f(x, y, z):
    return jnp.stack([abs(x) >= 0, abs(y) >= 0, z * z >= 0])
arguments = jnp.float32(jnp.nan), jnp.int8(-128), jnp.int8(12)
print('expected', [False, False, False])
print('actual', jax.jit(f)(*arguments).tolist())
