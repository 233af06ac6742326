import jax, jax.numpy as jnp
jax.config.update('jax_enable_x64', True)
MODULE = '''func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<complex<f64>> {
  %r = stablehlo.bitcast_convert %x : (tensor<2xcomplex<f32>>) -> tensor<complex<f64>>
  return %r : tensor<complex<f64>> }'''
print('expected', 1 + 0j, flush=True)
run = jax.devices()[0].client.compile_and_load(MODULE, jax.devices()[:1]).execute_sharded
argument = jnp.array([1.875j, 0], jnp.complex64)
print('actual', run([argument]).disassemble_into_single_device_arrays()[0][0].item())
