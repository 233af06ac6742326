import jax, numpy as np
from jax.lax import bitcast_convert_type
jax.config.update('jax_enable_x64', True)
print('expected', [[0, 0], [0, 16368]], flush=True)
print('actual', jax.jit(lambda x: bitcast_convert_type(bitcast_convert_type(x, np.int32), np.int16))(1.0).tolist())
