// The plug-in: the table of functions (device/api.h) by those of the CUDA runtime, one line each.
// Compiled by nvcc alone, together with the kernels. Nothing of it has run on a GPU.
#include <cuda_runtime.h>

#include "backends/cuda/device/api.h"
#include "backends/cuda/device/plugin.h"
#include "backends/cuda/kernel_groups.h"

namespace assay::cuda {
namespace {

Error E(cudaError_t error) { return static_cast<Error>(error); }
cudaStream_t S(StreamHandle* stream) { return reinterpret_cast<cudaStream_t>(stream); }
cudaEvent_t V(EventHandle* event) { return reinterpret_cast<cudaEvent_t>(event); }
cudaGraph_t G(GraphHandle* graph) { return reinterpret_cast<cudaGraph_t>(graph); }
cudaGraphExec_t X(GraphExecHandle* exec) { return reinterpret_cast<cudaGraphExec_t>(exec); }
template <typename To, typename From>
To* P(From** pointer) {
  return reinterpret_cast<To*>(pointer);
}
dim3 D(emulator::Extent e) { return dim3(e.x, e.y, e.z); }

class CudaApi final : public Api {
 public:
  Error DriverGetVersion(int* version) override { return E(cudaDriverGetVersion(version)); }
  Error RuntimeGetVersion(int* version) override { return E(cudaRuntimeGetVersion(version)); }
  Error GetDeviceCount(int* count) override { return E(cudaGetDeviceCount(count)); }
  Error SetDevice(int device) override { return E(cudaSetDevice(device)); }
  Error GetDevice(int* device) override { return E(cudaGetDevice(device)); }
  Error DeviceGetName(char* name, int size, int device) override {
    cudaDeviceProp properties;
    const cudaError_t error = cudaGetDeviceProperties(&properties, device);
    int i = 0;
    for (; error == cudaSuccess && i + 1 < size && properties.name[i] != 0; ++i) {
      name[i] = properties.name[i];
    }
    if (size > 0) name[i] = 0;
    return E(error);
  }
  Error DeviceGetAttribute(int* value, DeviceAttribute attribute, int device) override {
    return E(cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(attribute), device));
  }
  Error DeviceSynchronize() override { return E(cudaDeviceSynchronize()); }
  Error DeviceReset() override { return E(cudaDeviceReset()); }
  Error DeviceCanAccessPeer(int* can, int device, int peer) override {
    return E(cudaDeviceCanAccessPeer(can, device, peer));
  }
  Error DeviceEnablePeerAccess(int peer) override { return E(cudaDeviceEnablePeerAccess(peer, 0)); }

