import jax, jax.numpy as jnp
f = jax.jit(lambda x: (x * jnp.float32(1e-25)) * jnp.float32(1e-25))
g = jax.jit(lambda x: (x * jnp.float32(1e25)) * jnp.float32(1e25))
h = jax.jit(lambda x: (x + jnp.float32(3e38)) + jnp.float32(3e38))
results = f(jnp.float32(1e30)), g(jnp.float32(1e-30)), h(jnp.float32(-3e38))
print('expected', [1e-20, 1e20, 3e38])
print('actual', [float(f'{x:.6g}') for x in results])
