// Pointers of 32 bits (pointer compression, as V8 and HotSpot have it): what programs are made of
// lies in one range of addresses that the process reserves, so that the offset from its beginning,
// counted in units of 4 bytes, says where something is. An operation of a program, which is little
// but references to others, takes half the memory that way. Tests: tree_test.cc.
#ifndef ASSAY_SPEC_STABLEHLO_RESERVED_RANGE_H_
#define ASSAY_SPEC_STABLEHLO_RESERVED_RANGE_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace assay::stablehlo {

// The beginning of the range: 8 bytes before the first object, so that no object has offset 0.
// It is set before there is any object.
extern std::byte* g_range_begin;

// A pointer to an object in the range, or null; used as a plain pointer.
template <typename T>
class Ref {
 public:
  Ref() = default;
  Ref(T* pointer)  // NOLINT(google-explicit-constructor)
      : offset_(pointer == nullptr
                    ? 0
                    : static_cast<uint32_t>(static_cast<size_t>(Address(pointer) - g_range_begin) /
                                            4)) {}
  T* get() const {
    return offset_ == 0 ? nullptr
                        : reinterpret_cast<T*>(g_range_begin + static_cast<size_t>(offset_) * 4);
  }
  operator T*() const { return get(); }  // NOLINT(google-explicit-constructor)
  T* operator->() const { return get(); }
  T& operator*() const { return *get(); }

 private:
  static std::byte* Address(T* pointer) {
    return reinterpret_cast<std::byte*>(const_cast<std::remove_const_t<T>*>(pointer));
  }

  uint32_t offset_ = 0;
};

// Memory of the range that is given back as a whole. Objects in it are not destroyed.
class RangeArena {
 public:
  RangeArena() = default;
  RangeArena(const RangeArena&) = delete;
  RangeArena& operator=(const RangeArena&) = delete;
  ~RangeArena();

  // Memory that is aligned to 8 bytes. Throws std::bad_alloc where the range, of 16 GiB unless the
  // system grants less, or the machine's memory is used up.
  void* Allocate(size_t bytes) {
    free_ += -reinterpret_cast<uintptr_t>(free_) & 7;
    return AllocateWords((bytes + 7) & ~size_t{7});
  }
  // Memory that is aligned to 4 bytes, of a multiple of 4 bytes.
  void* AllocateWords(size_t bytes) {
    if (static_cast<ptrdiff_t>(bytes) > end_ - free_) return AllocateRun(bytes);
    std::byte* at = free_;
    free_ += bytes;
    return at;
  }

  // The memory that it has of the range.
  size_t bytes() const;

 private:
  // A number of consecutive pages of the range.
  struct Run {
    size_t first;
    size_t pages;
  };

  void* AllocateRun(size_t bytes);

  std::vector<Run> runs_;
  std::byte* free_ = nullptr;
  std::byte* end_ = nullptr;
};

}  // namespace assay::stablehlo

#endif  // ASSAY_SPEC_STABLEHLO_RESERVED_RANGE_H_
