import jax.numpy as jnp
from jax import lax
a = jnp.ones((2, 3), jnp.int4)
print('expected', [[3, 3], [3, 3]], flush=True)
print('actual', lax.dot(a, a.T, preferred_element_type=jnp.int32).tolist())
