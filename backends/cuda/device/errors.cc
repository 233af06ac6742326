#include "backends/cuda/device/errors.h"

namespace assay::cuda {
namespace {

struct ErrorRow {
  Error error;
  const char* name;
  const char* text;
};
constexpr ErrorRow kErrors[] = {
    {Error::kSuccess, "cudaSuccess", "no error"},
    {Error::kInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {Error::kMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {Error::kInvalidConfiguration, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {Error::kInsufficientDriver, "cudaErrorInsufficientDriver",
     "CUDA driver version is insufficient for CUDA runtime version"},
    {Error::kDevicesUnavailable, "cudaErrorDevicesUnavailable",
     "CUDA-capable device(s) is/are busy or unavailable"},
    {Error::kNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {Error::kInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {Error::kPeerAccessUnsupported, "cudaErrorPeerAccessUnsupported",
     "peer access is not supported between these two devices"},
    {Error::kInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {Error::kNotReady, "cudaErrorNotReady", "device not ready"},
    {Error::kIllegalAddress, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {Error::kPeerAccessAlreadyEnabled, "cudaErrorPeerAccessAlreadyEnabled",
     "peer access is already enabled"},
    {Error::kLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {Error::kNotSupported, "cudaErrorNotSupported", "operation not supported"},
    {Error::kStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported",
     "operation not permitted when stream is capturing"},
    {Error::kStreamCaptureInvalidated, "cudaErrorStreamCaptureInvalidated",
     "operation failed due to a previous error during capture"},
    {Error::kStreamCaptureUnmatched, "cudaErrorStreamCaptureUnmatched",
     "capture was not initiated in this stream"},
    {Error::kStreamCaptureUnjoined, "cudaErrorStreamCaptureUnjoined",
     "capturing stream has unjoined work"},
    {Error::kStreamCaptureIsolation, "cudaErrorStreamCaptureIsolation",
     "dependency created on uncaptured work in another stream"},
    {Error::kStreamCaptureImplicit, "cudaErrorStreamCaptureImplicit",
     "operation would make the legacy stream depend on a capturing blocking stream"},
    {Error::kCapturedEvent, "cudaErrorCapturedEvent",
     "operation not permitted on an event last recorded in a capturing stream"},
};

const ErrorRow* Find(Error error) {
  for (const ErrorRow& row : kErrors) {
    if (row.error == error) return &row;
  }
  return nullptr;
}

}  // namespace

const char* NameOf(Error error) {
  const ErrorRow* const row = Find(error);
  return row == nullptr ? "cudaErrorUnknown" : row->name;
}

const char* TextOf(Error error) {
  const ErrorRow* const row = Find(error);
  return row == nullptr ? "unknown error" : row->text;
}

bool IsSticky(Error error) {
  return error == Error::kIllegalAddress || error == Error::kLaunchFailure ||
         error == Error::kDevicesUnavailable;
}

}  // namespace assay::cuda
