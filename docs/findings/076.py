import jax.numpy as jnp
x = jnp.ones((2, 2048), jnp.float32).at[0, 0].set(jnp.nan)
print('expected', [float('nan'), 1.0])
print('actual', jnp.max(x, axis=0)[:2].tolist())
