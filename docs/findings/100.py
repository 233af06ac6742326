import jax, numpy as np
inf, nan = np.inf, np.nan
x = np.array([complex(inf, nan), complex(-inf, nan), complex(nan, inf)], np.complex64)
print('expected', np.abs(x).tolist())
print('actual', jax.jit(jax.lax.abs)(x).tolist())
