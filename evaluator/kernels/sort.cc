// Kernels of sort and topk. A line whose comparator compares one key (sort_key.h) is sorted by
// numbers, long lines of narrow keys by counting; any other by the golden merge sort with the
// comparator as written. Scratch: 16 bytes per element of a line (32 for wide keys), none for
// counting. Source: reference ops_structural.md 6.2, 6.3. Tests: folding_kernels_test.cc.
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/scratch.h"
#include "evaluator/kernels/sort_key.h"
#include "evaluator/ops/merge_sort.h"
#include "evaluator/region/scalar_program.h"
#include "spec/element/element.h"

namespace assay::kernels {
namespace {

// Number and place of an element of a line; 32-bit ones where numbers and places fit.
template <typename N>
struct Item {
  N number;
  N index;
};

template <typename N>
bool Before(const Item<N>& a, const Item<N>& b) {
  return a.number != b.number ? a.number < b.number : a.index < b.index;
}

// By number, then by index; the indices ascend on entry. Long lines byte by byte, leaving out bytes
// that all numbers share.
template <typename N>
absl::Status SortItems(std::vector<Item<N>>& items, std::vector<Item<N>>& room, Meter& meter) {
  constexpr size_t kShort = 256;
  if (items.size() < kShort) {
    std::sort(items.begin(), items.end(), Before<N>);
    return absl::OkStatus();
  }
  constexpr int kBytes = sizeof(N);
  std::array<std::array<int64_t, 256>, kBytes> counts = {};
  for (const Item<N>& item : items) {
    for (int b = 0; b < kBytes; ++b) ++counts[b][(item.number >> (8 * b)) & 0xff];
  }
  const auto size = static_cast<int64_t>(items.size());
  room.resize(items.size());
  for (int b = 0; b < kBytes; ++b) {
    auto& count = counts[b];
    if (count[(items[0].number >> (8 * b)) & 0xff] == size) continue;
    if (absl::Status status = meter.Add(size); !status.ok()) return status;
    int64_t begin = 0;
    for (int64_t& c : count) begin += std::exchange(c, begin);
    for (const Item<N>& item : items) room[count[(item.number >> (8 * b)) & 0xff]++] = item;
    items.swap(room);
  }
  return absl::OkStatus();
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
  // Position of the first element of line i.
  int64_t First(int64_t i) const { return i / stride * stride * size + i % stride; }
  bool empty = false;  // then the other numbers mean nothing
  int64_t count = 1;
  int64_t size;
  int64_t stride = 1;
};

// Narrow keys: the rank of each bit pattern, found once, and how many of a line have it.
class CountingSort {
 public:
  // Worth it for lines with more elements than there are patterns.
  static bool Suits(ElementType type, int64_t line) {
    return StorageBytes(type) <= 2 && line >= int64_t{1} << (8 * StorageBytes(type));
  }
  CountingSort(const SortKey& key, ElementType type, EvaluationContext& context)
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

class SortKernel : public Kernel {
 public:
  SortKernel(const Instruction& sort, std::optional<SortKey> key, Region comparator)
      : lines_(sort.operand(0)->shape(), sort.GetInt(Attr::kDimension)),
        key_(std::move(key)),
        comparator_(std::move(comparator)) {
    for (const Instruction* operand : sort.operands()) {
      types_.push_back(operand->shape().element_type());
    }
  }

  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    if (lines_.empty) return absl::OkStatus();
    Meter meter(context);
    const bool narrow = (!key_.has_value() || Info(key_->type).bits <= 32) &&
                        lines_.size <= std::numeric_limits<uint32_t>::max();
    absl::Status status = narrow ? SortLines<uint32_t>(operands, results, meter, context)
                                 : SortLines<uint64_t>(operands, results, meter, context);
    return status.ok() ? meter.Flush() : status;
  }

 private:
  template <typename N>
  absl::Status SortLines(absl::Span<const ArrayRef> operands,
                         absl::Span<const MutableArrayRef> results, Meter& meter,
                         EvaluationContext& context) const {
    std::optional<CountingSort> counting;
    if (key_.has_value() && CountingSort::Suits(types_[key_->operand], lines_.size)) {
      counting.emplace(*key_, types_[key_->operand], context);
    }
    ScratchLease lease(context);
    std::vector<Item<N>> items, room;
    Region comparator = comparator_;
    for (int64_t line = 0; line < lines_.count; ++line) {
      const int64_t first = lines_.First(line);
      if (absl::Status status = meter.Add(lines_.size); !status.ok()) return status;
      if (counting.has_value() && counting->Count(operands[key_->operand].data, lines_, first)) {
        absl::Status status = PlaceLine(*counting, operands, results, first, meter);
        if (!status.ok()) return status;
        continue;
      }
      if (items.empty()) {
        absl::Status status = lease.Add(2 * lines_.size * static_cast<int64_t>(sizeof(Item<N>)));
        if (!status.ok()) return status;
        items.resize(lines_.size);
      }
      absl::StatusOr<bool> found = FindNumbers(operands, first, items, meter, context);
      if (!found.ok()) return found.status();
      absl::Status status =
          *found ? SortItems(items, room, meter)
                 : SortAsWritten(operands, first, comparator, items, room, meter, context);
      if (!status.ok()) return status;
      for (size_t k = 0; k < types_.size(); ++k) {
        PermuteLine(StorageBytes(types_[k]), operands[k].data, results[k].data, first, items);
      }
    }
    return absl::OkStatus();
  }

