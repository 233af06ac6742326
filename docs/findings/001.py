import jax, jaxlib, jax.numpy as jnp
from jax._src.lib import xla_client as xc
HLO = '''HloModule m
ENTRY e { a = f32[3] parameter(0) o = f32[3] parameter(1) z = s64[1] constant({0}) n = s64[1] constant({2})
  ROOT r = f32[3] ragged-all-to-all(a, o, z, n, z, n), replica_groups={{0}} }'''
proto = xc.hlo.hlo_module_from_text(HLO).as_serialized_hlo_module_proto()
module = jaxlib._jax.mlir.xla_computation_to_mlir_module(xc.hlo.XlaComputation(proto))
print('expected', [1.0, 1.0, 0.0], flush=True)
run = jax.devices()[0].client.compile_and_load(module, jax.devices()[:1]).execute_sharded
print('actual', run([jnp.ones(3), jnp.zeros(3)]).disassemble_into_single_device_arrays()[0][0].tolist())
