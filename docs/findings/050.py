import jax, jax.numpy as jnp
def f(x, y, z):
    return abs(x) >= 0, abs(y) >= 0, z * z >= 0, abs(z * z)
arguments = jnp.float32(jnp.nan), jnp.int8(-128), jnp.int8(12)
print('expected', [False, False, False, 112])
print('actual', [each.item() for each in jax.jit(f)(*arguments)])
