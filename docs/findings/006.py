import jax, jax.numpy as jnp
MODULE = '''func.func @main(%x: tensor<3xui32>, %y: tensor<3xui32>) -> tensor<3xui32> {
  %r = stablehlo.power %x, %y : tensor<3xui32>  return %r : tensor<3xui32> }'''
x, y = [3, 3, 3], [64, 65, 2**32 - 1]
device = jax.devices()[0]
run = device.client.compile_and_load(MODULE, [device]).execute_sharded
print('expected', [pow(a, b, 2**32) for a, b in zip(x, y)])
arguments = [jnp.array(x, jnp.uint32), jnp.array(y, jnp.uint32)]
print('actual', run(arguments).disassemble_into_single_device_arrays()[0][0].tolist())
