import jax, jax.numpy as jnp
MODULE = '''func.func @main(%x: tensor<1x2xf32>, %s: tensor<2xf32>, %o: tensor<2xf32>, %m: tensor<2xf32>, %v: tensor<2xf32>) -> tensor<1x2xf32> {
  %r = "stablehlo.batch_norm_inference"(%x, %s, %o, %m, %v) {epsilon = 0.0 : f32, feature_index = 1 : i64} :
      (tensor<1x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2xf32>
  return %r : tensor<1x2xf32> }'''
arguments = [jnp.float32(a) for a in ([[100000008., 2.**66]], [0.3, 2.**64], [0., 0.], [1e8, 2.**66 + 2.**56], [1., 1.])]
print('expected', [round(8 * 0.3, 4), -2.**56 * 2.**64], flush=True)
run = jax.devices()[0].client.compile_and_load(MODULE, jax.devices()[:1]).execute_sharded
print('actual', [round(v, 4) if abs(v) < 1e30 else v for v in run(arguments).disassemble_into_single_device_arrays()[0][0].tolist()[0]])
