import numpy as np
from jax import lax
x = np.linspace(3, 4, 100001, dtype=np.float32)
print('expected', 0)
print('actual', int((np.asarray(lax.erf(x)) > 1).sum()))
