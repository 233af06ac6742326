#include "interpreter/memory.h"

#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "interpreter/interpreter.h"

namespace assay {

absl::Status CheckElements(const RunBudget& budget, const Shape& shape) {
  if (budget.elements < 0) return absl::OkStatus();
  const absl::StatusOr<int64_t> count = shape.ElementCount();
  if (count.ok() && *count <= budget.elements) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      "a value of shape ", shape.ToString(), " has more than ", budget.elements, " elements"));
}

absl::Status MemoryAccount::Take(int64_t bytes, const Shape* shape, const char* what) {
  const int64_t live = live_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  if (live > limit_ || live < 0) {
    live_.fetch_sub(bytes, std::memory_order_relaxed);
    return absl::ResourceExhaustedError(
        absl::StrCat(shape == nullptr ? what : "a value of shape " + shape->ToString(), " (", bytes,
                     " bytes) does not fit into the budget of ", limit_, " bytes, of which ",
                     live - bytes, " are in use"));
  }
  RaisePeak(live);
  return absl::OkStatus();
}

absl::Status MemoryAccount::Reserve(int64_t bytes, const Shape& shape) {
  return Take(bytes, &shape, "");
}

absl::Status MemoryAccount::Reserve(int64_t bytes) { return Take(bytes, nullptr, "scratch"); }

absl::Status MemoryAccount::ReserveHeld(int64_t bytes) {
  return Take(bytes, nullptr, "what the host has ready for infeeds and receives");
}

void MemoryAccount::Count(int64_t bytes) {
  RaisePeak(live_.fetch_add(bytes, std::memory_order_relaxed) + bytes);
}

void MemoryAccount::RaisePeak(int64_t live) {
  int64_t peak = peak_.load(std::memory_order_relaxed);
  while (live > peak && !peak_.compare_exchange_weak(peak, live, std::memory_order_relaxed)) {
  }
}

absl::StatusOr<BufferPtr> MemoryAccount::Allocate(const std::shared_ptr<MemoryAccount>& account,
                                                  const Shape& shape) {
  absl::StatusOr<int64_t> bytes = shape.ByteSize();
  if (!bytes.ok()) return bytes.status();
  absl::Status status = account->Reserve(*bytes, shape);
  if (!status.ok()) return status;
  constexpr size_t kAlign = 64;  // a cache line, and the widest vector
  const size_t rounded = (static_cast<size_t>(*bytes) + kAlign - 1) / kAlign * kAlign;
  auto* storage =
      static_cast<std::byte*>(std::aligned_alloc(kAlign, rounded == 0 ? kAlign : rounded));
  if (storage == nullptr) {
    account->Release(*bytes);
    return absl::ResourceExhaustedError(
        absl::StrCat("no memory for a value of shape ", shape.ToString()));
  }
  return BufferPtr(storage, [account, count = *bytes](std::byte* data) {
    std::free(data);
    account->Release(count);
  });
}

}  // namespace assay
