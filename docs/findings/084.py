import jax, numpy as np
from jax import lax
x, k = np.int8([[100, 100, 100]]), np.int8([[7], [6], [2]])
convolve = lambda x, k: lax.conv_general_dilated(x, k, (), (), dimension_numbers=('NC', 'IO', 'NC'))
print('expected', [[(100 * (7 + 6 + 2) + 128) % 256 - 128]])  # 1500 modulo 2^8, as for arguments
print('actual', jax.jit(lambda: convolve(x, k))().tolist())
