// Buffers that are not copies of arrays of the host: views of its memory, arrays without a value,
// errors, and promises that the host keeps later. Tests: plugin_objects_test.cc.
#ifndef ASSAY_BACKENDS_PJRT_PLUGIN_MADE_BUFFERS_H_
#define ASSAY_BACKENDS_PJRT_PLUGIN_MADE_BUFFERS_H_

#include "absl/status/status.h"
#include "backends/pjrt/plugin/buffer.h"

namespace assay::pjrt {

// The view is copied where its layout is not row-major, or its elements are narrower than a byte or
// not aligned. The callback runs when nobody reads the memory any more.
absl::Status BufferView(PJRT_Client_CreateViewOfDeviceBuffer_Args& args);
// The elements are zeros.
absl::Status BufferUninitialized(PJRT_Client_CreateUninitializedBuffer_Args& args);
absl::Status BufferOfError(PJRT_Client_CreateErrorBuffer_Args& args);
absl::Status BufferPromise(PJRT_Client_CreateAliasBuffer_Args& args);
// Ends the promise: its buffer gets the value of another buffer, or an error.
absl::Status BufferFulfill(PJRT_Client_FulfillAliasBuffer_Args& args);

}  // namespace assay::pjrt

#endif  // ASSAY_BACKENDS_PJRT_PLUGIN_MADE_BUFFERS_H_
