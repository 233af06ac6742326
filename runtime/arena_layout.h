// Offsets for values of known sizes and lifetimes in one piece of memory: a value takes a range
// when its life begins and gives it back when it ends, and ranges of values that live at one time
// are disjoint. Tests: arena_layout_test.cc.
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
  // The offset of a free range, a multiple of `alignment` (a power of two): the smallest range that
  // is large enough, else new room at the end. kNoRoom, and no change, where the layout would then
  // exceed `limit` bytes.
  int64_t Take(int64_t bytes, int64_t alignment, int64_t limit = INT64_MAX);
  // Gives back what Take() returned for so many bytes.
  void Give(int64_t offset, int64_t bytes);
  // The bytes that the memory must have.
  int64_t size() const { return size_; }

 private:
  void Add(int64_t offset, int64_t bytes);
  void Remove(int64_t offset, int64_t bytes);

  int64_t size_ = 0;
  std::map<int64_t, int64_t> free_;                      // bytes by offset; no two of them touch
  std::set<std::pair<int64_t, int64_t>> free_by_bytes_;  // (bytes, offset)
};

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_ARENA_LAYOUT_H_
