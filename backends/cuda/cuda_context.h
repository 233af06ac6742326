// What the CUDA engine keeps while one process of a module runs: a stream on one of the devices.
// Tests: cuda_counts_test.cc, cuda_backend_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_CUDA_CONTEXT_H_
#define ASSAY_BACKENDS_CUDA_CUDA_CONTEXT_H_

#include <cstdint>
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
  // Waits for what was enqueued, since it reads memory of the host and of the plan.
  ~CudaContext();
  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;
  // Taken from the pool when it is needed first.
  absl::StatusOr<Device*> UseDevice();
  // What the device has done for this context.
  DeviceCounts Counts() const;

  const std::shared_ptr<DevicePool> pool;
  std::shared_ptr<Device> device;
  DeviceCounts before;      // of the device when it was taken
  int64_t steps_ahead = 0;  // enqueued since the host waited last
};

// Enqueues the launches of an instruction of so many steps, on arrays of the context's device. The
// host runs ahead of the device by so many steps only that budgets of time are kept.
absl::Status RunOnDevice(PlanRunner& runner, int64_t steps,
                         absl::Span<const runtime::ArrayRef> operands,
                         absl::Span<const runtime::MutableArrayRef> results,
                         absl::Span<const uint64_t> words, CudaContext& context);

}  // namespace assay::cuda

#endif  // ASSAY_BACKENDS_CUDA_CUDA_CONTEXT_H_
