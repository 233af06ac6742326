#include "spec/stablehlo/reserved_range.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <new>

#ifdef __SANITIZE_ADDRESS__
#define ASSAY_LEAKS_ARE_LOOKED_FOR
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASSAY_LEAKS_ARE_LOOKED_FOR
#endif
#endif
#ifdef ASSAY_LEAKS_ARE_LOOKED_FOR
#include <sanitizer/lsan_interface.h>
#endif

namespace assay::stablehlo {
namespace {

constexpr size_t kPage = 65536;
constexpr size_t kMostBytes = (size_t{4} << 32) - kPage;  // what 32 bits can say
constexpr size_t kLeastBytes = size_t{16} << 20;
constexpr size_t kGrowth = 16;      // pages that become accessible at once, at least
constexpr size_t kArenaGrowth = 4;  // pages that a large arena takes at once
// Runs from this size on go back to the system; smaller ones are used again as they are.
constexpr size_t kReturnedPages = 16;

// The pages of the range: those below `accessible_` are in use or free, the others are reserved.
class Range {
 public:
  // The number of the first of `pages` consecutive ones.
  size_t Take(size_t pages) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (begin_ == nullptr) Reserve();
    for (auto run = free_.begin(); run != free_.end(); ++run) {
      if (run->second < pages) continue;
      const auto [first, count] = *run;
      free_.erase(run);
      if (count > pages) free_[first + pages] = count - pages;
      return first;
    }
    const size_t first = accessible_;
    const size_t wanted = std::min(std::max(pages, kGrowth), size_ - accessible_);
    if (wanted < pages ||
        mprotect(begin_ + first * kPage, wanted * kPage, PROT_READ | PROT_WRITE) != 0) {
      throw std::bad_alloc();
    }
    accessible_ += wanted;
    if (wanted > pages) Free(first + pages, wanted - pages);
    return first;
  }

  void GiveBack(size_t first, size_t pages) {
    if (pages >= kReturnedPages) madvise(begin_ + first * kPage, pages * kPage, MADV_DONTNEED);
    std::lock_guard<std::mutex> lock(mutex_);
    Free(first, pages);
  }

  std::byte* page(size_t number) const { return begin_ + number * kPage; }

 private:
  // Reserved addresses take no memory. Where addresses themselves are limited, half of them are for
  // the rest of the process.
  void Reserve() {
    size_t most = kMostBytes;
    rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur / 2 < most) most = limit.rlim_cur / 2;
    for (size_t bytes = most; bytes >= kLeastBytes; bytes /= 2) {
      void* at =
          mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (at == MAP_FAILED) continue;
      begin_ = static_cast<std::byte*>(at);
      size_ = bytes / kPage;
      g_range_begin = begin_ - 8;
#ifdef ASSAY_LEAKS_ARE_LOOKED_FOR
      __lsan_register_root_region(begin_, bytes);
#endif
      return;
    }
    throw std::bad_alloc();
  }

  // Joins free runs that are neighbours.
  void Free(size_t first, size_t pages) {
    auto after = free_.lower_bound(first);
    if (after != free_.end() && first + pages == after->first) {
      pages += after->second;
      after = free_.erase(after);
    }
    if (after != free_.begin()) {
      auto before = std::prev(after);
      if (before->first + before->second == first) {
        before->second += pages;
        return;
      }
    }
    free_[first] = pages;
  }

  std::mutex mutex_;
  std::byte* begin_ = nullptr;
  size_t size_ = 0;                // pages that are reserved
  size_t accessible_ = 0;          // pages that are not only reserved
  std::map<size_t, size_t> free_;  // runs: the first page, and how many
};

Range& TheRange() {
  static auto* const range = new Range();
  return *range;
}

}  // namespace

std::byte* g_range_begin = nullptr;

RangeArena::~RangeArena() {
  for (const Run& run : runs_) TheRange().GiveBack(run.first, run.pages);
}

size_t RangeArena::bytes() const {
  size_t pages = 0;
  for (const Run& run : runs_) pages += run.pages;
  return pages * kPage;
}

void* RangeArena::AllocateRun(size_t bytes) {
  // A large arena grows by more, and fetches that at once: one call for many faults.
  const size_t needed = (bytes + kPage - 1) / kPage;
  const size_t pages = std::max(needed, std::min(this->bytes() / kPage / 32, kArenaGrowth));
  runs_.reserve(runs_.size() + 1);
  const Run run = {TheRange().Take(pages), pages};
  if (!runs_.empty() && runs_.back().first + runs_.back().pages == run.first) {
    runs_.back().pages += pages;
  } else {
    runs_.push_back(run);
  }
  std::byte* at = TheRange().page(run.first);
#ifdef MADV_POPULATE_WRITE
  if (pages > 1) madvise(at, pages * kPage, MADV_POPULATE_WRITE);  // kernels before 5.14 refuse
#endif
  std::byte* end = at + pages * kPage;
  // The rest of the page with more room is used on.
  if (end - (at + bytes) > end_ - free_) {
    free_ = at + bytes;
    end_ = end;
  }
  return at;
}

}  // namespace assay::stablehlo
