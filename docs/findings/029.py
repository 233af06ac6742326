import jax, jax.numpy as jnp, math
jax.config.update('jax_enable_x64', True)
x = -0.4141892
print('expected', True)
print('actual', abs(float(jnp.log1p(x)) - math.log1p(x)) <= 4 * math.ulp(math.log1p(x)))
