// The functions of the CUDA runtime that the backend uses, as one table. The plug-in fills it with
// the runtime's own functions (plugin/cuda_api.cu), the emulator with an emulated runtime
// (emulated_runtime.h). Everything above is one code for both. Semantics, error numbers and the
// numbers of attributes are those of the CUDA runtime API, version 13.0. The functions concern the
// current device of the host thread, unless they name one.
#ifndef ASSAY_BACKENDS_CUDA_DEVICE_API_H_
#define ASSAY_BACKENDS_CUDA_DEVICE_API_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "backends/cuda/dialect/entry.h"
#include "backends/cuda/emulator/calls.h"

namespace assay::cuda {

// cudaError_t. Others occur and are passed on as numbers.
enum class Error : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kMemoryAllocation = 2,
  kInsufficientDriver = 35,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kDevicesUnavailable = 46,
  kInvalidConfiguration = 9,
  kInvalidResourceHandle = 400,
  kNotReady = 600,
  kIllegalAddress = 700,
  kPeerAccessUnsupported = 217,
  kPeerAccessAlreadyEnabled = 704,
  kLaunchFailure = 719,
  kNotSupported = 801,
  kStreamCaptureUnsupported = 900,
  kStreamCaptureInvalidated = 901,
  kStreamCaptureUnmatched = 903,
  kStreamCaptureUnjoined = 904,
  kStreamCaptureIsolation = 905,
  kStreamCaptureImplicit = 906,
  kCapturedEvent = 907,
};
// Returns true for an error after which the context of the device is lost.
bool IsSticky(Error error);

// cudaDeviceAttr.
enum class DeviceAttribute : int {
  kMaxThreadsPerBlock = 1,
  kMaxSharedMemoryPerBlock = 8,
  kMultiProcessorCount = 16,
  kComputeCapabilityMajor = 75,
  kComputeCapabilityMinor = 76,
  kMaxSharedMemoryPerBlockOptin = 97,
};

enum class CopyKind : int {
  kHostToHost = 0,
  kHostToDevice = 1,
  kDeviceToHost = 2,
  kDeviceToDevice = 3
};

struct StreamHandle;
struct EventHandle;
struct GraphHandle;
struct GraphExecHandle;

class Api {
 public:
  virtual ~Api() = default;

  // Versions as 1000 * major + 10 * minor. The driver's is 0 where there is none.
  virtual Error DriverGetVersion(int* version) = 0;
  virtual Error RuntimeGetVersion(int* version) = 0;

  // Devices.
  virtual Error GetDeviceCount(int* count) = 0;
  virtual Error SetDevice(int device) = 0;
  virtual Error GetDevice(int* device) = 0;
  virtual Error DeviceGetName(char* name, int size, int device) = 0;
  virtual Error DeviceGetAttribute(int* value, DeviceAttribute attribute, int device) = 0;
  virtual Error DeviceSynchronize() = 0;
  // Frees all resources of the device and, if possible, makes it usable again after a sticky error.
  virtual Error DeviceReset() = 0;
  virtual Error DeviceCanAccessPeer(int* can, int device, int peer) = 0;
  virtual Error DeviceEnablePeerAccess(int peer) = 0;

  // Memory.
  virtual Error MemGetInfo(size_t* free, size_t* total) = 0;
  virtual Error Malloc(void** pointer, size_t bytes) = 0;
  virtual Error Free(void* pointer) = 0;
  virtual Error MallocAsync(void** pointer, size_t bytes, StreamHandle* stream) = 0;
  virtual Error FreeAsync(void* pointer, StreamHandle* stream) = 0;
  virtual Error MallocHost(void** pointer, size_t bytes) = 0;
  virtual Error FreeHost(void* pointer) = 0;
  // Returns memory of the default pool beyond `keep` bytes to the system.
  virtual Error MemPoolTrim(int device, size_t keep) = 0;
  virtual Error MemcpyAsync(void* to, const void* from, size_t bytes, CopyKind kind,
                            StreamHandle* stream) = 0;
  virtual Error MemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                size_t bytes, StreamHandle* stream) = 0;
  virtual Error MemsetAsync(void* pointer, int value, size_t bytes, StreamHandle* stream) = 0;

  // Streams and events.
  virtual Error StreamCreate(StreamHandle** stream) = 0;  // does not wait for the default stream
  virtual Error StreamDestroy(StreamHandle* stream) = 0;
  virtual Error StreamSynchronize(StreamHandle* stream) = 0;
  virtual Error StreamQuery(StreamHandle* stream) = 0;
  virtual Error StreamWaitEvent(StreamHandle* stream, EventHandle* event) = 0;
  virtual Error EventCreate(EventHandle** event) = 0;
  virtual Error EventDestroy(EventHandle* event) = 0;
  virtual Error EventRecord(EventHandle* event, StreamHandle* stream) = 0;
  virtual Error EventQuery(EventHandle* event) = 0;
  virtual Error EventSynchronize(EventHandle* event) = 0;
  virtual Error EventElapsedTime(float* milliseconds, EventHandle* start, EventHandle* end) = 0;

  // Kernels. The parameters are copied before the call returns.
  virtual Error FuncSetMaxDynamicShared(const Entry& entry, int bytes) = 0;
  virtual Error LaunchKernel(const Entry& entry, emulator::Extent grid, emulator::Extent block,
                             size_t shared_bytes, void** parameters, StreamHandle* stream) = 0;
  // Calls a function of the host in the order of the stream. The function calls nothing of this
  // table.
  virtual Error LaunchHostFunction(StreamHandle* stream, void (*function)(void*),
                                   void* argument) = 0;
  // The entries of all kernels of this table's build (kernel_groups.h).
  virtual const Entry* const* KernelGroups() const = 0;

  // Generated kernels (text/). TextTarget returns what they are compiled for: "sm_90" or "host".
  // LoadKernel loads one from an image for as long as the process runs, and sets the members of
  // `entry` by which it is launched.
  virtual std::string TextTarget() = 0;
  virtual Error LoadKernel(const void* image, size_t bytes, const char* name, Entry* entry) = 0;

  // Graphs. A stream that waits for an event of a stream that captures joins its capture, until the
  // stream that began the capture ends it; that one must wait for all others before.
  virtual Error StreamBeginCapture(StreamHandle* stream) = 0;
  virtual Error StreamEndCapture(StreamHandle* stream, GraphHandle** graph) = 0;
  virtual Error GraphInstantiate(GraphExecHandle** exec, GraphHandle* graph) = 0;
  virtual Error GraphLaunch(GraphExecHandle* exec, StreamHandle* stream) = 0;
  virtual Error GraphExecDestroy(GraphExecHandle* exec) = 0;
  virtual Error GraphDestroy(GraphHandle* graph) = 0;

  // Errors.
  virtual Error GetLastError() = 0;
  virtual Error PeekAtLastError() = 0;
  virtual const char* GetErrorName(Error error) = 0;
  virtual const char* GetErrorString(Error error) = 0;
  // Returns details of the last failed launch beyond its error, if there are any.
  virtual std::string LaunchDetail() { return {}; }
};

}  // namespace assay::cuda

#endif  // ASSAY_BACKENDS_CUDA_DEVICE_API_H_
