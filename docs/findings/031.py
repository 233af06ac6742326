import jax, jax.numpy as jnp
MODULE = '''func.func @main(%x: tensor<complex<f32>>) -> tensor<complex<f32>> {
  %r = stablehlo.sine %x : tensor<complex<f32>>  return %r : tensor<complex<f32>> }'''
run = jax.devices()[0].client.compile_and_load(MODULE, jax.devices()[:1]).execute_sharded
print('expected', 2.0**-30)
print('actual', float(run([jnp.complex64(2.0**-30 * 1j)]).disassemble_into_single_device_arrays()[0][0].imag))
