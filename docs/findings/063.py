import jax, jax.numpy as jnp
x = jnp.array([-1e-40], jnp.float32)
print('expected', x.tolist())
print('actual', jax.jit(lambda a: jnp.where(a > 0, 0, a))(x).tolist())