  absl::Status PlaceLine(const CountingSort& counting, absl::Span<const ArrayRef> operands,
                         absl::Span<const MutableArrayRef> results, int64_t first,
                         Meter& meter) const {
    for (size_t k = 0; k < types_.size(); ++k) {
      counting.Place(operands[key_->operand].data, StorageBytes(types_[k]), operands[k].data,
                     results[k].data, lines_, first);
      if (absl::Status status = meter.Add(lines_.size); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  template <typename N>
  void PermuteLine(int64_t bytes, const std::byte* x, std::byte* out, int64_t first,
                   const std::vector<Item<N>>& items) const {
    WithStorage(bytes, [&](auto sample) {
      for (int64_t j = 0; j < lines_.size; ++j) {
        StoreAt(out, first + j * lines_.stride,
                LoadAt<decltype(sample)>(
                    x, first + static_cast<int64_t>(items[j].index) * lines_.stride));
      }
    });
  }

  // False where the line has no key, or one that takes part in no order.
  template <typename N>
  absl::StatusOr<bool> FindNumbers(absl::Span<const ArrayRef> operands, int64_t first,
                                   std::vector<Item<N>>& items, Meter& meter,
                                   EvaluationContext& context) const {
    if (!key_.has_value()) return false;
    const ElementType type = types_[key_->operand];
    const std::byte* x = operands[key_->operand].data;
    const int64_t steps = key_->f == nullptr ? 0 : key_->f->step_count();
    std::vector<Element> registers;
    for (int64_t j = 0; j < lines_.size; ++j) {
      const std::optional<uint64_t> number =
          key_->Number(LoadElement(type, x, first + j * lines_.stride), registers, context);
      if (!number.has_value()) return false;
      items[j] = {sizeof(N) == 4 ? static_cast<N>(key_->Narrow(*number)) : static_cast<N>(*number),
                  static_cast<N>(j)};
      if (steps == 0) continue;
      if (absl::Status status = meter.Add(steps); !status.ok()) return status;
    }
    return true;
  }

  template <typename N>
  absl::Status SortAsWritten(absl::Span<const ArrayRef> operands, int64_t first, Region& comparator,
                             std::vector<Item<N>>& items, std::vector<Item<N>>& room, Meter& meter,
                             EvaluationContext& context) const {
    room = {};  // what the merge sort takes
    const size_t n = types_.size();
    for (int64_t j = 0; j < lines_.size; ++j) items[j].index = static_cast<N>(j);
    absl::Status status;
    std::vector<Element> arguments(2 * n);
    auto load = [&](size_t k, N index) {
      return LoadElement(types_[k], operands[k].data,
                         first + static_cast<int64_t>(index) * lines_.stride);
    };
    MergeSort(items, [&](const Item<N>& a, const Item<N>& b) {
      if (status.ok()) status = meter.Add(1);
      if (!status.ok()) return false;
      for (size_t k = 0; k < n; ++k) {
        arguments[2 * k] = load(k, a.index);
        arguments[2 * k + 1] = load(k, b.index);
      }
      Element less;
      status = comparator.Run(arguments, absl::MakeSpan(&less, 1), context);
      return status.ok() && less.bits != 0;
    });
    return status;
  }

  Lines lines_;
  std::optional<SortKey> key_;
  Region comparator_;
  absl::InlinedVector<ElementType, 4> types_;
};

// The first k of each line along the last dimension, in the total order: a heap of the best k.
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
    Meter meter(context);
    ScratchLease lease(context);
    absl::Status status = lease.Add(k_ * static_cast<int64_t>(sizeof(Item<uint64_t>)));
    if (!status.ok()) return status;
    std::vector<Item<uint64_t>> best(k_);
    const int64_t bytes = StorageBytes(type_);
    for (int64_t line = 0; line < lines_; ++line) {
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
  }

 private:
  absl::Status FindBest(const std::byte* x, std::vector<Item<uint64_t>>& best, Meter& meter) const {
    const auto before = Before<uint64_t>;
    for (int64_t j = 0; j < size_; ++j) {
      const Item<uint64_t> item = {*SortNumber(key_, LoadElement(type_, x, j).bits),
                                   static_cast<uint64_t>(j)};
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
  SortKey key_;
};

}  // namespace

KernelOrNull PrepareSort(const Instruction& instruction) {
  const Computation& comparator = *instruction.to_apply();
  const std::vector<Instruction*> parameters = comparator.parameters();
  for (int64_t k = 0; k < instruction.operand_count(); ++k) {
    const ElementType type = instruction.operand(k)->shape().element_type();
    for (const Instruction* parameter : {parameters[2 * k], parameters[2 * k + 1]}) {
      if (parameter->shape().element_type() != type) return nullptr;
    }
  }
  absl::StatusOr<Region> region = Region::Prepare(comparator);
  if (!region.ok()) return region.status();
  return std::make_unique<SortKernel>(instruction, RecogniseSortKey(comparator),
                                      *std::move(region));
}

KernelOrNull PrepareTopK(const Instruction& instruction) {
  const ElementType type = instruction.operand(0)->shape().element_type();
  if (IsComplex(type) || !instruction.shape().is_tuple()) return nullptr;
  return std::make_unique<TopKKernel>(instruction);
}

}  // namespace assay::kernels
