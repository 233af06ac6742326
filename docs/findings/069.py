import jax.numpy as jnp
from jax import lax
x = jnp.stack([jnp.ones((3, 3, 4)), 100 * jnp.ones((3, 3, 4))])
y = lax.conv_general_dilated(x, jnp.ones((2, 3, 4, 1)), (1, 1), ((-1, 1), (0, 0)), dimension_numbers=('NHWC', 'HWIO', 'NHWC'))
print('expected', [24, 12])
print('actual', [int(v) for v in y[0, :, 0, 0]])
