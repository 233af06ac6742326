#!/usr/bin/env python3
"""Handlers of XLA's FFI, compiled against the headers that jaxlib ships, called by JAX programs on Assay's plug-in.

usage: ffi_peer_test.py build/release/lib/libassay_pjrt.so
"""
import ctypes
import os
import pathlib
import subprocess
import sys
import tempfile

import peers

peers.need('jax', 'numpy')

SOURCE = r'''
#include <cmath>
#include <numeric>
#include <string_view>
#include "xla/ffi/api/ffi.h"
namespace ffi = xla::ffi;

// Divides the rows by their root mean square.
static ffi::Error Normalise(float epsilon, ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> y) {
  const auto dims = x.dimensions();
  if (dims.size() == 0) return ffi::Error::InvalidArgument("a scalar has no rows");
  const int64_t size = dims.back();
  for (int64_t i = 0; i < static_cast<int64_t>(x.element_count()); i += size) {
    float sum = 0;
    for (int64_t k = 0; k < size; ++k) sum += x.typed_data()[i + k] * x.typed_data()[i + k];
    const float scale = 1 / std::sqrt(sum / size + epsilon);
    for (int64_t k = 0; k < size; ++k) y->typed_data()[i + k] = x.typed_data()[i + k] * scale;
  }
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(normalise, Normalise, ffi::Ffi::Bind().Attr<float>("epsilon")
    .Arg<ffi::Buffer<ffi::F32>>().Ret<ffi::Buffer<ffi::F32>>());

// Attributes of every kind, two results of other types.
static ffi::Error Describe(std::string_view word, bool flag, int64_t number, ffi::Span<const int64_t> list,
                           ffi::AnyBuffer x, ffi::ResultBuffer<ffi::S64> sum, ffi::ResultBuffer<ffi::S32> facts) {
  sum->typed_data()[0] = std::accumulate(list.begin(), list.end(), number);
  facts->typed_data()[0] = static_cast<int32_t>(word.size());
  facts->typed_data()[1] = flag;
  facts->typed_data()[2] = static_cast<int32_t>(x.element_type());
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(describe, Describe, ffi::Ffi::Bind().Attr<std::string_view>("word").Attr<bool>("flag")
    .Attr<int64_t>("number").Attr<ffi::Span<const int64_t>>("list").Arg<ffi::AnyBuffer>()
    .Ret<ffi::Buffer<ffi::S64>>().Ret<ffi::Buffer<ffi::S32>>());
'''

# The declarations of the plug-in beside those of the header.
LAYOUT = r'''
#include "xla/ffi/api/c_api.h"
#include "backends/pjrt/plugin/ffi_abi.h"
namespace o = assay::pjrt::ffi;
#define SZ(a, b) static_assert(sizeof(o::a) == sizeof(b))
#define OF(a, x, b, y) static_assert(offsetof(o::a, x) == offsetof(b, y))
SZ(Extension,XLA_FFI_Extension_Base); SZ(ApiVersion,XLA_FFI_Api_Version); SZ(Array,XLA_FFI_Array);
SZ(Scalar,XLA_FFI_Scalar); SZ(Buffer,XLA_FFI_Buffer); OF(Buffer,dims,XLA_FFI_Buffer,dims);
OF(Buffer,data,XLA_FFI_Buffer,data); SZ(Values,XLA_FFI_Args); SZ(Attributes,XLA_FFI_Attrs);
OF(Attributes,names,XLA_FFI_Attrs,names); SZ(CallFrame,XLA_FFI_CallFrame);
OF(CallFrame,attributes,XLA_FFI_CallFrame,attrs); OF(CallFrame,stage,XLA_FFI_CallFrame,stage);
OF(CallFrame,future,XLA_FFI_CallFrame,future); static_assert(o::kCallFrameSize==XLA_FFI_CallFrame_STRUCT_SIZE);
static_assert(o::kMetadataSize==XLA_FFI_Metadata_STRUCT_SIZE); SZ(Metadata,XLA_FFI_Metadata);
OF(Metadata,state_type,XLA_FFI_Metadata,state_type_id); SZ(MetadataExtension,XLA_FFI_Metadata_Extension);
SZ(ErrorCreate,XLA_FFI_Error_Create_Args); SZ(ErrorMessage,XLA_FFI_Error_GetMessage_Args);
SZ(TypeInfo,XLA_FFI_TypeInfo); SZ(TypeRegister,XLA_FFI_Type_Register_Args);
OF(TypeRegister,info,XLA_FFI_Type_Register_Args,type_info); SZ(ContextGet,XLA_FFI_ExecutionContext_Get_Args);
SZ(State,XLA_FFI_State_Set_Args); OF(State,state,XLA_FFI_State_Get_Args,state);
SZ(MemoryAllocate,XLA_FFI_DeviceMemory_Allocate_Args);
OF(MemoryAllocate,data,XLA_FFI_DeviceMemory_Allocate_Args,data); SZ(MemoryFree,XLA_FFI_DeviceMemory_Free_Args);
SZ(Schedule,XLA_FFI_ThreadPool_Schedule_Args); SZ(ThreadCount,XLA_FFI_ThreadPool_NumThreads_Args);
SZ(FutureArgs,XLA_FFI_Future_SetError_Args); OF(FutureArgs,error,XLA_FFI_Future_SetError_Args,error);
SZ(RunId,XLA_FFI_RunId_Get_Args); SZ(DeviceOrdinal,XLA_FFI_DeviceOrdinal_Get_Args); SZ(Api,XLA_FFI_Api);
OF(Api,state_set,XLA_FFI_Api,XLA_FFI_State_Set); OF(Api,future_create,XLA_FFI_Api,XLA_FFI_Future_Create);
OF(Api,device_ordinal,XLA_FFI_Api,XLA_FFI_DeviceOrdinal_Get); OF(Api,stream_get,XLA_FFI_Api,XLA_FFI_Stream_Get);
OF(Api,memory_free,XLA_FFI_Api,XLA_FFI_DeviceMemory_Free);
'''


