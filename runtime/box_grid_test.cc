#include "runtime/box_grid.h"

#include <vector>

#include "gtest/gtest.h"
#include "spec/ir/shape.h"

namespace assay::runtime {
namespace {

// The positions of a box's elements in the grid, in the order of the box.
std::vector<int64_t> PositionsOf(const Box& box, const Dimensions& sizes) {
  std::vector<int64_t> positions = {0};
  for (size_t d = 0; d < sizes.size(); ++d) {
    std::vector<int64_t> finer;
    for (const int64_t position : positions) {
      for (int64_t i = 0; i < box.counts[d]; ++i) {
        finer.push_back(position * sizes[d] + box.starts[d] + i);
      }
    }
    positions = finer;
  }
  return positions;
}

TEST(BoxGrid, CoversEveryElementOnceInOrder) {
  for (const Dimensions& sizes : {Dimensions{}, Dimensions{7}, Dimensions{3, 5},
                                  Dimensions{2, 3, 4}, Dimensions{1, 9, 1}, Dimensions{3, 0, 2}}) {
    int64_t elements = 1;
    for (const int64_t size : sizes) elements *= size;
    for (int64_t most = 1; most <= 8; ++most) {
      const BoxGrid grid(sizes, most);
      int64_t next = 0;
      for (int64_t number = 0; number < grid.count(); ++number) {
        const Box box = grid.At(number);
        EXPECT_EQ(box.first, next);
        EXPECT_LE(box.count, most);
        std::vector<int64_t> consecutive;
        for (int64_t i = 0; i < box.count; ++i) consecutive.push_back(next++);
        EXPECT_EQ(PositionsOf(box, sizes), consecutive);
      }
      EXPECT_EQ(next, elements);
    }
  }
}

TEST(BoxGrid, SharesAreEven) {
  const BoxGrid grid({10}, 4);
  ASSERT_EQ(grid.count(), 3);
  EXPECT_EQ(grid.At(0).count, 4);
  EXPECT_EQ(grid.At(2).count, 2);
  EXPECT_EQ(BoxGrid({9}, 8).At(0).count, 5);
}

}  // namespace
}  // namespace assay::runtime
