import jax, jax.numpy as jnp
MODULE = '''func.func @main(%a: tensor<2xi32>, %b: tensor<2xi32>, %c: tensor<2xi32>) -> tensor<2xi32> {
  %p = stablehlo.power %b, %c : tensor<2xi32>
  %r = stablehlo.divide %a, %p : tensor<2xi32>
  return %r : tensor<2xi32> }'''
a, b, c = jnp.array([100, 7], jnp.int32), jnp.array([3, 2], jnp.int32), jnp.array([2, 1], jnp.int32)
print('expected', [100 // 3**2, 7 // 2**1], flush=True)
run = jax.devices()[0].client.compile_and_load(MODULE, jax.devices()[:1]).execute_sharded
print('actual', run([a, b, c]).disassemble_into_single_device_arrays()[0][0].tolist())