def main():
    library = os.path.abspath(sys.argv[1])
    os.environ.update(JAX_PLATFORMS='assay,cpu', ASSAY_PJRT_LIBRARY=library)
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / 'python'))
    import assay_jax
    import jax
    import jaxlib
    import numpy as np
    assay_jax.initialize()
    jax.config.update('jax_enable_x64', True)
    with tempfile.TemporaryDirectory() as folder:
        source, shared = pathlib.Path(folder, 'handlers.cc'), pathlib.Path(folder, 'handlers.so')
        source.write_text(SOURCE)
        headers = pathlib.Path(jaxlib.__file__).parent / 'include'
        subprocess.run(['g++', '-std=c++17', '-w', '-shared', '-fPIC', '-I', str(headers), str(source), '-o', str(shared)], check=True)
        handlers = ctypes.CDLL(str(shared))
        source.write_text(LAYOUT)
        tree = pathlib.Path(__file__).resolve().parents[2]
        subprocess.run(['g++', '-std=c++20', '-fsyntax-only', '-I', str(headers), '-I', str(tree), str(source)], check=True)
    for name in ('normalise', 'describe'):
        jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(getattr(handlers, name)), platform='assay')

    x = np.array([[3.0, 4.0], [6.0, 8.0]], np.float32)
    normalised = jax.jit(lambda v: jax.ffi.ffi_call('normalise', jax.ShapeDtypeStruct(v.shape, v.dtype))(
        v, epsilon=np.float32(0)) + 1)(x)
    assert jax.devices()[0].platform == 'assay'
    # By hand: the root mean squares are sqrt(12.5) and sqrt(50).
    np.testing.assert_allclose(normalised, x / np.sqrt([[12.5], [50.0]]) + 1, rtol=1e-6)
    both = (jax.ShapeDtypeStruct((), np.int64), jax.ShapeDtypeStruct((3,), np.int32))
    total, facts = jax.jit(lambda v: jax.ffi.ffi_call('describe', both)(
        v, word='seven..', flag=True, number=np.int64(5), list=np.array([1, 2, 3], np.int64)))(x)
    assert int(total) == 11, total
    assert list(facts) == [7, 1, 11], facts  # 11 is XLA's number of f32
    try:
        jax.jit(lambda v: jax.ffi.ffi_call('normalise', jax.ShapeDtypeStruct((), v.dtype))(
            v, epsilon=np.float32(0)))(np.float32(1)).block_until_ready()
    except jax.errors.JaxRuntimeError as error:
        assert 'normalise: a scalar has no rows' in str(error), error
    else:
        raise AssertionError('a refusal of the handler is lost')
    print('handlers of three programs are called')


if __name__ == '__main__':
    main()
