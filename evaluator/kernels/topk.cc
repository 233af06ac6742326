// Kernel of topk: the best k of each line in a heap; of narrow types by counting, without scratch.
// Source: reference ops_structural.md 6.3. Tests: sorting_kernels_test.cc.
#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/sort_items.h"
#include "evaluator/kernels/sort_numbers.h"
#include "runtime/parallel.h"
#include "runtime/scratch.h"
#include "spec/element/element.h"

namespace assay::evaluator::kernels {
namespace {

// The first k of each line along the last dimension, in the total order.
class TopKKernel : public Kernel {
 public:
  explicit TopKKernel(const Instruction& topk)
      : type_(topk.operand(0)->shape().element_type()),
        index_type_(topk.shape().tuple_shape(1).element_type()),
        size_(topk.operand(0)->shape().dimensions().back()),
        k_(topk.shape().tuple_shape(0).dimensions().back()) {
    key_.type = type_;
    key_.total_order = true;
    key_.descending = topk.GetBool(Attr::kLargest);
    absl::Span<const int64_t> sizes = topk.operand(0)->shape().dimensions();
    empty_ = topk.shape().tuple_shape(0).element_count() == 0;
    for (size_t d = 0; d + 1 < sizes.size() && !empty_; ++d) lines_ *= sizes[d];
  }

  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    if (empty_) return absl::OkStatus();
    if (StorageBytes(type_) == 1 && CountingSort::Suits(type_, size_)) {
      return CountLines(operands, results, context);
    }
    const bool narrow = Info(type_).bits <= 32 && size_ <= std::numeric_limits<uint32_t>::max();
    return narrow ? FindLines<uint32_t>(operands, results, context)
                  : FindLines<uint64_t>(operands, results, context);
  }

 private:
  template <typename N>
  absl::Status FindLines(absl::Span<const ArrayRef> operands,
                         absl::Span<const MutableArrayRef> results,
                         EvaluationContext& context) const {
    const int64_t bytes = StorageBytes(type_);
    return ForEachLine(context, [&](Blocks& lines, EvaluationContext& own) {
      Meter meter(own);
      runtime::ScratchLease lease(own);
      absl::Status status = lease.Add(k_ * static_cast<int64_t>(sizeof(Item<N>)));
      if (!status.ok()) return status;
      std::vector<Item<N>> best(k_);
      for (int64_t line; lines.NextElement(&line);) {
        const std::byte* x = operands[0].data + line * size_ * bytes;
        if (status = FindBest(x, best, meter); !status.ok()) return status;
        for (int64_t j = 0; j < k_; ++j) {
          const int64_t at = line * k_ + j;
          std::memcpy(results[0].data + at * bytes, x + best[j].index * bytes, bytes);
          const uint64_t index = EncodeInteger(index_type_, best[j].index);
          StoreElement(index_type_, {index}, results[1].data, at);
        }
      }
      return meter.Flush();
    });
  }

  // Counts the elements of each pattern, for types with few patterns.
  absl::Status CountLines(absl::Span<const ArrayRef> operands,
                          absl::Span<const MutableArrayRef> results,
                          EvaluationContext& context) const {
    return ForEachLine(context, [&](Blocks& lines, EvaluationContext& own) {
      Meter meter(own);
      CountingSort counting(key_, type_, own);
      for (int64_t line; lines.NextElement(&line);) {
        const std::byte* x = operands[0].data + line * size_;
        counting.Count(x, Lines::One(size_), 0);  // the total order has every element
        counting.ForEachPlace(x, size_, [&](int64_t from, int64_t to) {
          if (to >= k_) return;
          const int64_t at = line * k_ + to;
          results[0].data[at] = x[from];
          StoreElement(index_type_, {EncodeInteger(index_type_, from)}, results[1].data, at);
        });
        if (absl::Status status = meter.Add(2 * size_); !status.ok()) return status;
      }
      return meter.Flush();
    });
  }

  absl::Status ForEachLine(EvaluationContext& context, ParallelBody body) const {
    constexpr int64_t kElement = 8;  // nanoseconds
    return ParallelFor(context, lines_, GrainFor(kElement * size_), body);
  }

  template <typename N>
  absl::Status FindBest(const std::byte* x, std::vector<Item<N>>& best, Meter& meter) const {
    const auto before = Before<N>;
    for (int64_t j = 0; j < size_; ++j) {
      const uint64_t number = *key_.NumberOf(LoadElement(type_, x, j).bits);
      const Item<N> item = {
          sizeof(N) == 4 ? static_cast<N>(key_.Narrow(number)) : static_cast<N>(number),
          static_cast<N>(j)};
      if (j < k_) {
        best[j] = item;
        if (j + 1 == k_) std::make_heap(best.begin(), best.end(), before);
      } else if (before(item, best.front())) {
        std::pop_heap(best.begin(), best.end(), before);
        best.back() = item;
        std::push_heap(best.begin(), best.end(), before);
      }
      if (absl::Status status = meter.Add(1); !status.ok()) return status;
    }
    std::sort_heap(best.begin(), best.end(), before);
    return absl::OkStatus();
  }

  ElementType type_;
  ElementType index_type_;
  int64_t size_;
  int64_t k_;
  int64_t lines_ = 1;
  bool empty_;
  SortNumbers key_;
};

}  // namespace

KernelOrNull PrepareTopK(const Instruction& instruction) {
  const ElementType type = instruction.operand(0)->shape().element_type();
  if (IsComplex(type) || !instruction.shape().is_tuple()) return nullptr;
  return std::make_unique<TopKKernel>(instruction);
}

}  // namespace assay::evaluator::kernels
