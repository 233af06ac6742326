// Kernel of sort. A line whose comparator compares one key (sort_numbers.h) is sorted by numbers,
// long lines of narrow keys by counting; any other by the golden merge sort with the comparator as
// written. Scratch of a line: number and index of each element (8 bytes, 16 for wide keys of wide
// lines), none for counting, one copy of the line for the merge sort. Source: reference
// ops_structural.md 6.2. Tests: sorting_kernels_test.cc.
#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/region_fold.h"
#include "evaluator/kernels/sort_items.h"
#include "evaluator/kernels/sort_numbers.h"
#include "evaluator/region/scalar_program.h"
#include "runtime/scratch.h"
#include "spec/element/element.h"

namespace assay::evaluator::kernels {
namespace {

// Items that are sorted with as much room beside them; more are partitioned in place first.
constexpr int64_t kMostRoom = int64_t{1} << 16;

// Sorts by number alone and stably, byte by byte, and leaves out bytes that all numbers share.
template <typename N>
absl::Status SortByNumber(absl::Span<Item<N>> items, std::vector<Item<N>>& room, Meter& meter) {
  constexpr int kBytes = sizeof(N);
  std::array<std::array<int64_t, 256>, kBytes> counts = {};
  for (const Item<N>& item : items) {
    for (int b = 0; b < kBytes; ++b) ++counts[b][(item.number >> (8 * b)) & 0xff];
  }
  const auto size = static_cast<int64_t>(items.size());
  room.resize(std::max(room.size(), items.size()));
  Item<N>* from = items.data();
  Item<N>* to = room.data();
  for (int b = 0; b < kBytes; ++b) {
    auto& count = counts[b];
    if (count[(from[0].number >> (8 * b)) & 0xff] == size) continue;
    if (absl::Status status = meter.Add(size); !status.ok()) return status;
    int64_t begin = 0;
    for (int64_t& c : count) begin += std::exchange(c, begin);
    for (int64_t i = 0; i < size; ++i) to[count[(from[i].number >> (8 * b)) & 0xff]++] = from[i];
    std::swap(from, to);
  }
  if (from != items.data()) std::copy(from, from + size, items.data());
  return absl::OkStatus();
}

// Moves the items with each value of their most significant byte that differs (of the number, or
// of the index where all numbers are one) next to each other, in place. Returns where each begins.
template <typename N>
std::array<int64_t, 257> Partition(absl::Span<Item<N>> items) {
  N numbers = 0, indices = 0;
  for (const Item<N>& item : items) {
    numbers |= item.number ^ items[0].number;
    indices |= item.index ^ items[0].index;
  }
  const N differing = numbers != 0 ? numbers : indices;
  const int shift = (std::bit_width(differing) - 1) / 8 * 8;
  const auto digit = [&](const Item<N>& item) {
    return ((numbers != 0 ? item.number : item.index) >> shift) & 0xff;
  };
  std::array<int64_t, 257> begins = {};
  for (const Item<N>& item : items) ++begins[digit(item) + 1];
  for (int d = 0; d < 256; ++d) begins[d + 1] += begins[d];
  std::array<int64_t, 257> next = begins;
  for (int d = 0; d < 256; ++d) {
    while (next[d] < begins[d + 1]) {
      Item<N> item = items[next[d]];
      for (auto to = digit(item); to != static_cast<N>(d); to = digit(item)) {
        std::swap(item, items[next[to]++]);
      }
      items[next[d]++] = item;
    }
  }
  return begins;
}

// Sorts by number, then by index. On entry the indices ascend unless the items were partitioned.
template <typename N>
absl::Status SortItems(absl::Span<Item<N>> items, bool partitioned, std::vector<Item<N>>& room,
                       Meter& meter) {
  constexpr size_t kShort = 256;
  const auto before = Before<N>;
  if (items.size() < kShort) {
    std::sort(items.begin(), items.end(), before);
    return absl::OkStatus();
  }
  if (std::is_sorted(items.begin(), items.end(), before)) return absl::OkStatus();
  if (items.size() > kMostRoom) {
    if (absl::Status status = meter.Add(items.size()); !status.ok()) return status;
    const std::array<int64_t, 257> begins = Partition(items);
    for (int d = 0; d < 256; ++d) {
      absl::Status status =
          SortItems(items.subspan(begins[d], begins[d + 1] - begins[d]), true, room, meter);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }
  if (absl::Status status = SortByNumber(items, room, meter); !status.ok()) return status;
  for (auto end = items.begin(), begin = end; partitioned && begin != items.end(); begin = end) {
    while (end != items.end() && end->number == begin->number) ++end;
    if (end - begin > 1) std::sort(begin, end, before);
  }
  return absl::OkStatus();
}

class SortKernel : public Kernel {
 public:
  SortKernel(const Instruction& sort, std::optional<SortNumbers> key, Region comparator)
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
    const bool short_lines = lines_.size <= std::numeric_limits<uint32_t>::max();
    const bool narrow =
        short_lines && (!key_.has_value() || Info(key_->type).bits <= 32 || KeyIsWiderThanLine());
    const int64_t grain = GrainOf(comparator_, lines_.size, lines_.count);
    return ParallelFor(context, lines_.count, grain,
                       [&](Blocks& lines, EvaluationContext& context) {
                         return narrow ? SortLines<uint32_t>(operands, results, lines, context)
                                       : SortLines<uint64_t>(operands, results, lines, context);
                       });
  }

 private:
  template <typename N>
  absl::Status SortLines(absl::Span<const ArrayRef> operands,
                         absl::Span<const MutableArrayRef> results, Blocks& lines,
                         EvaluationContext& context) const {
    Meter meter(context);
    std::optional<CountingSort> counting;
    if (key_.has_value() && CountingSort::Suits(types_[key_->operand], lines_.size)) {
      counting.emplace(*key_, types_[key_->operand], context);
    }
    std::vector<Item<N>> items, room;
    std::optional<runtime::ScratchLease> items_lease;
    std::vector<std::byte> merged;
    runtime::ScratchLease merged_lease(context);
    Region comparator = comparator_;
    for (int64_t line; lines.NextElement(&line);) {
      const int64_t first = lines_.First(line);
      if (absl::Status status = meter.Add(lines_.size); !status.ok()) return status;
      if (counting.has_value() && counting->Count(operands[key_->operand].data, lines_, first)) {
        absl::Status status = PlaceLine(*counting, operands, results, first, meter);
        if (!status.ok()) return status;
        continue;
      }
      if (key_.has_value() && !counting.has_value()) {
        if (items.empty()) {
          const int64_t room_size = std::min(lines_.size, kMostRoom);
          absl::Status status = items_lease.emplace(context).Add(
              (lines_.size + room_size) * static_cast<int64_t>(sizeof(Item<N>)));
          if (!status.ok()) return status;
          items.resize(lines_.size);
        }
        absl::StatusOr<bool> found = FindNumbers(operands, first, items, meter, context);
        if (!found.ok()) return found.status();
        if (*found) {
          absl::Status status = SortItems(absl::MakeSpan(items), false, room, meter);
          if (status.ok() && sizeof(N) == 4 && Info(key_->type).bits > 32) {
            status = SortByLowHalves(operands, first, items, room, meter, context);
          }
          if (!status.ok()) return status;
          for (size_t k = 0; k < types_.size(); ++k) {
            PermuteLine(StorageBytes(types_[k]), operands[k].data, results[k].data, first, items);
          }
          continue;
        }
        // The merge sort needs no items, so their memory is released.
        items = {};
        room = {};
        items_lease.reset();
      }
      if (merged.empty()) {
        int64_t bytes = 0;
        for (const ElementType type : types_) bytes += lines_.size * StorageBytes(type);
        if (absl::Status status = merged_lease.Add(bytes); !status.ok()) return status;
        merged.resize(bytes);
      }
      absl::Status status =
          SortAsWritten(operands, results, first, comparator, merged.data(), meter, context);
      if (!status.ok()) return status;
    }
    return meter.Flush();
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

  // Numbers of 64 bits would take more than the line and its result: they come in halves.
  bool KeyIsWiderThanLine() const {
    int64_t bytes = 0;
    for (const ElementType type : types_) bytes += 2 * StorageBytes(type);
    return bytes < static_cast<int64_t>(sizeof(Item<uint64_t>));
  }

  // Items that are sorted by the high halves of their numbers: those with equal ones by the low
  // halves.
  template <typename N>
  absl::Status SortByLowHalves(absl::Span<const ArrayRef> operands, int64_t first,
                               std::vector<Item<N>>& items, std::vector<Item<N>>& room,
                               Meter& meter, EvaluationContext& context) const {
    const ElementType type = types_[key_->operand];
    const std::byte* x = operands[key_->operand].data;
    const int64_t steps = 1 + key_->step_count();
    std::vector<Element> registers;
    for (size_t begin = 0, end = 0; begin < items.size(); begin = end) {
      while (end < items.size() && items[end].number == items[begin].number) ++end;
      if (end - begin == 1) continue;
      for (size_t i = begin; i < end; ++i) {
        const auto at = first + static_cast<int64_t>(items[i].index) * lines_.stride;
        items[i].number =
            static_cast<N>(*key_->Number(LoadElement(type, x, at), registers, context));
        if (absl::Status status = meter.Add(steps); !status.ok()) return status;
      }
      absl::Status status =
          SortItems(absl::MakeSpan(items).subspan(begin, end - begin), false, room, meter);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  // The number of a key as an item of this size has it: its high half where it is wider.
  template <typename N>
  N NumberIn(uint64_t number) const {
    if (sizeof(N) == 8) return static_cast<N>(number);
    return static_cast<N>(Info(key_->type).bits > 32 ? number >> 32 : key_->Narrow(number));
  }

  // False where a key takes part in no order.
  template <typename N>
  absl::StatusOr<bool> FindNumbers(absl::Span<const ArrayRef> operands, int64_t first,
                                   std::vector<Item<N>>& items, Meter& meter,
                                   EvaluationContext& context) const {
    const ElementType type = types_[key_->operand];
    const std::byte* x = operands[key_->operand].data;
    const int64_t steps = key_->step_count();
    std::vector<Element> registers;
    for (int64_t j = 0; j < lines_.size; ++j) {
      const std::optional<uint64_t> number =
          key_->Number(LoadElement(type, x, first + j * lines_.stride), registers, context);
      if (!number.has_value()) return false;
      items[j] = {NumberIn<N>(*number), static_cast<N>(j)};
      if (steps == 0) continue;
      if (absl::Status status = meter.Add(steps); !status.ok()) return status;
    }
    return true;
  }

  // A line of each operand: where its first element is, and the distance to the next, in elements.
  struct LineData {
    std::byte* data;
    int64_t stride;
  };
  using AllLines = absl::InlinedVector<LineData, 4>;

  // The golden merge sort (merge_sort.h), on the elements themselves: from the operands into one of
  // the results and `merged`, then to and fro between these two.
  absl::Status SortAsWritten(absl::Span<const ArrayRef> operands,
                             absl::Span<const MutableArrayRef> results, int64_t first,
                             Region& comparator, std::byte* merged, Meter& meter,
                             EvaluationContext& context) const {
    AllLines from, result, room;
    for (size_t k = 0; k < types_.size(); ++k) {
      const int64_t bytes = StorageBytes(types_[k]);
      // Operands are only read.
      from.push_back({const_cast<std::byte*>(operands[k].data) + first * bytes, lines_.stride});
      result.push_back({results[k].data + first * bytes, lines_.stride});
      room.push_back({merged, 1});
      merged += lines_.size * bytes;
    }
    const int passes = std::bit_width(static_cast<uint64_t>(lines_.size - 1));
    for (int pass = 0; pass < passes; ++pass) {
      const AllLines& to = (passes - pass) % 2 == 1 ? result : room;
      absl::Status status = MergePass(int64_t{1} << pass, from, to, comparator, meter, context);
      if (!status.ok()) return status;
      from = to;
    }
    if (passes == 0) MoveElement(from, 0, result, 0);
    return absl::OkStatus();
  }

  absl::Status MergePass(int64_t width, const AllLines& from, const AllLines& to,
                         Region& comparator, Meter& meter, EvaluationContext& context) const {
    absl::Status status;
    std::vector<Element> arguments(2 * types_.size());
    const auto less = [&](int64_t a, int64_t b) {
      if (status.ok()) status = meter.Add(1);
      if (!status.ok()) return false;
      for (size_t k = 0; k < types_.size(); ++k) {
        arguments[2 * k] = LoadElement(types_[k], from[k].data, a * from[k].stride);
        arguments[2 * k + 1] = LoadElement(types_[k], from[k].data, b * from[k].stride);
      }
      Element result;
      status = comparator.Run(arguments, absl::MakeSpan(&result, 1), context);
      return status.ok() && result.bits != 0;
    };
    for (int64_t begin = 0; begin < lines_.size && status.ok(); begin += 2 * width) {
      const int64_t middle = std::min(begin + width, lines_.size);
      const int64_t end = std::min(middle + width, lines_.size);
      int64_t left = begin, right = middle;
      for (int64_t out = begin; out < end; ++out) {
        const bool take_right = left == middle || (right < end && less(right, left));
        MoveElement(from, take_right ? right++ : left++, to, out);
      }
    }
    return status;
  }

  void MoveElement(const AllLines& from, int64_t i, const AllLines& to, int64_t j) const {
    for (size_t k = 0; k < types_.size(); ++k) {
      WithStorage(StorageBytes(types_[k]), [&](auto sample) {
        StoreAt(to[k].data, j * to[k].stride,
                LoadAt<decltype(sample)>(from[k].data, i * from[k].stride));
      });
    }
  }

  Lines lines_;
  std::optional<SortNumbers> key_;
  Region comparator_;
  absl::InlinedVector<ElementType, 4> types_;
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
  return std::make_unique<SortKernel>(instruction, SortNumbers::ForComparator(comparator),
                                      *std::move(region));
}

}  // namespace assay::evaluator::kernels
