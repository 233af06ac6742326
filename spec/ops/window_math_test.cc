// Window and padding arithmetic: the worked examples of reference ops_structural.md 3.13 and 5.2,
// all small windows against a count of positions, and the ends of the integers.
#include "spec/ops/window_math.h"

#include <vector>

#include "absl/strings/match.h"
#include "gtest/gtest.h"

namespace assay {
namespace {

constexpr int64_t kMax = INT64_MAX;
constexpr int64_t kMin = INT64_MIN;

WindowDimension Make(int64_t size, int64_t stride, int64_t low, int64_t high,
                     int64_t window_dilation = 1, int64_t base_dilation = 1) {
  return {size, stride, low, high, window_dilation, base_dilation, false};
}

TEST(WindowMath, WorkedExamples) {
  // VALID and SAME rows of the table in 5.2.
  EXPECT_EQ(*WindowedSize(10, Make(5, 3, 0, 0)), 2);
  EXPECT_EQ(*WindowedSize(10, Make(5, 3, 2, 2)), 4);
  EXPECT_EQ(*WindowedSize(6, Make(3, 2, 0, 1)), 3);
  EXPECT_EQ(*WindowedSize(3, Make(5, 1, 0, 0)), 0);
  EXPECT_EQ(*WindowedSize(0, Make(3, 1, 1, 1)), 0);
  EXPECT_EQ(*WindowedSize(3, Make(2, 1, 2, 1, 3, 2)), 5);
  EXPECT_EQ(*WindowedSize(0, Make(2, 1, 1, 1, 1, 4)), 1);
  EXPECT_EQ(*WindowedSize(3, Make(2, 1, -2, -1)), 0);
  EXPECT_FALSE(WindowedSize(3, Make(2, 1, -3, -1)).ok());
}

TEST(WindowMath, FieldsBelowOneAreRefused) {
  EXPECT_TRUE(WindowedSize(4, Make(1, 1, 0, 0, 1, 1)).ok());
  for (int64_t bad : {int64_t{0}, int64_t{-1}, kMin}) {
    EXPECT_FALSE(WindowedSize(4, Make(bad, 1, 0, 0)).ok());
    EXPECT_FALSE(WindowedSize(4, Make(1, bad, 0, 0)).ok());
    EXPECT_FALSE(WindowedSize(4, Make(1, 1, 0, 0, bad)).ok());
    EXPECT_FALSE(WindowedSize(4, Make(1, 1, 0, 0, 1, bad)).ok());
  }
}

TEST(WindowMath, HugeFieldsAreRefusedOrExact) {
  EXPECT_EQ(*WindowedSize(kMax, Make(1, 1, 0, 0)), kMax);
  EXPECT_EQ(*WindowedSize(kMax, Make(kMax, kMax, 0, 0)), 1);
  EXPECT_EQ(*WindowedSize(1, Make(1, 1, 0, kMax - 1)), kMax);
  EXPECT_FALSE(WindowedSize(1, Make(1, 1, 0, kMax)).ok());
  EXPECT_FALSE(WindowedSize(1, Make(1, 1, kMax, kMax)).ok());
  EXPECT_FALSE(WindowedSize(1, Make(1, 1, kMin, kMax)).ok());
  EXPECT_FALSE(WindowedSize(1, Make(1, 1, kMin, kMin)).ok());
  EXPECT_FALSE(WindowedSize(3, Make(1, 1, 0, 0, 1, kMax)).ok());
  EXPECT_FALSE(WindowedSize(3, Make(3, 1, 0, 0, kMax, 1)).ok());
  EXPECT_FALSE(WindowedSize(kMin, Make(1, 1, 0, 0)).ok());
  EXPECT_EQ(*WindowedSize(1, Make(1, 1, 0, 0, kMax, kMax)), 1);
}

// Counts positions on a written-out base: -1 for padding and holes.
std::vector<int64_t> WrittenOutBase(int64_t n, const WindowDimension& window) {
  std::vector<int64_t> cells;
  for (int64_t i = 0; i < n; ++i) {
    if (i > 0) cells.insert(cells.end(), window.base_dilation - 1, -1);
    cells.push_back(i);
  }
  if (window.padding_low >= 0) {
    cells.insert(cells.begin(), window.padding_low, -1);
  }
  if (window.padding_high >= 0) cells.insert(cells.end(), window.padding_high, -1);
  return cells;
}

TEST(WindowMath, EverySmallWindowMatchesAWalk) {
  int checked = 0;
  for (int64_t n = 0; n <= 4; ++n) {
    for (int64_t size = 1; size <= 3; ++size) {
      for (int64_t stride = 1; stride <= 3; ++stride) {
        for (int64_t low = 0; low <= 2; ++low) {
          for (int64_t high = 0; high <= 2; ++high) {
            for (int64_t wd = 1; wd <= 2; ++wd) {
              for (int64_t bd = 1; bd <= 3; ++bd) {
                const WindowDimension window = Make(size, stride, low, high, wd, bd);
                const std::vector<int64_t> cells = WrittenOutBase(n, window);
                const int64_t extent = (size - 1) * wd + 1;
                int64_t o = 0;
                for (; o * stride + extent <= static_cast<int64_t>(cells.size()); ++o) {
                  for (int64_t k = 0; k < size; ++k) {
                    ASSERT_EQ(WindowedElement(n, window, o, k), cells[o * stride + k * wd]);
                  }
                }
                ASSERT_EQ(*WindowedSize(n, window), o);
                ++checked;
              }
            }
          }
        }
      }
    }
  }
  EXPECT_EQ(checked, 5 * 3 * 3 * 3 * 3 * 2 * 3);
}

TEST(WindowMath, NegativePaddingCutsTheDilatedBase) {
  // {1,2,3} with holes is 1 . 2 . 3; without its first cell: . 2 . 3.
  const WindowDimension window = Make(1, 1, -1, 0, 1, 2);
  ASSERT_EQ(*WindowedSize(3, window), 4);
  const std::vector<int64_t> expected = {-1, 1, -1, 2};
  for (int64_t o = 0; o < 4; ++o) EXPECT_EQ(WindowedElement(3, window, o, 0), expected[o]);
}

TEST(WindowMath, PaddedSizes) {
  EXPECT_EQ(*PaddedSize(3, {1, 2, 0}), 6);
  EXPECT_EQ(*PaddedSize(3, {0, 0, 1}), 5);
  EXPECT_EQ(*PaddedSize(3, {-1, 0, 1}), 4);
  EXPECT_EQ(*PaddedSize(3, {-5, 4, 0}), 2);
  EXPECT_EQ(*PaddedSize(3, {-2, -1, 0}), 0);
  EXPECT_EQ(*PaddedSize(0, {2, 1, 3}), 3);
  EXPECT_FALSE(PaddedSize(3, {-2, -2, 0}).ok());
  EXPECT_FALSE(PaddedSize(0, {0, -1, 0}).ok());
  EXPECT_FALSE(PaddedSize(1, {0, 0, -1}).ok());
  EXPECT_FALSE(PaddedSize(3, {0, 0, kMax}).ok());
  EXPECT_FALSE(PaddedSize(3, {kMax, 0, 0}).ok());
  EXPECT_FALSE(PaddedSize(3, {kMin, kMax, 0}).ok());
  EXPECT_EQ(*PaddedSize(1, {0, 0, kMax}), 1);
  EXPECT_FALSE(PaddedSize(kMin, {0, 0, 1}).ok());
}

TEST(WindowMath, SlicedSizes) {
  EXPECT_EQ(SlicedSize({0, 5, 2}), 3);
  EXPECT_EQ(SlicedSize({0, 5, 9}), 1);
  EXPECT_EQ(SlicedSize({5, 5, 1}), 0);
  EXPECT_EQ(SlicedSize({1, 5, 2}), 2);
  EXPECT_EQ(SlicedSize({0, kMax, kMax}), 1);
}

}  // namespace
}  // namespace assay
