import jax, jax.numpy as jnp
MODULE = '''func.func @main(%x: tensor<6xf32>) -> tensor<6xf32> { %r = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
  %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>  stablehlo.return %c : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<6xf32>) -> tensor<6xf32>  return %r : tensor<6xf32> }'''
run = jax.devices()[0].client.compile_and_load(MODULE, jax.devices()[:1]).execute_sharded
x = jnp.float32([1e-40, 1e-45, 2e-40, 3, -1e-40, -1])
print('expected', sorted(x.tolist(), key=abs))
print('actual', sorted(run([x]).disassemble_into_single_device_arrays()[0][0].tolist(), key=abs))
