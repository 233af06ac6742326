import jax, jax.numpy as jnp
@jax.jit
def update(x, i):
    return jax.lax.dynamic_update_slice(x, jnp.array([-1]), (i,), allow_negative_indices=False)
print('expected', [200, 100])
a = update(jnp.arange(300), jnp.uint8(200))
b = update(jnp.arange(200), jnp.int8(100))
print('actual', (a == -1).nonzero()[0].tolist() + (b == -1).nonzero()[0].tolist())
