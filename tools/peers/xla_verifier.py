"""XLA's HloVerifier itself, called where it lies in JAX's library.

JAX hands modules to XLA's compilers as StableHLO only: what that cannot say, or demands itself, hides what XLA's
verifier thinks. The verifier is in the library all the same. Its functions are found by name in the library's symbol
table; how they are called is the x86-64 C++ convention. Verifier.create() tries two modules whose verdict is known
first, and says why where the library is not as expected. Call it in a child: XLA aborts on some modules.
"""
import ctypes
import mmap
import pathlib
import struct

import jaxlib
from jax._src.lib import xla_client

LIBRARY = pathlib.Path(jaxlib.__file__).with_name('libjax_common.so')
CONSTRUCTOR = '_ZN3xla11HloVerifierC2EbbSt8functionIFbPKNS_14HloInstructionEEES1_IFlRKNS_5ShapeEEEb'
RUN = '_ZN3xla11HloVerifier7RunImplEPNS_9HloModuleERKN4absl'  # the rest names a version of Abseil
ANCHOR = 'Wrapped_PyInit__jax'  # a symbol that the dynamic linker knows too
SYMTAB = 2
OK = 1  # a Status that holds nothing

GOOD = 'HloModule m\nENTRY e {\n  p = f32[2] parameter(0)\n  ROOT r = f32[2] add(p, p)\n}\n'
BAD = GOOD.replace('ROOT r = f32[2]', 'ROOT r = f32[3]')


def symbol_values(path, prefixes):
    """The addresses in the file of the symbols that begin so; those of parts of functions (.cold) do not count."""
    with open(path, 'rb') as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as image:
        sections, = struct.unpack_from('<Q', image, 0x28)
        size, count = struct.unpack_from('<HH', image, 0x3A)
        headers = [struct.unpack_from('<IIQQQQIIQQ', image, sections + i * size) for i in range(count)]
        table = next((header for header in headers if header[1] == SYMTAB), None)
        if table is None:
            raise RuntimeError(f'{path} has no symbol table')
        names = headers[table[6]]
        values = {}
        for prefix in prefixes:
            at = image.find(b'\0' + prefix.encode(), names[4], names[4] + names[5]) + 1
            name = struct.pack('<I', at - names[4]) if at else None
            entry = image.find(name, table[4], table[4] + table[5]) if name else -1
            while entry >= 0 and (entry - table[4]) % 24:
                entry = image.find(name, entry + 1, table[4] + table[5])
            if entry < 0:
                raise RuntimeError(f'{path} has no symbol {prefix}')
            values[prefix] = struct.unpack_from('<IBBHQQ', image, entry)[4]
    return values


def addresses(prefixes):
    """Where the functions whose symbols begin so lie in this process, by prefix."""
    values = symbol_values(LIBRARY, (*prefixes, ANCHOR))
    anchor = ctypes.cast(getattr(ctypes.CDLL(str(LIBRARY)), ANCHOR), ctypes.c_void_p).value
    return {prefix: anchor - values[ANCHOR] + values[prefix] for prefix in prefixes}


class Verifier:
    """Does not look at layouts and allows mixed precision: the laxest of XLA's compilers."""

    def __init__(self):
        functions = addresses((CONSTRUCTOR, RUN))
        pointer, flag = ctypes.c_void_p, ctypes.c_bool
        # (this, layout_sensitive, allow_mixed_precision, two empty std::functions, a flag)
        construct = ctypes.CFUNCTYPE(None, pointer, flag, flag, pointer, pointer, flag)(functions[CONSTRUCTOR])
        # (returned StatusOr<bool>, this, module, set of execution threads)
        self.run = ctypes.CFUNCTYPE(pointer, pointer, pointer, pointer, pointer)(functions[RUN])
        self.verifier, self.callbacks = ctypes.create_string_buffer(512), ctypes.create_string_buffer(64)
        callbacks = ctypes.addressof(self.callbacks)
        construct(ctypes.addressof(self.verifier), False, True, callbacks, callbacks + 32, False)
        # An empty flat_hash_set: capacity 1, no elements.
        self.threads = (ctypes.c_uint64 * 8)(1)

    @classmethod
    def create(cls):
        """A verifier that is known to work; RuntimeError says why there is none."""
        verifier = cls()
        if verifier.verdict(GOOD) != ['ok', ''] or verifier.verdict(BAD)[0] != 'verify':
            raise RuntimeError(f'the verifier in {LIBRARY} answers otherwise than expected')
        return verifier

    def refusal(self, module):
        """Of a module as JAX has it; None where it is taken."""
        offset = ctypes.c_int32.from_address(id(module) + 16).value  # of nanobind's instance
        returned = (ctypes.c_uint64 * 4)()
        self.run(ctypes.addressof(returned), ctypes.addressof(self.verifier),
                 ctypes.c_uint64.from_address(id(module) + offset).value, ctypes.addressof(self.threads))
        if returned[0] == OK:
            return None
        # A StatusRep: reference count and code, then the message.
        text, length = (ctypes.c_uint64.from_address(returned[0] + at).value for at in (8, 16))
        return ctypes.string_at(text, length).decode(errors='replace')

    def verdict(self, text):
        """[stage, message] of HLO text; the stage is parse, proto (it cannot be read from a proto), verify or ok."""
        stage = 'parse'
        try:
            module = xla_client.hlo.hlo_module_from_text(text)
            stage = 'proto'
            xla_client.hlo.HloModule.from_serialized_hlo_module_proto(module.as_serialized_hlo_module_proto())
        except Exception as error:  # XLA's refusals have no type of their own.
            return [stage, str(error)]
        refusal = self.refusal(module)
        return ['ok', ''] if refusal is None else ['verify', refusal]
