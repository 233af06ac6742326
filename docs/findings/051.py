import jax, jax.numpy as jnp
big, c = jnp.float32(3e38), jnp.float32(1e30)
print('expected', [1e-22, 3e38])
a = jax.jit(lambda a, b, c: a / b / c)(jnp.float32(1e38), c, c)
b = jax.jit(lambda a, b, c: a / (b / c))(big, big, big)
print('actual', [float(f'{x:.6g}') for x in (a, b)])
