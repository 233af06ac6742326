import jax, jax.numpy as jnp
SELECT = '''func.func @main(%x: tensor<2x2xf32>, %s: tensor<1x2xf32>, %i: tensor<f32>) -> tensor<2x2xf32> {
  %r = "stablehlo.select_and_scatter"(%x, %s, %i) ({ ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1> stablehlo.return %c : tensor<i1> }, {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>): %c = stablehlo.add %a, %b : tensor<f32> stablehlo.return %c : tensor<f32> })
    {window_dimensions = array<i64: 2, 2>, padding = dense<[[0, 0], [0, 1]]> : tensor<2x2xi64>} : (tensor<2x2xf32>, tensor<1x2xf32>, tensor<f32>) -> tensor<2x2xf32> return %r : tensor<2x2xf32> }'''
print('expected', [[0.0, 3.0], [0.0, 0.0]], flush=True)
run = jax.devices()[0].client.compile_and_load(SELECT, jax.devices()[:1]).execute_sharded
values = [jnp.array([[0.0, 8.0], [8.0, 0.0]]), jnp.array([[1.0, 2.0]]), jnp.float32(0)]
print('actual', run(values).disassemble_into_single_device_arrays()[0][0].tolist())
