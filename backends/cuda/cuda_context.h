// The state of the CUDA engine for one device of a run: a stream on one of the physical devices.
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

// The number of steps by which the host may run ahead of the device, so that time budgets are kept.
inline constexpr int64_t kMostStepsAhead = int64_t{1} << 24;

class GraphRecorder;  // graph_recorder.h

struct CudaContext : runtime::Context {
  explicit CudaContext(std::shared_ptr<DevicePool> pool) : pool(std::move(pool)) {}
  // Uses a device of a replayer, which returns it to the pool and reports its counts.
  CudaContext(std::shared_ptr<DevicePool> pool, std::shared_ptr<Device> device,
              GraphRecorder* recorder)
      : pool(std::move(pool)), device(std::move(device)), is_borrowed(true), recorder(recorder) {}
  // Waits for enqueued work, which reads memory of the host and of the plan.
  ~CudaContext();
  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;
  // Returns the device, which is taken from the pool at the first call.
  absl::StatusOr<Device*> UseDevice();
  // Returns the counts of the device since this context took it.
  DeviceCounts Counts() const;

  const std::shared_ptr<DevicePool> pool;
  std::shared_ptr<Device> device;
  const bool is_borrowed = false;
  GraphRecorder* const recorder = nullptr;  // null unless the run is recorded
  DeviceCounts before;                      // the device's counts when it was taken
  int64_t steps_ahead = 0;                  // steps enqueued since the host last waited
};

// Enqueues the launches of an instruction on arrays of the context's device. `steps` is the cost of
// the instruction. Waits after every kMostStepsAhead steps.
absl::Status RunOnDevice(PlanRunner& runner, int64_t steps,
                         absl::Span<const runtime::ArrayRef> operands,
                         absl::Span<const runtime::MutableArrayRef> results,
                         absl::Span<const uint64_t> words, CudaContext& context);

}  // namespace assay::cuda

#endif  // ASSAY_BACKENDS_CUDA_CUDA_CONTEXT_H_
