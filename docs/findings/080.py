import jax, jax.numpy as jnp
MODULE = '''func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %a = stablehlo.convert %x : (tensor<3xf32>) -> tensor<3xf6E2M3FN>
  %r = stablehlo.convert %a : (tensor<3xf6E2M3FN>) -> tensor<3xf32>
  return %r : tensor<3xf32> }'''
print('expected', [1.0, 7.5, -2.5], flush=True)
run = jax.devices()[0].client.compile_and_load(MODULE, jax.devices()[:1]).execute_sharded
print('actual', run([jnp.float32([1, 100, -2.5])]).disassemble_into_single_device_arrays()[0][0].tolist())
