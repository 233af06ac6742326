import jax, jax.numpy as jnp
MODULE = '''func.func @main(%a: tensor<2xf16>, %b: tensor<2xf8E8M0FNU>) -> tensor<f16> {
  %r = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : (tensor<2xf16>, tensor<2xf8E8M0FNU>) -> tensor<f16>
  return %r : tensor<f16> }'''
print('expected', 2.5, flush=True)
run = jax.devices()[0].client.compile_and_load(MODULE, jax.devices()[:1]).execute_sharded
values = [jnp.array([0.75, 1.75], jnp.float16), jnp.ones(2, jnp.float8_e8m0fnu)]
print('actual', run(values).disassemble_into_single_device_arrays()[0][0].tolist())
