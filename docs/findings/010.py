import jax, jaxlib, jax.numpy as jnp
from jax._src.lib import xla_client as xc
HLO = '''HloModule m
ENTRY e { x = f8e3m4[2] parameter(0) y = u8[2] parameter(1) ROOT r = s16[2] stochastic-convert(x, y) }'''
proto = xc.hlo.hlo_module_from_text(HLO).as_serialized_hlo_module_proto()
module = jaxlib._jax.mlir.xla_computation_to_mlir_module(xc.hlo.XlaComputation(proto))
run = jax.devices()[0].client.compile_and_load(module, jax.devices()[:1]).execute_sharded
arguments = [jnp.array([0.25, 0.25], jnp.float8_e3m4), jnp.array([63, 254], jnp.uint8)]; print('expected', [1, 0])
print('actual', run(arguments).disassemble_into_single_device_arrays()[0][0].tolist())
