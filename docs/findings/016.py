import jax, jax.numpy as jnp
MODULE = '''func.func @main(%x: tensor<complex<f32>>) -> tensor<complex<f32>> {
  %r = stablehlo.sine %x : tensor<complex<f32>>  return %r : tensor<complex<f32>> }'''
run = jax.devices()[0].client.compile_and_load(MODULE, jax.devices()[:1]).execute_sharded
r = run([jnp.complex64(100j)]).disassemble_into_single_device_arrays()[0][0]
print('expected', [0.0, float('inf')])
print('actual', [float(r.real), float(r.imag)])
