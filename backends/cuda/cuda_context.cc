#include "backends/cuda/cuda_context.h"

#include <vector>

#include "backends/cuda/graph_recorder.h"

namespace assay::cuda {

CudaContext::~CudaContext() {
  if (device == nullptr) return;
  if (device->HasWork()) device->Synchronize().IgnoreError();  // of a run that has failed already
  if (!is_borrowed) pool->Return(std::move(device));
}

absl::StatusOr<Device*> CudaContext::UseDevice() {
  if (device == nullptr) {
    absl::StatusOr<std::shared_ptr<Device>> taken = pool->Take();
    if (!taken.ok()) return taken.status();
    device = *std::move(taken);
    before = device->counts();
  }
  return device.get();
}

DeviceCounts CudaContext::Counts() const {
  return device == nullptr || is_borrowed ? DeviceCounts() : device->counts() - before;
}

absl::Status RunOnDevice(PlanRunner& runner, int64_t steps,
                         absl::Span<const runtime::ArrayRef> operands,
                         absl::Span<const runtime::MutableArrayRef> results,
                         absl::Span<const uint64_t> words, CudaContext& context) {
  absl::StatusOr<Device*> device = context.UseDevice();
  if (!device.ok()) return device.status();
  std::vector<const std::byte*> inputs;
  std::vector<std::byte*> outputs;
  for (const runtime::ArrayRef& operand : operands) inputs.push_back(operand.data);
  for (const runtime::MutableArrayRef& result : results) outputs.push_back(result.data);
  absl::Status status = runner.Run(**device, inputs, outputs, words);
  if (!status.ok()) return status;
  context.steps_ahead += steps;
  if (context.recorder != nullptr) return context.recorder->AfterStep(&context.steps_ahead);
  if (context.steps_ahead < kMostStepsAhead) return absl::OkStatus();
  context.steps_ahead = 0;
  return (*device)->Synchronize();
}

}  // namespace assay::cuda
