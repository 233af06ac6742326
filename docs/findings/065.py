import jax, numpy as np
from jax import lax
jax.config.update('jax_enable_x64', True)
r = complex(lax.tanh(np.complex128(3.4310354900562655e-05 + 1.5712008981773946j)))
print('expected', True)
print('actual', abs(r - (208.12419599512148 - 2454.1012383890138j)) <= 64 * np.spacing(abs(r)))
