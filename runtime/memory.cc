#include "runtime/memory.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <utility>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "absl/strings/str_cat.h"
#include "runtime/kept_bytes.h"

namespace assay::runtime {
namespace {

constexpr size_t kCacheLine = 64;  // and the widest vector
// Blocks from this size on come from the system page by page, and it gets them back when they are
// freed: filling new ones costs a fault for each page, which is more than most operations cost.
constexpr size_t kLarge = size_t{1} << 17;
constexpr size_t kHugePage = size_t{1} << 21;

// Null where there is no memory.
std::byte* NewBlock(size_t bytes) {
  void* block = nullptr;
  const bool huge = bytes >= 2 * kHugePage;
  if (posix_memalign(&block, huge ? kHugePage : kCacheLine, bytes) != 0) return nullptr;
#if defined(__linux__)
  // One fault for 512 pages, where the system has such; its refusal does not matter.
  if (huge) madvise(block, bytes / kHugePage * kHugePage, MADV_HUGEPAGE);
#endif
  return static_cast<std::byte*>(block);
}

// Large blocks that values have let go of, for the next values of the same size, of this run or of
// later ones. Safe from several threads.
class SpareBlocks {
 public:
  // Never destroyed: values may outlive everything.
  static SpareBlocks& Get() {
    static SpareBlocks* const spares = new SpareBlocks;
    return *spares;
  }
  // Null where there is none.
  std::byte* Take(size_t bytes) {
    const std::lock_guard lock(mutex_);
    for (auto spare = spares_.rbegin(); spare != spares_.rend(); ++spare) {
      if (spare->bytes != bytes) continue;
      std::byte* block = spare->block;
      total_ -= bytes;
      spares_.erase(std::next(spare).base());
      return block;
    }
    return nullptr;
  }
  // Frees those that have waited longest, this one perhaps, when there are too many.
  void Keep(std::byte* block, size_t bytes) {
    const std::lock_guard lock(mutex_);
    spares_.push_back({block, bytes});
    total_ += bytes;
    size_t freed = 0;
    for (; total_ > kMostBytes; ++freed) {
      total_ -= spares_[freed].bytes;
      std::free(spares_[freed].block);
    }
    spares_.erase(spares_.begin(), spares_.begin() + freed);
  }

 private:
  static constexpr size_t kMostBytes = kKeepsFreedMemory ? size_t{1} << 25 : 0;
  SpareBlocks() { spares_.reserve(kMostBytes / kLarge + 1); }  // so that Keep throws nothing

  struct Spare {
    std::byte* block;
    size_t bytes;
  };
  std::mutex mutex_;
  std::vector<Spare> spares_;  // guarded by mutex_, those that wait longest first
  size_t total_ = 0;
};

// Smaller blocks that values of this thread have let go of: loops ask for the same sizes again and
// again, and the allocator takes its slowest way for aligned memory.
class SpareBlocksOfThread {
 public:
  ~SpareBlocksOfThread() {
    for (Spare& spare : spares_) std::free(spare.block);
    ended_ = true;
  }
  // Null once the thread has destroyed its objects: values may outlive them.
  static SpareBlocksOfThread* Get() {
    if (ended_) return nullptr;
    static thread_local SpareBlocksOfThread spares;
    return &spares;
  }
  std::byte* Take(size_t bytes) {
    for (Spare& spare : spares_) {
      if (spare.bytes == bytes) {
        spare.bytes = 0;
        return std::exchange(spare.block, nullptr);
      }
    }
    return nullptr;
  }
  // In the place of the one that came first.
  void Keep(std::byte* block, size_t bytes) {
    Spare& spare = spares_[next_++ % spares_.size()];
    std::free(spare.block);
    spare = {block, bytes};
  }

 private:
  struct Spare {
    std::byte* block = nullptr;
    size_t bytes = 0;
  };
  std::array<Spare, 8> spares_;
  size_t next_ = 0;
  static inline thread_local bool ended_ = false;
};

std::byte* TakeBlock(size_t bytes) {
  std::byte* block = nullptr;
  if (bytes >= kLarge) {
    block = SpareBlocks::Get().Take(bytes);
  } else if (SpareBlocksOfThread* const spares = SpareBlocksOfThread::Get(); spares != nullptr) {
    block = spares->Take(bytes);
  }
  return block != nullptr ? block : NewBlock(bytes);
}

// Whole cache lines, at least one.
size_t RoundedUp(int64_t bytes) {
  return (std::max<size_t>(1, bytes) + kCacheLine - 1) / kCacheLine * kCacheLine;
}

void GiveBlock(std::byte* block, size_t bytes) {
  if (bytes >= kLarge) return SpareBlocks::Get().Keep(block, bytes);
  SpareBlocksOfThread* const spares = kKeepsFreedMemory ? SpareBlocksOfThread::Get() : nullptr;
  if (spares == nullptr) return std::free(block);
  spares->Keep(block, bytes);
}

}  // namespace

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

absl::Status MemoryAccount::ReserveSmall(int64_t bytes) {
  return Take(bytes, nullptr, "the storage of all small values of a computation");
}

void MemoryAccount::RaisePeak(int64_t live) {
  int64_t peak = peak_.load(std::memory_order_relaxed);
  while (live > peak && !peak_.compare_exchange_weak(peak, live, std::memory_order_relaxed)) {
  }
}

void FreeArena::operator()(std::byte* arena) const { GiveBlock(arena, bytes); }

ArenaPtr NewArena(int64_t bytes) {
  if (bytes == 0) return nullptr;
  const size_t rounded = RoundedUp(bytes);
  return ArenaPtr(TakeBlock(rounded), FreeArena{rounded});
}

absl::StatusOr<BufferPtr> MemoryAccount::Allocate(const std::shared_ptr<MemoryAccount>& account,
                                                  const Shape& shape) {
  absl::StatusOr<int64_t> bytes = shape.ByteSize();
  if (!bytes.ok()) return bytes.status();
  absl::Status status = account->Reserve(*bytes, shape);
  if (!status.ok()) return status;
  const size_t rounded = RoundedUp(*bytes);
  std::byte* storage = TakeBlock(rounded);
  if (storage == nullptr) {
    account->Release(*bytes);
    return absl::ResourceExhaustedError(
        absl::StrCat("no memory for a value of shape ", shape.ToString()));
  }
  return BufferPtr(storage, [account, count = *bytes, rounded](std::byte* data) {
    GiveBlock(data, rounded);
    account->Release(count);
  });
}

}  // namespace assay::runtime
