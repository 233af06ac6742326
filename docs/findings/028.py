import jax, jax.numpy as jnp
divide = jax.jit(lambda a, b: a / b)
x = jnp.complex64(2.0**127 * (1 + 1j))
r = divide(jnp.complex64(2.0**126), x)
print('expected', [0.25, -0.25])
print('actual', [float(r.real), float(r.imag)])
