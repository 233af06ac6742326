import jax, jax.numpy as jnp, ml_dtypes, numpy as np
x = np.full(17, 15, np.uint16).view(ml_dtypes.bfloat16)  # 15 * 2^-133
y = jax.jit(lambda x: jnp.broadcast_to(x, (2, 17)))(x)
print('expected', np.unique(x.view(np.uint16)).tolist())
print('actual', np.unique(np.asarray(y).view(np.uint16)).tolist())
