#include "backends/cuda/cuda_values.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/cuda/graph_recorder.h"
#include "backends/cuda/kernel_table.h"

namespace assay::cuda {
namespace {

using runtime::BufferPtr;

absl::StatusOr<BufferPtr> NewBlock(Device& device, int64_t bytes) {
  absl::StatusOr<DeviceBuffer> buffer = device.Allocate(bytes);
  if (!buffer.ok()) return buffer.status();
  auto owner = std::make_shared<DeviceBuffer>(*std::move(buffer));
  std::byte* const data = owner->data();
  return BufferPtr(std::move(owner), data);
}

}  // namespace

absl::StatusOr<BufferPtr> ConstantCache::Get(const Literal& constant, Device& device) {
  std::lock_guard<std::mutex> lock(mutex_);
  Entry& entry = entries_[{&device, constant.data()}];
  if (entry.block != nullptr && entry.epoch == device.epoch()) return entry.block;
  absl::StatusOr<BufferPtr> block = NewBlock(device, constant.byte_size());
  if (!block.ok()) return block.status();
  device.Keep(constant.buffer());
  absl::Status status = device.CopyIn(block->get(), constant.data(), constant.byte_size());
  if (!status.ok()) return status;
  entry = {constant.buffer(), *std::move(block), device.epoch()};
  return entry.block;
}

absl::StatusOr<BufferPtr> CudaValues::Allocate(int64_t bytes) {
  absl::StatusOr<Device*> device = context_.UseDevice();
  if (!device.ok()) return device.status();
  return NewBlock(**device, bytes);
}

absl::Status CudaValues::CopyIn(std::byte* to, const BufferPtr& from, int64_t bytes) {
  absl::StatusOr<Device*> device = context_.UseDevice();
  if (!device.ok()) return device.status();
  if (context_.recorder != nullptr) {
    return context_.recorder->CopyIn(**device, to, from.get(), bytes);
  }
  (*device)->Keep(from);
  return (*device)->CopyIn(to, from.get(), bytes);
}

// This stream waits until the other has written the value, and the other waits until it has been
// read: it may be freed or overwritten then.
absl::Status CudaValues::CopyFrom(ValueMemory& other, std::byte* to, const std::byte* from,
                                  int64_t bytes) {
  absl::StatusOr<Device*> device = context_.UseDevice();
  if (!device.ok()) return device.status();
  auto* const cuda = dynamic_cast<CudaValues*>(&other);
  if (cuda == this) return (*device)->Copy(to, from, bytes);
  if (cuda == nullptr) {  // a program of another engine
    const BufferPtr on_host(new std::byte[bytes]);
    absl::Status status = other.CopyOut({{from, on_host.get(), bytes}});
    return status.ok() ? CopyIn(to, on_host, bytes) : status;
  }
  absl::StatusOr<Device*> source = cuda->context_.UseDevice();
  if (!source.ok()) return source.status();
  absl::StatusOr<DeviceEvent> written = (*source)->Record();
  if (!written.ok()) return written.status();
  absl::Status status = (*device)->WaitFor(*written);
  if (status.ok()) status = (*device)->Copy(to, from, bytes);
  if (!status.ok()) return status;
  absl::StatusOr<DeviceEvent> read = (*device)->Record();
  if (!read.ok()) return read.status();
  return (*source)->WaitFor(*read);
}

absl::Status CudaValues::FillZero(std::byte* to, int64_t bytes) {
  absl::StatusOr<Device*> device = context_.UseDevice();
  if (!device.ok()) return device.status();
  return (*device)->FillZero(to, bytes);
}

absl::Status CudaValues::CopyBoxWithin(const Literal& from, absl::Span<const int64_t> box,
                                       absl::Span<const int64_t> at, const Shape& to_shape,
                                       std::byte* to) {
  absl::StatusOr<KernelPlan> plan = PrepareBoxCopy(from.shape(), box, at, to_shape);
  if (!plan.ok()) return plan.status();
  absl::StatusOr<std::unique_ptr<PlanRunner>> runner =
      PlanRunner::Create(*std::move(plan), context_.pool->api());
  if (!runner.ok()) return runner.status();
  const runtime::ArrayRef operand = {&from.shape(), from.data()};
  const runtime::MutableArrayRef result = {&to_shape, to};
  return RunOnDevice(**runner, from.element_count(), {&operand, 1}, {&result, 1}, {}, context_);
}

absl::Status CudaValues::CopyOut(absl::Span<const HostCopy> copies) {
  absl::StatusOr<Device*> device = context_.UseDevice();
  if (!device.ok()) return device.status();
  if (context_.recorder != nullptr) {
    return absl::FailedPreconditionError("the host reads a value that is only recorded");
  }
  absl::Status status;
  for (const HostCopy& copy : copies) {
    if (status.ok()) status = (*device)->CopyOut(copy.to, copy.from, copy.bytes);
  }
  // What was enqueued before an error may still write to the host.
  absl::Status waited = (*device)->Synchronize();
  context_.steps_ahead = 0;
  return status.ok() ? waited : status;
}

absl::StatusOr<BufferPtr> CudaValues::Constant(const Literal& constant) {
  absl::StatusOr<Device*> device = context_.UseDevice();
  if (!device.ok()) return device.status();
  return constants_->Get(constant, **device);
}

}  // namespace assay::cuda
