// Every sequence of a few takes and gives, against a map of bytes: ranges of values that live at
// one time are disjoint, aligned and inside the layout, and what was given back is used again.
#include "runtime/arena_layout.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"

namespace assay::runtime::arena_layout_test {
namespace {

struct Value {
  int64_t offset, bytes;
};

// The steps of a sequence are the digits of `code`: 0 to 2 take values of three sizes, 3 to 5 give
// back the first, the last or the middle one of those that live.
void RunSequence(int code, int length) {
  constexpr int64_t kBytes[] = {16, 48, 64};
  constexpr int64_t kAlignment[] = {16, 16, 64};
  ArenaLayout layout;
  std::vector<Value> live;
  std::vector<int> owners(1024, 0);
  for (int step = 0; step < length; ++step, code /= 6) {
    const int choice = code % 6;
    if (choice < 3) {
      const Value value = {layout.Take(kBytes[choice], kAlignment[choice]), kBytes[choice]};
      ASSERT_EQ(value.offset % kAlignment[choice], 0);
      ASSERT_LE(value.offset + value.bytes, layout.size());
      for (int64_t i = 0; i < value.bytes; ++i) ASSERT_EQ(owners[value.offset + i]++, 0);
      live.push_back(value);
    } else if (!live.empty()) {
      const size_t which = choice == 3 ? 0 : choice == 4 ? live.size() - 1 : live.size() / 2;
      const Value value = live[which];
      layout.Give(value.offset, value.bytes);
      for (int64_t i = 0; i < value.bytes; ++i) --owners[value.offset + i];
      live.erase(live.begin() + static_cast<int64_t>(which));
    }
  }
  // After all have gone, what fits into the whole takes no new room.
  for (const Value& value : live) layout.Give(value.offset, value.bytes);
  const int64_t size = layout.size();
  if (size > 0) {
    ASSERT_EQ(layout.Take(size, 1), 0);
    ASSERT_EQ(layout.size(), size);
  }
}

TEST(ArenaLayout, LivingValuesAreDisjoint) {
  constexpr int kLength = 6;
  int sequences = 1;
  for (int i = 0; i < kLength; ++i) sequences *= 6;
  for (int code = 0; code < sequences; ++code) {
    RunSequence(code, kLength);
    if (HasFatalFailure()) FAIL() << "sequence " << code;
  }
}

TEST(ArenaLayout, TakesTheSmallestRangeThatIsLargeEnough) {
  ArenaLayout layout;
  const int64_t large = layout.Take(64, 16), wall = layout.Take(16, 16);
  const int64_t small = layout.Take(32, 16), end = layout.Take(16, 16);
  layout.Give(large, 64);
  layout.Give(small, 32);
  EXPECT_EQ(layout.Take(32, 16), small);
  EXPECT_EQ(layout.Take(48, 16), large);
  EXPECT_EQ(layout.Take(16, 16), large + 48);
  EXPECT_EQ(layout.size(), end + 16);
  EXPECT_EQ(wall, large + 64);
}

TEST(ArenaLayout, GrowsTheRangeAtTheEnd) {
  ArenaLayout layout;
  layout.Take(16, 16);
  const int64_t last = layout.Take(16, 16);
  layout.Give(last, 16);
  EXPECT_EQ(layout.Take(64, 16), last);
  EXPECT_EQ(layout.size(), 80);
}

TEST(ArenaLayout, KeepsToTheLimit) {
  ArenaLayout layout;
  EXPECT_EQ(layout.Take(64, 16, 63), ArenaLayout::kNoRoom);
  EXPECT_EQ(layout.size(), 0);
  EXPECT_EQ(layout.Take(64, 16, 64), 0);
  EXPECT_EQ(layout.Take(1, 16, 64), ArenaLayout::kNoRoom);
  layout.Give(0, 64);
  EXPECT_EQ(layout.Take(16, 16, 64), 0);
  EXPECT_EQ(layout.Take(0, 64, 0), 0);  // no bytes take no room
}

}  // namespace
}  // namespace assay::runtime::arena_layout_test
