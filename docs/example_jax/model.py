"""The function of the example in README.md."""
import jax
import jax.numpy as jnp


def f(x, w):
    return jax.nn.softmax(jnp.tanh(x @ w))
