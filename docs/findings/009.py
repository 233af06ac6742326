import jax.numpy as jnp
print('expected', [6, -6, 4])
print('actual', jnp.array([6, -6, 4], jnp.float4_e2m1fn).astype(jnp.int32).tolist())
