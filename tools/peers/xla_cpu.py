#!/usr/bin/env python3
"""XLA's CPU backend, through the JAX wheel, as a process for Assay (docs/process_backend.md).

usage, from Assay:  --backend "process:$HOME/.cache/assay/peers/bin/python tools/peers/xla_cpu.py [--strict]
                    [--devices N] [--requests N]"

  --strict     no excess precision: bf16 and f16 intermediates are rounded as the module says
  --devices N  devices that XLA pretends to have (default 1)
  --requests N a process answers N modules (children.py), so that a crash costs no start of JAX; for `assay fuzz`
  --record F   appends every answer to the file, for stored_answers.py
Needs jax (tools/setup --peers). No flag of XLA that changes values is touched but for these two: rewrites, fast-math
settings and the optimisation level are XLA's defaults.

Refusals: `invalid` is what XLA's own HLO parser and verifier refuse. What they take and the compiler does not is
`unsupported`: XLA CPU lacks the operation or the type, or StableHLO, the only form in which JAX hands modules on, cannot
say it (CARRIED_BADLY); any other INTERNAL error of XLA's is a failure, and so is a module that XLA's own passes broke.
A module at which XLA ends the process ends this one as well, in the same way. Where the module was the first one of its
child (children.py), the answer is an error instead, and the next module has a child of its own.
Modules of several partitions go through XLA's SPMD partitioner as programs that are partitioned already
(manual_sharding.py).
"""
import argparse
import collections
import gc
import os
import re
import sys
import time

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument('--strict', action='store_true')
parser.add_argument('--devices', type=int, default=1)
parser.add_argument('--requests', type=int)
parser.add_argument('--record')
OPTIONS = parser.parse_args()
os.environ['XLA_FLAGS'] = (os.environ.get('XLA_FLAGS', '') +
                           f' --xla_force_host_platform_device_count={OPTIONS.devices}').strip()
os.environ['JAX_PLATFORMS'] = 'cpu'
os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '2')
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')  # numpy's, whose threads would wait by spinning

try:
    import jax  # noqa: E402
except ImportError:
    raise SystemExit('xla_cpu.py needs jax: tools/setup --peers installs it; run the script with '
                     '~/.cache/assay/peers/bin/python instead of python3')
import jaxlib  # noqa: E402
import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402
from jax._src.lib import lapack, xla_client as xc  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec  # noqa: E402

from assay_process import Refusal  # noqa: E402
from children import serve_in_children  # noqa: E402
from manual_sharding import manual  # noqa: E402
from stored_answers import Recorder  # noqa: E402
from xla_verifier import Verifier  # noqa: E402

jax.config.update('jax_enable_x64', True)
# Gives XLA's LAPACK custom calls their functions, without which they abort.
lapack.prepare_lapack_call('potrf', np.dtype(np.float32))

# HLO's names of types -> numpy's.
DTYPES = {
    'pred': np.bool_, 's8': np.int8, 's16': np.int16, 's32': np.int32, 's64': np.int64,
    'u8': np.uint8, 'u16': np.uint16, 'u32': np.uint32, 'u64': np.uint64,
    'f16': np.float16, 'f32': np.float32, 'f64': np.float64, 'c64': np.complex64, 'c128': np.complex128,
    'bf16': ml_dtypes.bfloat16, 's4': ml_dtypes.int4, 'u4': ml_dtypes.uint4,
    's2': ml_dtypes.int2, 'u2': ml_dtypes.uint2,
    'f8e5m2': ml_dtypes.float8_e5m2, 'f8e4m3': ml_dtypes.float8_e4m3, 'f8e3m4': ml_dtypes.float8_e3m4,
    'f8e4m3fn': ml_dtypes.float8_e4m3fn, 'f8e4m3fnuz': ml_dtypes.float8_e4m3fnuz,
    'f8e4m3b11fnuz': ml_dtypes.float8_e4m3b11fnuz, 'f8e5m2fnuz': ml_dtypes.float8_e5m2fnuz,
    'f8e8m0fnu': ml_dtypes.float8_e8m0fnu, 'f4e2m1fn': ml_dtypes.float4_e2m1fn,
}
NAMES = {np.dtype(dtype): name for name, dtype in DTYPES.items()}
NARROW_SIGNED = {'s2': 2, 's4': 4}
# INTERNAL errors about modules that XLA's verifier took as they were: StableHLO brings an asynchronous operation back with
# a tuple around its result, a tuple with an operation for each of its parts; a bitcast, and a fusion with the backend_config
# of a code generator, are what only XLA's own passes make.
CARRIED_BADLY = re.compile(
    r'async-done expects the shape of output to match the async shape'
    r'|copy-start instruction requires one consumer, found 3'
    r'|Unexpected bitcast operation seen during layout assignment'
    r'|Fusion must have backend config'
    r'|Dot fusion supports only|Unsupported fusion kind|hlo_input_output_alias_config')
