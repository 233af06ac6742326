import jax, jax.numpy as jnp
MODULE = '''func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {
  %m = stablehlo.constant dense<-1> : tensor<4xi32>
  %r = stablehlo.power %x, %m : tensor<4xi32>
  return %r : tensor<4xi32> }'''
print('expected', [0, 1, -1, 0], flush=True)
run = jax.devices()[0].client.compile_and_load(MODULE, jax.devices()[:1]).execute_sharded
bases = jnp.array([0, 1, -1, 2], jnp.int32)
print('actual', run([bases]).disassemble_into_single_device_arrays()[0][0].tolist())