  Error MemGetInfo(size_t* free, size_t* total) override { return E(cudaMemGetInfo(free, total)); }
  Error Malloc(void** pointer, size_t bytes) override { return E(cudaMalloc(pointer, bytes)); }
  Error Free(void* pointer) override { return E(cudaFree(pointer)); }
  Error MallocAsync(void** pointer, size_t bytes, StreamHandle* stream) override {
    return E(cudaMallocAsync(pointer, bytes, S(stream)));
  }
  Error FreeAsync(void* pointer, StreamHandle* stream) override {
    return E(cudaFreeAsync(pointer, S(stream)));
  }
  Error MallocHost(void** pointer, size_t bytes) override {
    return E(cudaMallocHost(pointer, bytes));
  }
  Error FreeHost(void* pointer) override { return E(cudaFreeHost(pointer)); }
  Error MemPoolTrim(int device, size_t keep) override {
    cudaMemPool_t pool;
    const cudaError_t error = cudaDeviceGetDefaultMemPool(&pool, device);
    return E(error != cudaSuccess ? error : cudaMemPoolTrimTo(pool, keep));
  }
  Error MemcpyAsync(void* to, const void* from, size_t bytes, CopyKind kind,
                    StreamHandle* stream) override {
    return E(cudaMemcpyAsync(to, from, bytes, static_cast<cudaMemcpyKind>(kind), S(stream)));
  }
  Error MemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t bytes,
                        StreamHandle* stream) override {
    return E(cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, S(stream)));
  }
  Error MemsetAsync(void* pointer, int value, size_t bytes, StreamHandle* stream) override {
    return E(cudaMemsetAsync(pointer, value, bytes, S(stream)));
  }

  Error StreamCreate(StreamHandle** stream) override {
    return E(cudaStreamCreateWithFlags(P<cudaStream_t>(stream), cudaStreamNonBlocking));
  }
  Error StreamDestroy(StreamHandle* stream) override { return E(cudaStreamDestroy(S(stream))); }
  Error StreamSynchronize(StreamHandle* stream) override {
    return E(cudaStreamSynchronize(S(stream)));
  }
  Error StreamQuery(StreamHandle* stream) override { return E(cudaStreamQuery(S(stream))); }
  Error StreamWaitEvent(StreamHandle* stream, EventHandle* event) override {
    return E(cudaStreamWaitEvent(S(stream), V(event), 0));
  }
  Error EventCreate(EventHandle** event) override {
    return E(cudaEventCreateWithFlags(P<cudaEvent_t>(event), cudaEventDefault));
  }
  Error EventDestroy(EventHandle* event) override { return E(cudaEventDestroy(V(event))); }
  Error EventRecord(EventHandle* event, StreamHandle* stream) override {
    return E(cudaEventRecord(V(event), S(stream)));
  }
  Error EventQuery(EventHandle* event) override { return E(cudaEventQuery(V(event))); }
  Error EventSynchronize(EventHandle* event) override { return E(cudaEventSynchronize(V(event))); }
  Error EventElapsedTime(float* milliseconds, EventHandle* start, EventHandle* end) override {
    return E(cudaEventElapsedTime(milliseconds, V(start), V(end)));
  }

  Error FuncSetMaxDynamicShared(const Entry& entry, int bytes) override {
    return E(cudaFuncSetAttribute(entry.stub, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  }
  Error LaunchKernel(const Entry& entry, emulator::Extent grid, emulator::Extent block,
                     size_t shared_bytes, void** parameters, StreamHandle* stream) override {
    return E(cudaLaunchKernel(entry.stub, D(grid), D(block), parameters, shared_bytes, S(stream)));
  }
  Error LaunchHostFunction(StreamHandle* stream, void (*function)(void*), void* argument) override {
    return E(cudaLaunchHostFunc(S(stream), function, argument));
  }
  const Entry* const* KernelGroups() const override { return device::KernelGroups(); }

  std::string TextTarget() override {
    int major = 0, minor = 0;
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
    cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0);
    return "sm_" + std::to_string(major) + std::to_string(minor);
  }
  Error LoadKernel(const void* image, size_t /*bytes*/, const char* name, Entry* entry) override {
    cudaLibrary_t library;
    cudaKernel_t kernel = nullptr;
    cudaError_t error =
        cudaLibraryLoadData(&library, image, nullptr, nullptr, 0, nullptr, nullptr, 0);
    if (error == cudaSuccess) {
      error = cudaLibraryGetKernel(&kernel, library, name);
      if (error != cudaSuccess) cudaLibraryUnload(library);
    }
    entry->stub = reinterpret_cast<const void*>(kernel);
    return E(error);
  }

  Error StreamBeginCapture(StreamHandle* stream) override {
    return E(cudaStreamBeginCapture(S(stream), cudaStreamCaptureModeThreadLocal));
  }
  Error StreamEndCapture(StreamHandle* stream, GraphHandle** graph) override {
    return E(cudaStreamEndCapture(S(stream), P<cudaGraph_t>(graph)));
  }
  Error GraphInstantiate(GraphExecHandle** exec, GraphHandle* graph) override {
    return E(cudaGraphInstantiate(P<cudaGraphExec_t>(exec), G(graph), 0));
  }
  Error GraphLaunch(GraphExecHandle* exec, StreamHandle* stream) override {
    return E(cudaGraphLaunch(X(exec), S(stream)));
  }
  Error GraphExecDestroy(GraphExecHandle* exec) override {
    return E(cudaGraphExecDestroy(X(exec)));
  }
  Error GraphDestroy(GraphHandle* graph) override { return E(cudaGraphDestroy(G(graph))); }

  Error GetLastError() override { return E(cudaGetLastError()); }
  Error PeekAtLastError() override { return E(cudaPeekAtLastError()); }
  const char* GetErrorName(Error error) override {
    return cudaGetErrorName(static_cast<cudaError_t>(error));
  }
  const char* GetErrorString(Error error) override {
    return cudaGetErrorString(static_cast<cudaError_t>(error));
  }
};

}  // namespace
}  // namespace assay::cuda

extern "C" __attribute__((visibility("default"))) assay::cuda::Api* AssayCudaApi(int version) {
  if (version != assay::cuda::kPluginVersion) return nullptr;
  static auto* const api = new assay::cuda::CudaApi;
  return api;
}
