import jax, numpy as np
from jax import lax
f = lambda x, y: lax.log(lax.pow(x, y), accuracy=lax.AccuracyMode.HIGHEST)
print('expected', [float(np.log(np.float32(8)))])
print('actual', jax.jit(f)(np.float32([2]), np.float32([3])).tolist())
