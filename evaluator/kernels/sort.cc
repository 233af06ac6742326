// Kernels of sort and topk. A line whose comparator compares one key (sort_key.h) is sorted by
// numbers; any other by the golden merge sort with the comparator as written. Source: reference
// ops_structural.md 6.2, 6.3. Tests: kernels_test.cc.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/sort_key.h"
#include "evaluator/ops/merge_sort.h"
#include "evaluator/region/scalar_program.h"
#include "spec/element/element.h"

namespace assay::kernels {
namespace {

struct Item {
  uint64_t number;
  int64_t index;
};

bool Before(const Item& a, const Item& b) {
  return a.number != b.number ? a.number < b.number : a.index < b.index;
}

// By number, then by index; the indices ascend on entry. Long lines byte by byte, leaving out bytes
// that all numbers share.
void SortItems(std::vector<Item>& items) {
  constexpr size_t kShort = 256;
  if (items.size() < kShort) {
    std::sort(items.begin(), items.end(), Before);
    return;
  }
  constexpr int kBytes = 8;
  std::array<std::array<int64_t, 256>, kBytes> counts = {};
  for (const Item& item : items) {
    for (int b = 0; b < kBytes; ++b) ++counts[b][(item.number >> (8 * b)) & 0xff];
  }
  std::vector<Item> sorted(items.size());
  for (int b = 0; b < kBytes; ++b) {
    auto& count = counts[b];
    if (count[(items[0].number >> (8 * b)) & 0xff] == static_cast<int64_t>(items.size())) continue;
    int64_t begin = 0;
    for (int64_t& c : count) begin += std::exchange(c, begin);
    for (const Item& item : items) sorted[count[(item.number >> (8 * b)) & 0xff]++] = item;
    items.swap(sorted);
  }
}

// Lines along one dimension of equal-shaped arrays.
struct Lines {
  Lines(const Shape& shape, int64_t dimension) {
    for (int64_t d = 0; d < shape.rank(); ++d) {
      if (d != dimension) count *= shape.dimension(d);
      if (d > dimension) stride *= shape.dimension(d);
    }
    size = shape.dimension(dimension);
  }
  // Position of the first element of line i.
  int64_t First(int64_t i) const { return i / stride * stride * size + i % stride; }
  int64_t count = 1;
  int64_t size;
  int64_t stride = 1;
};

template <typename T>
void Permute(const std::byte* x, std::byte* out, int64_t first, int64_t stride,
             const std::vector<Item>& items) {
  for (size_t j = 0; j < items.size(); ++j) {
    StoreAt(out, first + static_cast<int64_t>(j) * stride,
            LoadAt<T>(x, first + items[j].index * stride));
  }
}

void PermuteLine(int64_t bytes, const std::byte* x, std::byte* out, int64_t first, int64_t stride,
                 const std::vector<Item>& items) {
  switch (bytes) {
    case 1:
      return Permute<uint8_t>(x, out, first, stride, items);
    case 2:
      return Permute<uint16_t>(x, out, first, stride, items);
    case 4:
      return Permute<uint32_t>(x, out, first, stride, items);
    case 8:
      return Permute<uint64_t>(x, out, first, stride, items);
    default:
      return Permute<Element>(x, out, first, stride, items);
  }
}

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
    if (lines_.size == 0) return absl::OkStatus();
    Meter meter(context);
    std::vector<Item> items(lines_.size);
    Region comparator = comparator_;
    for (int64_t line = 0; line < lines_.count; ++line) {
      const int64_t first = lines_.First(line);
      if (absl::Status status = meter.Add(lines_.size); !status.ok()) return status;
      if (FindNumbers(operands, first, items, context)) {
        SortItems(items);
      } else {
        absl::Status status = SortAsWritten(operands, first, comparator, items, meter, context);
        if (!status.ok()) return status;
      }
      for (size_t k = 0; k < types_.size(); ++k) {
        PermuteLine(StorageBytes(types_[k]), operands[k].data, results[k].data, first,
                    lines_.stride, items);
      }
    }
    return meter.Flush();
  }

 private:
  // False where the line has no key, or one that takes part in no order.
  bool FindNumbers(absl::Span<const ArrayRef> operands, int64_t first, std::vector<Item>& items,
                   EvaluationContext& context) const {
    if (!key_.has_value()) return false;
    const ElementType type = types_[key_->operand];
    const std::byte* x = operands[key_->operand].data;
    std::vector<Element> registers(key_->f == nullptr ? 0 : key_->f->register_count());
    for (int64_t j = 0; j < lines_.size; ++j) {
      Element element = LoadElement(type, x, first + j * lines_.stride);
      if (key_->f != nullptr) {
        const Element argument = element;
        key_->f->Run(absl::MakeSpan(&argument, 1), absl::MakeSpan(&element, 1),
                     absl::MakeSpan(registers), context);
      }
      const std::optional<uint64_t> number = SortNumber(*key_, element.bits);
      if (!number.has_value()) return false;
      items[j] = {*number, j};
    }
    return true;
  }

  absl::Status SortAsWritten(absl::Span<const ArrayRef> operands, int64_t first, Region& comparator,
                             std::vector<Item>& items, Meter& meter,
                             EvaluationContext& context) const {
    const size_t n = types_.size();
    std::vector<Element> elements(n * lines_.size);
    for (int64_t j = 0; j < lines_.size; ++j) {
      items[j].index = j;
      for (size_t k = 0; k < n; ++k) {
        elements[j * n + k] = LoadElement(types_[k], operands[k].data, first + j * lines_.stride);
      }
    }
    absl::Status status;
    std::vector<Element> arguments(2 * n);
    MergeSort(items, [&](const Item& a, const Item& b) {
      if (status.ok()) status = meter.Add(1);
      if (!status.ok()) return false;
      for (size_t k = 0; k < n; ++k) {
        arguments[2 * k] = elements[a.index * n + k];
        arguments[2 * k + 1] = elements[b.index * n + k];
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
    for (size_t d = 0; d + 1 < sizes.size(); ++d) lines_ *= sizes[d];
  }

  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    if (k_ == 0) return absl::OkStatus();
    Meter meter(context);
    std::vector<Item> items(size_);
    const int64_t bytes = StorageBytes(type_);
    for (int64_t line = 0; line < lines_; ++line) {
      const std::byte* x = operands[0].data + line * size_ * bytes;
      for (int64_t j = 0; j < size_; ++j) {
        items[j] = {*SortNumber(key_, LoadElement(type_, x, j).bits), j};
      }
      std::partial_sort(items.begin(), items.begin() + k_, items.end(), Before);
      for (int64_t j = 0; j < k_; ++j) {
        const int64_t at = line * k_ + j;
        std::memcpy(results[0].data + at * bytes, x + items[j].index * bytes, bytes);
        const uint64_t index = EncodeInteger(index_type_, static_cast<uint64_t>(items[j].index));
        StoreElement(index_type_, {index}, results[1].data, at);
      }
      if (absl::Status status = meter.Add(size_); !status.ok()) return status;
    }
    return meter.Flush();
  }

 private:
  ElementType type_;
  ElementType index_type_;
  int64_t size_;
  int64_t k_;
  int64_t lines_ = 1;
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
