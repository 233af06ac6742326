// sort: by one recognised key (spec/analysis/sort_key.h) the keys become integers in the same
// order, which a vector sort puts in order, alone or packed with the positions of their items; by
// any other comparator a merge sort of many lines at a time. Lines are gathered first where they
// lie across memory. Always stable. Source: reference ops_structural.md 6.2. Tests:
// kernels_test.cc.
#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/cpu/fold.h"
#include "backends/cpu/kernels.h"
#include "backends/cpu/line_sort.h"
#include "backends/cpu/order_keys.h"
#include "backends/defect.h"
#include "runtime/parallel.h"
#include "runtime/scratch.h"
#include "runtime/strided_copy.h"
#include "spec/analysis/sort_key.h"

namespace assay::cpu {
namespace {

// Of the comparator's inputs: each operand's left and right value.
std::vector<ElementType> PairTypes(const Instruction& sort) {
  std::vector<ElementType> types;
  for (const Instruction* operand : sort.operands()) {
    types.insert(types.end(), 2, operand->shape().element_type());
  }
  return types;
}

class SortKernel : public Kernel {
 public:
  explicit SortKernel(const Instruction& sort)
      : comparator_(*sort.to_apply(), PairTypes(sort)), arrays_(sort.operand_count()) {
    const Shape& shape = sort.operand(0)->shape();
    const int64_t dimension = sort.GetInt(Attr::kDimension);
    length_ = shape.dimension(dimension);
    for (int64_t d = 0; d < shape.rank(); ++d) {
      if (d < dimension) outer_ *= shape.dimension(d);
      if (d > dimension) inner_ *= shape.dimension(d);
    }
    for (const Instruction* operand : sort.operands()) {
      types_.push_back(operand->shape().element_type());
    }
    key_ = analysis::RecogniseSortKey(*sort.to_apply());
    // A comparator of other types than its operands' converts them first.
    if (key_.has_value() && comparator_.inputs()[2 * key_->operand] != types_[key_->operand]) {
      key_ = std::nullopt;
    }
    if (!key_.has_value()) return;
    if (key_->function != nullptr) {
      key_function_ = std::make_unique<Region>(*key_->function);
      if (!key_function_->flat()) key_ = std::nullopt;
    }
  }

  absl::Status Execute(absl::Span<const ArrayRef> operands,
                       absl::Span<const MutableArrayRef> results, Context& context) const override {
    const int64_t lines = outer_ * inner_;
    if (lines == 0 || length_ == 0) return absl::OkStatus();
    // Lines that are sorted together: enough for the comparator's blocks.
    const int64_t together = key_.has_value() || length_ >= kBlockElements
                                 ? 1
                                 : std::min(lines, kBlockElements / length_ + 1);
    const int64_t groups = (lines - 1) / together + 1;
    const int64_t grain = comparator_.flat() ? runtime::GrainFor(together * length_ * 8) : groups;
    return runtime::ParallelFor(
        context, groups, grain, [&](runtime::Blocks& blocks, Context& context) {
          for (int64_t group; blocks.NextElement(&group);) {
            const int64_t first = group * together;
            const int64_t count = std::min(together, lines - first);
            absl::Status status = SortGroup(operands, results, first, count, context);
            if (!status.ok()) return status;
          }
          return absl::OkStatus();
        });
  }

 private:
  std::byte* LineOf(std::byte* data, int64_t line, int64_t bytes) const {
    return data + (line / inner_ * length_ * inner_ + line % inner_) * bytes;
  }
  const std::byte* LineOf(const std::byte* data, int64_t line, int64_t bytes) const {
    return data + (line / inner_ * length_ * inner_ + line % inner_) * bytes;
  }

  absl::Status SortGroup(absl::Span<const ArrayRef> operands,
                         absl::Span<const MutableArrayRef> results, int64_t first, int64_t count,
                         Context& context) const {
    // Operands of a group, line after line.
    const int64_t items = count * length_;
    runtime::ScratchLease lease(context);
    absl::Status status = lease.Add(items * (16 * arrays_ + 32));
    if (status.ok()) status = context.Charge(items);
    if (!status.ok()) return status;
    std::vector<std::vector<std::byte>> storage(arrays_);
    std::vector<const std::byte*> arrays(arrays_);
    for (int64_t k = 0; k < arrays_; ++k) {
      const int64_t bytes = StorageBytes(types_[k]);
      if (inner_ == 1) {
        arrays[k] = LineOf(operands[k].data, first, bytes);
        continue;
      }
      storage[k].resize(items * bytes);
      for (int64_t line = 0; line < count; ++line) {
        runtime::StridedCopy(bytes, {length_}, {inner_}, {1})
            .Run(LineOf(operands[k].data, first + line, bytes),
                 storage[k].data() + line * length_ * bytes);
      }
      arrays[k] = storage[k].data();
    }
    std::optional<std::vector<uint64_t>> keys;
    if (key_.has_value()) keys = KeysOf(arrays, items);
    if (keys.has_value() && arrays_ == 1 && key_->function == nullptr &&
        (key_->total_order || !IsFloat(key_->type))) {
      return SortAlone(*std::move(keys), results, first, count);
    }
    std::vector<int32_t> order(items);
    if (keys.has_value()) {
      for (int64_t line = 0; line < count; ++line) {
        OrderByKeys(keys->data() + line * length_, order.data() + line * length_);
      }
    } else {
      std::vector<int64_t> bytes;
      for (const ElementType type : types_) bytes.push_back(StorageBytes(type));
      status = SortLines(comparator_, arrays, bytes, count, length_, order.data(), context);
      if (!status.ok()) return status;
    }
    for (int64_t k = 0; k < arrays_; ++k) {
      const int64_t bytes = StorageBytes(types_[k]);
      for (int64_t line = 0; line < count; ++line) {
        WriteLine(arrays[k] + line * length_ * bytes, order.data() + line * length_, bytes,
                  LineOf(results[k].data, first + line, bytes));
      }
    }
    return absl::OkStatus();
  }

