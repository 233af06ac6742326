import jax, jax.numpy as jnp
table = jnp.arange(32.).reshape(16, 2)
index = jnp.ones(16, jnp.int4)
print('expected', table[:, 1].tolist(), flush=True)
print('actual', jax.jit(jax.vmap(lambda row, i: row[i]))(table, index).tolist())
