import jax, jax.numpy as jnp, numpy as np
from jax import lax
def add(a, updates):
    numbers = lax.ScatterDimensionNumbers(update_window_dims=(), inserted_window_dims=(), scatter_dims_to_operand_dims=())
    return lax.scatter_add(a, jnp.zeros((3, 0), jnp.int32), updates, numbers)
print('expected', 7)
print('actual', int(jax.jit(add)(np.int32(1), np.array([1, 2, 3], np.int32))))