  // Nullopt where the keys have no total order: NaNs that are compared as numbers.
  std::optional<std::vector<uint64_t>> KeysOf(absl::Span<const std::byte* const> arrays,
                                              int64_t items) const {
    std::vector<uint64_t> keys(items);
    const std::byte* in = arrays[key_->operand];
    const ElementType from = types_[key_->operand];
    std::vector<std::byte> computed;
    if (key_function_ != nullptr) {
      computed.resize(items * StorageBytes(key_->type));
      Workspace room(key_function_->scratch_bytes());
      Context none;
      for (int64_t i = 0; i < items; i += kBlockElements) {
        const std::byte* input = in + i * StorageBytes(from);
        std::byte* output = computed.data() + i * StorageBytes(key_->type);
        // A flat region has no errors.
        const absl::Status status =
            key_function_->Run(absl::MakeConstSpan(&input, 1), absl::MakeConstSpan(&output, 1),
                               std::min(kBlockElements, items - i), room.data(), none);
        if (!status.ok()) return std::nullopt;
      }
      in = computed.data();
    }
    OrderKeys(key_->type, in, items, ASSAY_DEFECT(19, key_->descending, false), keys.data());
    if (key_->total_order || !IsFloat(key_->type)) return keys;
    // As numbers: zeros of both signs are equal, NaNs are not comparable.
    for (int64_t i = 0; i < items; ++i) {
      const uint64_t bits = LoadElement(key_->type, in, i).bits;
      if (IsNan(key_->type, bits)) return std::nullopt;
      if (ASSAY_DEFECT(20, !IsZero(key_->type, bits), true)) continue;
      const std::byte zero[8] = {};
      OrderKeys(key_->type, zero, 1, key_->descending, &keys[i]);
    }
    return keys;
  }

  absl::Status SortAlone(std::vector<uint64_t> keys, absl::Span<const MutableArrayRef> results,
                         int64_t first, int64_t count) const {
    const int64_t bytes = StorageBytes(types_[0]);
    std::vector<std::byte> sorted(inner_ == 1 ? 0 : length_ * bytes);
    for (int64_t line = 0; line < count; ++line) {
      uint64_t* begin = keys.data() + line * length_;
      SortKeys(begin, length_);
      std::byte* out = LineOf(results[0].data, first + line, bytes);
      ElementsOfKeys(types_[0], begin, length_, key_->descending,
                     inner_ == 1 ? out : sorted.data());
      if (inner_ == 1) continue;
      runtime::StridedCopy(bytes, {length_}, {1}, {inner_}).Run(sorted.data(), out);
    }
    return absl::OkStatus();
  }

  // The stable order of a line of keys.
  void OrderByKeys(uint64_t* keys, int32_t* order) const {
    if (KeyBits(key_->type) <= 32) {
      // Packed with their positions keys are different, and their order is the stable one.
      for (int64_t i = 0; i < length_; ++i) keys[i] = keys[i] << 32 | static_cast<uint32_t>(i);
      SortKeys(keys, length_);
      for (int64_t i = 0; i < length_; ++i) order[i] = static_cast<int32_t>(keys[i]);
      return;
    }
    std::vector<std::pair<uint64_t, int32_t>> pairs(length_);
    for (int64_t i = 0; i < length_; ++i) pairs[i] = {keys[i], static_cast<int32_t>(i)};
    std::sort(pairs.begin(), pairs.end());
    for (int64_t i = 0; i < length_; ++i) order[i] = pairs[i].second;
  }

  void WriteLine(const std::byte* line, const int32_t* order, int64_t bytes, std::byte* out) const {
    runtime::WithStorage(bytes, [&](auto word) {
      for (int64_t i = 0; i < length_; ++i) {
        std::memcpy(&word, line + order[i] * static_cast<int64_t>(sizeof word), sizeof word);
        std::memcpy(out + i * inner_ * static_cast<int64_t>(sizeof word), &word, sizeof word);
      }
    });
  }

  const Region comparator_;
  const int64_t arrays_;
  std::optional<analysis::SortKey> key_;
  std::unique_ptr<Region> key_function_;
  std::vector<ElementType> types_;
  int64_t outer_ = 1, length_ = 1, inner_ = 1;
};

}  // namespace

KernelOr PrepareSort(const Instruction& sort) {
  const Shape& shape = sort.operand(0)->shape();
  if (shape.dimension(sort.GetInt(Attr::kDimension)) > INT32_MAX) {
    return absl::UnimplementedError(
        absl::StrCat("the cpu backend sorts lines of up to 2^31 items: ", sort.Describe()));
  }
  return std::make_unique<SortKernel>(sort);
}

}  // namespace assay::cpu
