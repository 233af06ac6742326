#include "evaluator/ops/merge_sort.h"

#include <gtest/gtest.h>

#include <numeric>

namespace assay::evaluator {
namespace {

// Every array of up to 6 keys out of 3, with positions: ascending and stable.
TEST(MergeSort, AllSmallArrays) {
  for (int n = 0; n <= 6; ++n) {
    int arrays = 1;
    for (int i = 0; i < n; ++i) arrays *= 3;
    for (int code = 0; code < arrays; ++code) {
      std::vector<std::pair<int, int>> items, expected;
      for (int i = 0, rest = code; i < n; ++i, rest /= 3) items.push_back({rest % 3, i});
      for (int key = 0; key < 3; ++key) {
        for (const auto& item : items) {
          if (item.first == key) expected.push_back(item);
        }
      }
      MergeSort(items, [](const auto& a, const auto& b) { return a.first < b.first; });
      EXPECT_EQ(items, expected) << n << " " << code;
    }
  }
}

// Comparators that are no strict weak order still give a permutation, and a defined one.
TEST(MergeSort, BadComparators) {
  std::vector<int> items = {2, 1, 2, 1, 3};
  MergeSort(items, [](int, int) { return false; });
  EXPECT_EQ(items, (std::vector<int>{2, 1, 2, 1, 3}));
  MergeSort(items, [](int, int) { return true; });
  EXPECT_EQ(items, (std::vector<int>{3, 1, 2, 1, 2}));
}

}  // namespace
}  // namespace assay::evaluator
