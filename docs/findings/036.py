import jax.numpy as jnp
from jax import lax
numbers = lax.ScatterDimensionNumbers((), (0,), (0,))
print('expected', [200, 100])
a = lax.scatter(jnp.zeros(300), jnp.array([[200]], jnp.uint8), jnp.ones(1), numbers)
b = lax.scatter(jnp.zeros(200), jnp.array([[100]], jnp.int8), jnp.ones(1), numbers)
print('actual', a.nonzero()[0].tolist() + b.nonzero()[0].tolist())
