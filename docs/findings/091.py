import jax, numpy as np
from jax import lax
groups, each = 4125, 4
x, k = np.arange(groups * each).reshape(-1, 1) % 8 + 1, np.arange(groups).reshape(1, -1) % 4 + 1
convolve = lambda x, k: lax.conv_general_dilated(x, k, (), (), dimension_numbers=('NC', 'IO', 'NC'), batch_group_count=groups)
y = jax.jit(convolve)(x.astype(np.float16), k.astype(np.float16))
print('expected', 0)  # wrong elements
print('actual', int(np.sum(np.asarray(y) != x.reshape(groups, each).T * k)))
