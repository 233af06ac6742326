import jax, numpy as np; jax.config.update('jax_enable_x64', True)
MODULE = '''func.func @main(%s: tensor<2xui64>) -> tensor<8xf32> {
  %t, %b = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8xf32>)
  return %b : tensor<8xf32> }'''
print('expected', 'float32', flush=True)
run = jax.devices()[0].client.compile_and_load(MODULE, jax.devices()[:1]).execute_sharded
result = run([jax.device_put(np.uint64([1, 2]))]).disassemble_into_single_device_arrays()[0][0]
print('actual', np.asarray(result).dtype)