# Modules at which JAX's conversion to StableHLO, a private entry, ends the process instead of refusing them: a complex
# number has no conversion to pred there, and a dot no such algorithm.
COMPLEX = re.compile(r'%?([\w.-]+) = c(?:64|128)\[')
TO_PRED = re.compile(r'= pred\[[^=\n]*\bconvert\((?:c(?:64|128)\[[^ ]* )?%?([\w.-]+)\)')
NO_ALGORITHM = 'dot_bf16_bf16_f32_x9'
OTHER_BITS = re.compile(r'([\w.-]+) = \([^()]*, (?!u(?:2|4|8|16|32|64)\[)\w+\[[^()]*\) rng-bit-generator\(')
# What XLA CPU says of reductions and scatters of another type than their accumulator.
MIXED_PRECISION = 'mixed precision is disallowed'
# What the compiler says where its verifier refuses what one of its own passes has made of the module.
BROKEN_BY_A_PASS = 'does not support custom element sizes on non-sub-byte types'
# The number of compiled modules that are kept. Programs ask for the same instruction many times, and XLA takes 30 ms of
# processor time to compile the least module: over the standard tier's programs every second module is one of the last 256.
KEPT_MODULES = 256
# Longer modules are not kept: they hold large constants.
LONGEST_KEPT = 1 << 16
# What the parser says of words that a newer XLA has.
UNKNOWN = re.compile('unknown opcode|unknown attribute|unexpected attribute|unknown primitive type', re.IGNORECASE)


def to_array(shape, data):
    name, sizes = shape.rstrip(']').split('[')
    if name not in DTYPES:
        raise Refusal('unsupported', f'element type {name}')
    array = np.frombuffer(data, dtype=DTYPES[name])
    return array.reshape([int(size) for size in sizes.split(',') if size])


def from_array(array):
    array = np.asarray(array, order='C')  # ascontiguousarray would make a scalar a vector
    name = NAMES[array.dtype]
    shape = f'{name}[{",".join(map(str, array.shape))}]'
    data = array.tobytes()
    if name in NARROW_SIGNED:  # Assay keeps the bits above the value zero
        data = (np.frombuffer(data, np.uint8) & ((1 << NARROW_SIGNED[name]) - 1)).tobytes()
    return shape, data


def computes_with_other_bits(text):
    """JAX's conversion to StableHLO makes unsigned integers of the bits that rng-bit-generator gives as another type. A
    program that goes on with them computes other values, unless it only takes their bits."""
    for generator in OTHER_BITS.findall(text):
        parts = re.findall(rf'([\w.-]+) = [^\n]*get-tuple-element\([^\n]*(?<![\w.-]){re.escape(generator)}\), index=1', text)
        for bits in parts:
            uses = re.findall(rf'= ([^\n]*\([^\n]*(?<![\w.-]){re.escape(bits)}[,)][^\n]*)', text)
            if any('bitcast-convert(' not in use for use in uses):
                return True
    return False


class Compiled:
    def __init__(self, executable, devices, replicas, partitions, results):
        self.executable = executable
        self.device_list = devices
        self.devices = len(devices)
        mesh = Mesh(np.array(devices), ('d',))
        self.sharding = NamedSharding(mesh, PartitionSpec('d'))
        self.scalar_sharding = NamedSharding(mesh, PartitionSpec())
        self.replicas, self.partitions = replicas, partitions
        self.results = results


