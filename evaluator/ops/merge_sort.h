// The merge sort that defines golden order: bottom-up merges of runs of 1, 2, 4, ... neighbours, in
// which the right item goes first only if it is strictly less than the left one. It is stable. For
// a comparator that is not a strict weak order (a float `<` with NaN, `<=`) this algorithm
// determines the result. Source: reference ops_structural.md 6.2. Tests: merge_sort_test.cc.
#ifndef ASSAY_EVALUATOR_OPS_MERGE_SORT_H_
#define ASSAY_EVALUATOR_OPS_MERGE_SORT_H_

#include <algorithm>
#include <cstdint>
#include <vector>

namespace assay::evaluator {

// Sorts the items by less(a, b).
template <typename Item, typename Less>
void MergeSort(std::vector<Item>& items, Less less) {
  const size_t n = items.size();
  std::vector<Item> merged(n);
  for (size_t width = 1; width < n; width *= 2) {
    for (size_t begin = 0; begin < n; begin += 2 * width) {
      const size_t middle = std::min(begin + width, n);
      const size_t end = std::min(begin + 2 * width, n);
      size_t left = begin, right = middle;
      for (size_t out = begin; out < end; ++out) {
        const bool take_right = left == middle || (right < end && less(items[right], items[left]));
        merged[out] = items[take_right ? right++ : left++];
      }
    }
    items.swap(merged);
  }
}

}  // namespace assay::evaluator

#endif  // ASSAY_EVALUATOR_OPS_MERGE_SORT_H_
