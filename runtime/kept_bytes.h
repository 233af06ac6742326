// Scratch memory for kernels, aligned to cache lines and not initialised. A thread keeps a few
// small blocks for whoever needs scratch next: to allocate them takes longer than to use them. It
// is not counted against a budget (ScratchLease does that). Tests: kept_bytes_test.cc.
#ifndef ASSAY_RUNTIME_KEPT_BYTES_H_
#define ASSAY_RUNTIME_KEPT_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace assay::runtime {

// Under the address sanitizer nothing is kept, so that every use after the end shows.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kKeepsFreedMemory = false;
#elif defined(__has_feature)
inline constexpr bool kKeepsFreedMemory = !__has_feature(address_sanitizer);
#else
inline constexpr bool kKeepsFreedMemory = true;
#endif

class KeptBytes {
 public:
  KeptBytes() = default;
  explicit KeptBytes(int64_t size);
  ~KeptBytes() { Return(); }
  KeptBytes(const KeptBytes&) = delete;
  KeptBytes& operator=(const KeptBytes&) = delete;
  KeptBytes(KeptBytes&& other) noexcept = default;
  KeptBytes& operator=(KeptBytes&& other) noexcept;

  // Null for size 0.
  std::byte* data() const { return memory_.get(); }

 private:
  static constexpr std::align_val_t kAlignment{64};
  static constexpr int64_t kMostKept = int64_t{1} << 18;  // bytes of a block
  struct Free {
    void operator()(std::byte* bytes) const { ::operator delete[](bytes, kAlignment); }
  };
  struct KeptBlocks;
  void Return();

  std::unique_ptr<std::byte, Free> memory_;
  int64_t size_ = 0;  // what has been allocated, which may be more than was asked for
};

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_KEPT_BYTES_H_
