import jax, numpy as np
from jax import lax
jax.config.update('jax_enable_x64', True)
x = np.linspace(-0.5, 0.5, 200001).astype(np.float32)
y = np.asarray(jax.jit(lambda x: lax.expm1(x, accuracy=lax.Tolerance(atol=0, rtol=0, ulps=1)))(x))
exact = np.expm1(x.astype(np.float64))
error = np.max(np.abs(y - exact)[x != 0] / np.spacing(np.abs(exact[x != 0]).astype(np.float32)))
print('expected at most 1 ulp')
print('actual', 'at most 1 ulp' if error <= 1 else f'{error:.1f} ulp')
