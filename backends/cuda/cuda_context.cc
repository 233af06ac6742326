#include "backends/cuda/cuda_context.h"

#include <algorithm>
#include <vector>

namespace assay::cuda {
namespace {

int64_t BytesOf(const Shape& shape) {
  return shape.element_count() * runtime::StorageBytes(shape.element_type());
}

absl::Status CopyInRunCopyOut(PlanRunner& runner, absl::Span<const runtime::ArrayRef> operands,
                              absl::Span<const runtime::MutableArrayRef> results,
                              absl::Span<const uint64_t> words, Device& device) {
  std::vector<DeviceBuffer> buffers;
  std::vector<const std::byte*> inputs;
  std::vector<std::byte*> outputs;
  for (const runtime::ArrayRef& operand : operands) {
    const int64_t bytes = operand.shape->is_array() ? BytesOf(*operand.shape) : 0;
    absl::StatusOr<DeviceBuffer> buffer = device.Allocate(bytes);
    if (!buffer.ok()) return buffer.status();
    if (absl::Status status = device.CopyIn(buffer->data(), operand.data, bytes); !status.ok()) {
      return status;
    }
    inputs.push_back(buffer->data());
    buffers.push_back(*std::move(buffer));
  }
  for (const runtime::MutableArrayRef& result : results) {
    const int64_t bytes = result.shape->is_array() ? BytesOf(*result.shape) : 0;
    absl::StatusOr<DeviceBuffer> buffer = device.Allocate(bytes);
    if (!buffer.ok()) return buffer.status();
    outputs.push_back(buffer->data());
    buffers.push_back(*std::move(buffer));
  }
  absl::Status status = runner.Run(device, inputs, outputs, words);
  for (size_t i = 0; i < results.size() && status.ok(); ++i) {
    const int64_t bytes = results[i].shape->is_array() ? BytesOf(*results[i].shape) : 0;
    status = device.CopyOut(results[i].data, outputs[i], bytes);
  }
  return status;
}

}  // namespace

absl::StatusOr<Device*> CudaContext::UseDevice() {
  if (device == nullptr) {
    absl::StatusOr<std::shared_ptr<Device>> taken = pool->Take();
    if (!taken.ok()) return taken.status();
    device = *std::move(taken);
  }
  return device.get();
}

absl::Status RunOnHostArrays(PlanRunner& runner, absl::Span<const runtime::ArrayRef> operands,
                             absl::Span<const runtime::MutableArrayRef> results,
                             absl::Span<const uint64_t> words, CudaContext& context) {
  absl::StatusOr<Device*> device = context.UseDevice();
  if (!device.ok()) return device.status();
  absl::Status status = CopyInRunCopyOut(runner, operands, results, words, **device);
  // The host's arrays may go away after an error, too.
  absl::Status waited = (*device)->Synchronize();
  return status.ok() ? waited : status;
}

}  // namespace assay::cuda
