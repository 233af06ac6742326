// What the CUDA engine keeps while one device runs a module, and the kernel of the runtime that
// runs prepared launches there.
#ifndef ASSAY_BACKENDS_CUDA_CUDA_CONTEXT_H_
#define ASSAY_BACKENDS_CUDA_CUDA_CONTEXT_H_

#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/cuda/device_pool.h"
#include "backends/cuda/plan_runner.h"
#include "runtime/arrays.h"
#include "runtime/engine.h"

namespace assay::cuda {

struct CudaContext : runtime::Context {
  explicit CudaContext(std::shared_ptr<DevicePool> pool) : pool(std::move(pool)) {}
  ~CudaContext() {
    if (device != nullptr) pool->Return(std::move(device));
  }
  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;
  // Taken from the pool when the first kernel needs it.
  absl::StatusOr<Device*> UseDevice();

  const std::shared_ptr<DevicePool> pool;
  std::shared_ptr<Device> device;
};

// Runs launches on arrays of the host: copies in, launches, copies out, waits.
absl::Status RunOnHostArrays(PlanRunner& runner, absl::Span<const runtime::ArrayRef> operands,
                             absl::Span<const runtime::MutableArrayRef> results,
                             absl::Span<const uint64_t> words, CudaContext& context);

}  // namespace assay::cuda

#endif  // ASSAY_BACKENDS_CUDA_CUDA_CONTEXT_H_
