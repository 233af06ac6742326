// Buffers of a run, counted against its budget. Tests: interpreter/plan_memory_test.cc,
// interpreter/budgets_test.cc.
#ifndef ASSAY_RUNTIME_MEMORY_H_
#define ASSAY_RUNTIME_MEMORY_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "runtime/context.h"
#include "spec/ir/shape.h"

namespace assay::runtime {

using BufferPtr = std::shared_ptr<std::byte[]>;

// Returns RESOURCE_EXHAUSTED for an array with more elements than a value may have.
absl::Status CheckElements(const RunBudget& budget, const Shape& shape);

// Returns uninitialised memory that is aligned for every vector type and is not counted. Returns
// null if there is no memory, or for 0 bytes.
struct FreeArena {
  size_t bytes = 0;
  void operator()(std::byte* arena) const;
};
using ArenaPtr = std::unique_ptr<std::byte[], FreeArena>;
ArenaPtr NewArena(int64_t bytes);

class MemoryAccount : public ScratchAccount {
 public:
  // A negative limit means unlimited.
  explicit MemoryAccount(int64_t limit) : limit_(limit < 0 ? INT64_MAX : limit) {}
  // Returns an uninitialised buffer for a value of the shape. Its bytes are released when the last
  // owner releases it, which may be after the account's last other reference. Returns
  // RESOURCE_EXHAUSTED with the shape.
  static absl::StatusOr<BufferPtr> Allocate(const std::shared_ptr<MemoryAccount>& account,
                                            const Shape& shape);
  // Counts storage with another owner.
  absl::Status Reserve(int64_t bytes, const Shape& shape);
  // Counts the values of a computation that are too small for buffers of their own.
  absl::Status ReserveSmall(int64_t bytes);
  absl::Status Reserve(int64_t bytes) override;
  // Counts the bytes that the host holds.
  absl::Status ReserveHeld(int64_t bytes);
  void Release(int64_t bytes) override { live_.fetch_sub(bytes, std::memory_order_relaxed); }
  int64_t peak() const { return peak_; }

 private:
  // `what` describes bytes without a shape in the message.
  absl::Status Take(int64_t bytes, const Shape* shape, const char* what);
  void RaisePeak(int64_t live);
  const int64_t limit_;
  std::atomic<int64_t> live_{0};
  std::atomic<int64_t> peak_{0};
};

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_MEMORY_H_
