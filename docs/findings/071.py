import jax
from jax import lax
print('expected', [1, 5])
loop = lambda a: lax.while_loop(lambda s: s[0] <= 0, lambda s: (s[0] + 2, s[1] * 3), (1, a))
print('actual', [int(x) for x in jax.jit(loop)(5)])
