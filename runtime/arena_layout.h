// Assigns offsets in one block of memory to values of known sizes and lifetimes. A value takes a
// range when its lifetime begins and returns it when it ends. Ranges of values that are live at the
// same time are disjoint. Tests: arena_layout_test.cc.
#ifndef ASSAY_RUNTIME_ARENA_LAYOUT_H_
#define ASSAY_RUNTIME_ARENA_LAYOUT_H_

#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace assay::runtime {

class ArenaLayout {
 public:
  static constexpr int64_t kNoRoom = -1;
  // Takes the smallest free range that is large enough, or new space at the end. Returns its
  // offset, a multiple of `alignment` (a power of two). Returns kNoRoom and changes nothing if the
  // layout would exceed `limit` bytes.
  int64_t Take(int64_t bytes, int64_t alignment, int64_t limit = INT64_MAX);
  // Returns a range that Take() returned for this number of bytes.
  void Give(int64_t offset, int64_t bytes);
  // Returns the required size of the memory in bytes.
  int64_t size() const { return size_; }

 private:
  void Add(int64_t offset, int64_t bytes);
  void Remove(int64_t offset, int64_t bytes);

  int64_t size_ = 0;
  std::map<int64_t, int64_t> free_;  // bytes by offset; adjacent ranges are merged
  std::set<std::pair<int64_t, int64_t>> free_by_bytes_;  // (bytes, offset)
};

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_ARENA_LAYOUT_H_
