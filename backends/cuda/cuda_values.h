// The values of a run in the memory of a device (runtime/value_memory.h), accessed in the order of
// the device's stream, and the constants of a plan, which stay on each device between runs. Tests:
// cuda_counts_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_CUDA_VALUES_H_
#define ASSAY_BACKENDS_CUDA_CUDA_VALUES_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backends/cuda/cuda_context.h"
#include "runtime/value_memory.h"

namespace assay::cuda {

// The constants of one engine, by stream. Thread-safe.
class ConstantCache {
 public:
  absl::StatusOr<runtime::BufferPtr> Get(const Literal& constant, Device& device);

 private:
  struct Entry {
    runtime::BufferPtr host;  // keeps the key's storage alive, so that its address is not reused
    runtime::BufferPtr block;
    int64_t epoch = -1;
  };
  std::mutex mutex_;
  std::map<std::pair<const Device*, const std::byte*>, Entry> entries_;
};

class CudaValues : public runtime::ValueMemory {
 public:
  CudaValues(CudaContext& context, std::shared_ptr<ConstantCache> constants)
      : context_(context), constants_(std::move(constants)) {}
  CudaContext& context() const { return context_; }

  absl::StatusOr<runtime::BufferPtr> Allocate(int64_t bytes) override;
  absl::Status CopyIn(std::byte* to, const runtime::BufferPtr& from, int64_t bytes) override;
  absl::Status CopyFrom(ValueMemory& other, std::byte* to, const std::byte* from,
                        int64_t bytes) override;
  absl::Status FillZero(std::byte* to, int64_t bytes) override;
  absl::Status CopyBoxWithin(const Literal& from, absl::Span<const int64_t> box,
                             absl::Span<const int64_t> at, const Shape& to_shape,
                             std::byte* to) override;
  absl::Status CopyOut(absl::Span<const HostCopy> copies) override;
  absl::StatusOr<runtime::BufferPtr> Constant(const Literal& constant) override;

 private:
  CudaContext& context_;
  const std::shared_ptr<ConstantCache> constants_;
};

}  // namespace assay::cuda

#endif  // ASSAY_BACKENDS_CUDA_CUDA_VALUES_H_
