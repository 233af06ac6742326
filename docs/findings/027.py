import jax, jaxlib, jax.numpy as jnp
from jax._src.lib import xla_client as xc
HLO = '''HloModule m
f { p = f32[3] parameter(0) a = f32[3] negate(p) ROOT t = (f32[3], f32[3]) tuple(a, p) }
ENTRY e { x = f32[3] parameter(0) ROOT r = (f32[3], f32[3]) fusion(x), kind=kLoop, calls=f }'''
proto = xc.hlo.hlo_module_from_text(HLO).as_serialized_hlo_module_proto()
module = jaxlib._jax.mlir.xla_computation_to_mlir_module(xc.hlo.XlaComputation(proto))
print('expected', [-1.0, -1.0, -1.0], flush=True)
run = jax.devices()[0].client.compile_and_load(module, jax.devices()[:1]).execute_sharded
print('actual', run([jnp.ones(3)]).disassemble_into_single_device_arrays()[0][0].tolist())
