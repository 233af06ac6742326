// Runs the launches of a prepared instruction (kernel_table.h) on a device: finds entries, keeps
// constants on each device, allocates scratch memory and fills in addresses. Thread-safe. Tests:
// cuda_backend_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_PLAN_RUNNER_H_
#define ASSAY_BACKENDS_CUDA_PLAN_RUNNER_H_

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/cuda/device/device.h"
#include "backends/cuda/kernel_table.h"
#include "backends/cuda/text/text_kernels.h"

namespace assay::cuda {

class PlanRunner {
 public:
  // Returns INTERNAL with the name of an entry that the table of functions does not have. `texts`
  // has generated kernels for launches of fusions; null for none.
  static absl::StatusOr<std::unique_ptr<PlanRunner>> Create(KernelPlan plan, const Api& api,
                                                            text::TextKernels* texts = nullptr);

  int in_place_operand() const { return plan_.in_place_operand; }
  const KernelPlan& plan() const { return plan_; }

  // Enqueues the launches on the device's stream. `words`, if not empty, are copied to constant 0
  // first.
  absl::Status Run(Device& device, absl::Span<const std::byte* const> operands,
                   absl::Span<std::byte* const> results, absl::Span<const uint64_t> words = {});

 private:
  // The constants on one device.
  struct Resident {
    int64_t epoch = -1;
    std::vector<DeviceBuffer> constants;
  };
  PlanRunner(KernelPlan plan, std::vector<const Entry*> entries)
      : shared_(std::make_shared<const KernelPlan>(std::move(plan))),
        plan_(*shared_),
        entries_(std::move(entries)) {}
  absl::StatusOr<std::shared_ptr<const Resident>> MakeResident(Device& device);

  // shared because copies of constants may outlive the runner
  const std::shared_ptr<const KernelPlan> shared_;
  const KernelPlan& plan_;
  const std::vector<const Entry*> entries_;  // by launch
  std::mutex mutex_;
  // shared because graphs may outlive the runner
  std::map<const Device*, std::shared_ptr<const Resident>> residents_;
};

}  // namespace assay::cuda

#endif  // ASSAY_BACKENDS_CUDA_PLAN_RUNNER_H_
