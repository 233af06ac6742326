import jax
from jax import lax
print('expected', [2, 15])
loop = lambda a: lax.while_loop(lambda s: s[0] < 1, lambda s: (s[0] + 2, s[1] * 3), (0, a))
print('actual', [int(x) for x in jax.jit(loop)(5)])
