// Buffers of a run, counted against its budget.
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

// RESOURCE_EXHAUSTED for an array of more elements than a value may have.
absl::Status CheckElements(const RunBudget& budget, const Shape& shape);

// A piece of memory aligned for every vector, contents undefined; not counted. Null where there is
// no memory, or for no bytes.
struct FreeArena {
  size_t bytes = 0;
  void operator()(std::byte* arena) const;
};
using ArenaPtr = std::unique_ptr<std::byte[], FreeArena>;
ArenaPtr NewArena(int64_t bytes);

class MemoryAccount : public ScratchAccount {
 public:
  // Negative: unlimited.
  explicit MemoryAccount(int64_t limit) : limit_(limit < 0 ? INT64_MAX : limit) {}
  // A buffer for a value of the shape, contents undefined, that gives its bytes back when the last
  // owner lets go. `account` may die before the buffer. RESOURCE_EXHAUSTED names the shape.
  static absl::StatusOr<BufferPtr> Allocate(const std::shared_ptr<MemoryAccount>& account,
                                            const Shape& shape);
  // Counts storage that others own.
  absl::Status Reserve(int64_t bytes, const Shape& shape);
  // Counts what is too small to be refused by name; the next Reserve() is refused if it was too
  // much.
  void Count(int64_t bytes);
  absl::Status Reserve(int64_t bytes) override;
  // Counts what the host holds ready.
  absl::Status ReserveHeld(int64_t bytes);
  void Release(int64_t bytes) override { live_.fetch_sub(bytes, std::memory_order_relaxed); }
  int64_t peak() const { return peak_; }

 private:
  // `what` is said of bytes without shape.
  absl::Status Take(int64_t bytes, const Shape* shape, const char* what);
  void RaisePeak(int64_t live);
  const int64_t limit_;
  std::atomic<int64_t> live_{0};
  std::atomic<int64_t> peak_{0};
};

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_MEMORY_H_
