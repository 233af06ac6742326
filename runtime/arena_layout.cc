#include "runtime/arena_layout.h"

#include <iterator>

namespace assay::runtime {
namespace {

int64_t Align(int64_t offset, int64_t alignment) { return (offset + alignment - 1) & -alignment; }

}  // namespace

int64_t ArenaLayout::Take(int64_t bytes, int64_t alignment, int64_t limit) {
  if (bytes == 0) return 0;
  for (auto range = free_by_bytes_.lower_bound({bytes, 0}); range != free_by_bytes_.end();
       ++range) {
    const auto [room, start] = *range;
    const int64_t offset = Align(start, alignment);
    if (offset + bytes > start + room) continue;
    Remove(start, room);
    Add(start, offset - start);
    Add(offset + bytes, start + room - offset - bytes);
    return offset;
  }
  // A free range at the end becomes longer.
  int64_t start = size_;
  if (!free_.empty()) {
    const auto [last, room] = *std::prev(free_.end());
    if (last + room == size_) start = last;
  }
  const int64_t offset = Align(start, alignment);
  if (bytes > limit - offset) return kNoRoom;
  if (start != size_) Remove(start, size_ - start);
  Add(start, offset - start);
  size_ = offset + bytes;
  return offset;
}

void ArenaLayout::Give(int64_t offset, int64_t bytes) {
  if (bytes == 0) return;
  int64_t end = offset + bytes;
  const auto after = free_.lower_bound(offset);
  if (after != free_.begin()) {
    const auto [start, room] = *std::prev(after);
    if (start + room == offset) {
      Remove(start, room);
      offset = start;
    }
  }
  if (const auto next = free_.find(end); next != free_.end()) {
    const int64_t room = next->second;
    Remove(end, room);
    end += room;
  }
  Add(offset, end - offset);
}

void ArenaLayout::Add(int64_t offset, int64_t bytes) {
  if (bytes == 0) return;
  free_.emplace(offset, bytes);
  free_by_bytes_.emplace(bytes, offset);
}

void ArenaLayout::Remove(int64_t offset, int64_t bytes) {
  free_.erase(offset);
  free_by_bytes_.erase({bytes, offset});
}

}  // namespace assay::runtime
