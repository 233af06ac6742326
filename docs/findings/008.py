import jax, jaxlib, jax.numpy as jnp; jax.config.update('jax_num_cpu_devices', 2)
from jax._src.lib import xla_client as xc
HLO = '''HloModule m, replica_count=2
ENTRY e { a = s4[2] parameter(0) s = (s4[2], s4[4]) all-gather-start(a), dimensions={0},
  replica_groups={{0,1}}  ROOT d = s4[4] all-gather-done(s) }'''; options = xc.CompileOptions()
proto = xc.hlo.hlo_module_from_text(HLO).as_serialized_hlo_module_proto(); options.num_replicas = 2
module = jaxlib._jax.mlir.xla_computation_to_mlir_module(xc.hlo.XlaComputation(proto))
run = jax.devices()[0].client.compile_and_load(module, jax.devices(), options).execute_sharded
x = jax.device_put(jnp.int4([1, 2, 3, 4]), jax.NamedSharding(jax.make_mesh((2,), 'x'), jax.P('x')))
print('expected [1, 2, 3, 4]\nactual', run([x]).disassemble_into_single_device_arrays()[0][0].tolist())
