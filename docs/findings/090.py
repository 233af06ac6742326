import os
os.environ['XLA_FLAGS'] = '--xla_cpu_use_fusion_emitters=false'
import jax, jax.numpy as jnp
x = jnp.float32([-1e-30, -1e-4, 1e-30, -1.])
print('expected', [0., 0., 0., -1.])
print('actual', jax.jit(lambda x: x.astype(jnp.float8_e4m3fnuz))(x).astype(jnp.float32).tolist())
