import jax, jax.numpy as jnp
x = jnp.array([3, 2, 1, 0, 3, 2, 1, 0], jnp.uint2)
print('expected', [0, 0, 1, 1, 2, 2, 3, 3], [3, 2, 1, 0] * 4, flush=True)
print('sorted', jnp.sort(x).astype(int).tolist(), flush=True)
print('actual', jnp.sort(x).astype(int).tolist(), jnp.concatenate([x, x]).astype(int).tolist())
