// The parts that sort and topk share: numbered places, and the counting sort of narrow keys.
// Source: reference ops_structural.md 6.2, 6.3. Tests: sorting_kernels_test.cc.
#ifndef ASSAY_EVALUATOR_KERNELS_SORT_ITEMS_H_
#define ASSAY_EVALUATOR_KERNELS_SORT_ITEMS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/sort_numbers.h"
#include "spec/element/element.h"

namespace assay::evaluator::kernels {

// The number and the place of an element of a line, of 32 bits where both fit.
template <typename N>
struct Item {
  N number;
  N index;
};

template <typename N>
bool Before(const Item<N>& a, const Item<N>& b) {
  return a.number != b.number ? a.number < b.number : a.index < b.index;
}

// Lines along one dimension of equal-shaped arrays.
struct Lines {
  Lines(const Shape& shape, int64_t dimension) {
    for (int64_t d = 0; d < shape.rank(); ++d) {
      if (d != dimension) count *= shape.dimension(d);
      if (d > dimension) stride *= shape.dimension(d);
      empty = empty || shape.dimension(d) == 0;
    }
    size = shape.dimension(dimension);
  }
  // Describes one line whose elements are contiguous.
  static Lines One(int64_t size) { return Lines(size); }

  // Position of the first element of line i.
  int64_t First(int64_t i) const { return i / stride * stride * size + i % stride; }
  bool empty = false;  // then the other numbers mean nothing
  int64_t count = 1;
  int64_t size;
  int64_t stride = 1;

 private:
  explicit Lines(int64_t size) : size(size) {}
};

// Narrow keys: the rank of each bit pattern, found once, and how many of a line have it.
class CountingSort {
 public:
  // It pays for lines with more elements than there are bit patterns.
  static bool Suits(ElementType type, int64_t line) {
    return StorageBytes(type) <= 2 && line >= int64_t{1} << (8 * StorageBytes(type));
  }
  CountingSort(const SortNumbers& key, ElementType type, EvaluationContext& context)
      : bytes_(StorageBytes(type)) {
    const int64_t patterns = int64_t{1} << Info(type).bits;
    std::vector<std::optional<uint64_t>> numbers(patterns);
    std::vector<uint64_t> sorted;
    for (int64_t p = 0; p < patterns; ++p) {
      numbers[p] = key.Number({static_cast<uint64_t>(p)}, registers_, context);
      if (numbers[p].has_value()) sorted.push_back(*numbers[p]);
    }
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    for (const std::optional<uint64_t>& number : numbers) {
      rank_.push_back(
          number.has_value()
              ? static_cast<int32_t>(std::lower_bound(sorted.begin(), sorted.end(), *number) -
                                     sorted.begin())
              : kNone);
    }
    first_.resize(sorted.size());
  }

  // Where each rank begins in the sorted line. False where an element takes part in no order.
  bool Count(const std::byte* keys, const Lines& lines, int64_t first) {
    std::fill(first_.begin(), first_.end(), 0);
    for (int64_t j = 0; j < lines.size; ++j) {
      const int32_t rank = RankAt(keys, first + j * lines.stride);
      if (rank == kNone) return false;
      ++first_[rank];
    }
    int64_t begin = 0;
    for (int64_t& count : first_) begin += std::exchange(count, begin);
    return true;
  }
  // Calls f(from, to) for each element of a line that lies side by side, as counted.
  template <typename F>
  void ForEachPlace(const std::byte* keys, int64_t size, F f) const {
    std::vector<int64_t> next = first_;
    for (int64_t j = 0; j < size; ++j) f(j, next[RankAt(keys, j)]++);
  }
  void Place(const std::byte* keys, int64_t bytes, const std::byte* x, std::byte* out,
             const Lines& lines, int64_t first) const {
    std::vector<int64_t> next = first_;
    WithStorage(bytes, [&](auto sample) {
      for (int64_t j = 0; j < lines.size; ++j) {
        const int64_t from = first + j * lines.stride;
        const int64_t to = first + next[RankAt(keys, from)]++ * lines.stride;
        StoreAt(out, to, LoadAt<decltype(sample)>(x, from));
      }
    });
  }

 private:
  static constexpr int32_t kNone = -1;
  int32_t RankAt(const std::byte* keys, int64_t position) const {
    return rank_[bytes_ == 1 ? LoadAt<uint8_t>(keys, position) : LoadAt<uint16_t>(keys, position)];
  }

  int64_t bytes_;
  std::vector<Element> registers_;
  std::vector<int32_t> rank_;   // by bit pattern
  std::vector<int64_t> first_;  // by rank
};

}  // namespace assay::evaluator::kernels

#endif  // ASSAY_EVALUATOR_KERNELS_SORT_ITEMS_H_