class XlaCpu:
    executes_at_once = True

    def __init__(self):
        try:
            self.verifier = Verifier.create()
        except RuntimeError as error:  # another build of the library: then the compiler alone says what is illegal
            print(f'without XLA\'s verifier: {error}', file=sys.stderr)
            self.verifier = None
        self.kept = collections.OrderedDict()  # {module: Compiled or Refusal}, the one used last at the end

    def check(self, text):
        """Raises what XLA's parser and verifier refuse."""
        if self.verifier is None:
            return
        stage, message = self.verifier.verdict(text)
        if stage == 'ok':
            return
        kind = 'unsupported' if stage == 'parse' and UNKNOWN.search(message) else 'invalid'
        raise Refusal(kind, f'XLA refuses the module ({stage}): {message}')

    def kind_of(self, message):
        """Of an error of the compiler."""
        if self.verifier is None:
            return 'unsupported' if 'UNIMPLEMENTED' in message.upper() else 'invalid'
        if CARRIED_BADLY.search(message) or MIXED_PRECISION in message:
            return 'unsupported'
        if message.startswith('INTERNAL') or BROKEN_BY_A_PASS in message:
            return 'internal'
        return 'unsupported'

    def hello(self):
        return {'name': 'xla-cpu' + ('-strict' if OPTIONS.strict else ''), 'version': jaxlib.__version__,
                'formats': ['hlo-text'], 'types': sorted(DTYPES), 'devices': OPTIONS.devices}

    def compile(self, module_format, module):
        if module_format != 'hlo-text':
            raise Refusal('unsupported', f'format {module_format}')
        known = self.kept.pop(module, None)
        if known is None:
            try:
                known = self.compile_text(module.decode())
            except Refusal as refusal:
                known = refusal
        if len(module) <= LONGEST_KEPT:
            self.kept[module] = known
            if len(self.kept) > KEPT_MODULES:
                self.kept.popitem(last=False)
        if isinstance(known, Refusal):
            raise Refusal(known.kind, str(known))
        return known

    def compile_text(self, text):
        self.check(text)
        try:
            proto = xc.hlo.hlo_module_from_text(text).as_serialized_hlo_module_proto()
        except Exception as error:
            raise Refusal('invalid', f'XLA cannot read the module: {error}') from error
        header = text[text.find('HloModule'):].split('\n', 1)[0]
        replicas = header_count(header, 'replica_count')
        partitions = header_count(header, 'num_partitions')
        devices = jax.devices()[:replicas * partitions]
        if len(devices) < replicas * partitions:
            raise Refusal('unsupported', f'{replicas} replicas of {partitions} partitions need more than '
                                         f'{len(devices)} devices')
        options = xc.CompileOptions()
        options.num_replicas, options.num_partitions = replicas, partitions
        build = options.executable_build_options
        build.num_replicas, build.num_partitions = replicas, partitions
        build.use_spmd_partitioning = partitions > 1
        options.device_assignment = xc.DeviceAssignment.create(
            np.arange(replicas * partitions).reshape(replicas, partitions))
        if OPTIONS.strict:
            options.env_option_overrides = [('xla_allow_excess_precision', False)]
        if NO_ALGORITHM in text or set(COMPLEX.findall(text)) & set(TO_PRED.findall(text)):
            raise Refusal('unsupported', 'StableHLO cannot say the module')
        computation = xc.hlo.XlaComputation(manual(proto) if partitions > 1 else proto)
        results = leaves(computation.program_shape().result_shape())
        if any(not shape.is_token() and shape.is_dynamic() for shape in results):
            raise Refusal('unsupported', 'results of dynamic size: JAX does not say their current size')
        if computes_with_other_bits(text):
            raise Refusal('unsupported', 'StableHLO makes unsigned integers of random bits of another type')
        try:
            stablehlo = jaxlib._jax.mlir.xla_computation_to_mlir_module(computation)
        except Exception as error:  # constants that are tuples
            raise Refusal('unsupported', f'StableHLO cannot say the module: {error}') from error
        try:
            executable = devices[0].client.compile_and_load(stablehlo, xc.DeviceList(tuple(devices)),
                                                            options)
        except Exception as error:
            message = str(error).strip()
            raise Refusal(self.kind_of(message), f'XLA cannot compile the module: {message.splitlines()[0]}') from error
        return Compiled(executable, devices, replicas, partitions, results)

    def execute(self, compiled, arguments):
        if len(arguments) != compiled.devices:
            raise Refusal('invalid', f'{len(arguments)} lists of arguments for {compiled.devices} devices')
        columns = []
        for column in zip(*arguments):
            shards = [jax.device_put(to_array(*value), device)
                      for value, device in zip(column, compiled.device_list)]
            if compiled.devices == 1:
                columns.append(shards[0])
            elif not shards[0].shape:
                # Said to be one value for all devices, as scalars have no axis; each has its own.
                columns.append(jax.make_array_from_single_device_arrays((), compiled.scalar_sharding, shards))
            else:
                # One leading axis over the devices; every shard is a device's own value.
                shape = (compiled.devices * shards[0].shape[0],) + shards[0].shape[1:]
                columns.append(jax.make_array_from_single_device_arrays(shape, compiled.sharding, shards))
        jax.block_until_ready(columns)
        start = time.perf_counter()
        outputs = compiled.executable.execute_sharded(columns).disassemble_into_single_device_arrays()
        jax.block_until_ready(outputs)
        seconds = time.perf_counter() - start
        return seconds, [[to_leaf(shape, output[d]) for shape, output in zip(compiled.results, outputs)]
                         for d in range(compiled.devices)]


def to_leaf(shape, output):
    """A result of the shape that the module says. Tokens have no value that could be fetched."""
    if shape.is_token():
        return 'token[]', b''
    array = np.asarray(output)
    if array.dtype != shape.numpy_dtype():
        raise Refusal('unsupported', f'StableHLO makes {array.dtype} of {shape.numpy_dtype()} here')
    return from_array(array)


def leaves(shape):
    """The arrays and tokens of a shape, outermost first."""
    return [leaf for element in shape.tuple_shapes() for leaf in leaves(element)] if shape.is_tuple() else [shape]


def header_count(header, name):
    """replica_count=4 in the first line of a module."""
    _, found, rest = header.partition(name + '=')
    digits = ''
    for character in rest:
        if not character.isdigit():
            break
        digits += character
    return int(digits) if found and digits else 1


if __name__ == '__main__':
    gc.freeze()  # what JAX has made so far stays: XLA's Python entries collect garbage at each compilation
    serve_in_children(lambda: Recorder(XlaCpu(), OPTIONS.record) if OPTIONS.record else XlaCpu(),
                      requests=OPTIONS.requests)
