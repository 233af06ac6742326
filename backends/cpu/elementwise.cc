// Elementwise operations: block functions over the arrays, shared among the threads. Operands that
// are views are read block by block into room that stays in the cache, or where their rows lie.
// Tests: kernels_test.cc.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "backends/cpu/fusion/row_reader.h"
#include "backends/cpu/kernels.h"
#include "backends/cpu/region.h"
#include "runtime/parallel.h"
#include "runtime/view_reader.h"

namespace assay::cpu {
namespace {

class ElementwiseKernel : public Kernel {
 public:
  ElementwiseKernel(const Instruction& instruction, BlockFunction function,
                    std::vector<runtime::ViewReader> readers,
                    std::vector<std::optional<RowReader>> rows, int in_place)
      : function_(std::move(function)),
        readers_(std::move(readers)),
        rows_(std::move(rows)),
        count_(instruction.shape().element_count()),
        result_bytes_(StorageBytes(instruction.shape().element_type())),
        cost_(instruction.info().accuracy == Accuracy::kFunction ? 8 : 1),
        in_place_(in_place) {
    for (const Instruction* operand : instruction.operands()) {
      bytes_.push_back(StorageBytes(operand->shape().element_type()));
      scalar_.push_back(operand->shape().is_scalar());
    }
    for (const runtime::ViewReader& reader : readers_) direct_ &= reader.direct();
    for (const std::optional<RowReader>& rows : rows_) {
      if (!rows.has_value() || rows->length() < kBlockOfItsOwn) continue;
      row_ = std::min(row_, rows->length());
    }
  }

  absl::Status Execute(absl::Span<const ArrayRef> operands,
                       absl::Span<const MutableArrayRef> results, Context& context) const override {
    std::byte* out = results[0].data;
    // What is small is done at once.
    if (direct_ && count_ <= kGrain / 8) {
      Room none;
      Apply(operands, 0, count_, none, out);
      return context.Charge(count_);
    }
    return runtime::ParallelFor(context, count_, runtime::GrainFor(2 * cost_),
                                [&](runtime::Blocks& blocks, Context& context) {
                                  return RunBlocks(operands, out, blocks, context);
                                });
  }

  int in_place_operand() const override { return in_place_; }

 private:
  static constexpr int64_t kGrain = 1 << 15;
  static constexpr size_t kMostOperands = 3;
  static constexpr int64_t kOperandBytes = kBlockElements * 16;
  // Shorter rows share a block with others.
  static constexpr int64_t kBlockOfItsOwn = 256;

  // Blocks of operands that do not lie as they are read.
  struct Room {
    std::vector<std::byte> storage;
    int64_t filled = 0;  // elements of the uniform operands
    std::array<RowReader::Filled, kMostOperands> rows = {};
    std::byte* Of(size_t k) {
      return storage.empty() ? nullptr : storage.data() + k * kOperandBytes;
    }
  };

  absl::Status RunBlocks(absl::Span<const ArrayRef> operands, std::byte* out,
                         runtime::Blocks& blocks, Context& context) const {
    // Direct operands need no room, and functions go through memory by themselves.
    const int64_t step = direct_ ? kGrain : kBlockElements;
    Room room;
    if (!direct_) room.storage.resize(kMostOperands * kOperandBytes);
    while (blocks.Next()) {
      const int64_t end = blocks.first() + blocks.count();
      absl::Status status = context.Charge(blocks.count());
      if (!status.ok()) return status;
      for (int64_t first = blocks.first(), n = 0; first < end; first += n) {
        n = std::min({step, end - first, row_ - first % row_});
        Apply(operands, first, n, room, out);
        room.filled = std::max(room.filled, n);
      }
    }
    return absl::OkStatus();
  }

  void Apply(absl::Span<const ArrayRef> operands, int64_t first, int64_t n, Room& room,
             std::byte* out) const {
    const std::byte* blocks[kMostOperands];
    for (size_t k = 0; k < readers_.size(); ++k) {
      if (scalar_[k]) {
        blocks[k] = readers_[k].data(operands);
      } else if (rows_[k].has_value()) {
        blocks[k] = rows_[k]->Block(operands, first, n, room.Of(k), &room.rows[k]);
      } else if (readers_[k].uniform() && n <= room.filled) {
        blocks[k] = room.Of(k);
      } else {
        blocks[k] = readers_[k].Block(operands, first, n, bytes_[k], room.Of(k));
      }
    }
    function_(absl::MakeConstSpan(blocks, readers_.size()), out + first * result_bytes_, n);
  }

  const BlockFunction function_;
  const std::vector<runtime::ViewReader> readers_;
  const std::vector<std::optional<RowReader>> rows_;  // replace readers that are not direct
  int64_t row_ = INT64_MAX;     // the shortest row that is worth a block of its own
  std::vector<int64_t> bytes_;  // of an element, by operand
  std::vector<bool> scalar_;    // one element stands for all
  int64_t count_, result_bytes_, cost_;
  int in_place_;
  bool direct_ = true;
};

}  // namespace

KernelOr PrepareElementwise(const Instruction& instruction, absl::Span<const View> views) {
  absl::StatusOr<BlockFunction> function = FindBlockFunction(instruction);
  if (!function.ok()) return function.status();
  const Shape& shape = instruction.shape();
  std::vector<runtime::ViewReader> readers;
  std::vector<std::optional<RowReader>> rows;
  int in_place = -1;
  for (int64_t k = 0; k < instruction.operand_count(); ++k) {
    const Shape& operand = instruction.operand(k)->shape();
    const int64_t bytes = StorageBytes(operand.element_type());
    const View view = views.empty() ? View::Dense(operand.dimensions(), k) : views[k];
    const runtime::ViewReader& reader = readers.emplace_back(view, bytes);
    rows.emplace_back();
    if (!reader.direct() && !reader.uniform()) rows.back() = RowReader::Create(view, bytes);
    const bool scalar = operand.is_scalar() && !shape.is_scalar();
    // Through a view elements may be read after others have been written.
    if (views.empty() && !scalar && in_place < 0 && bytes == StorageBytes(shape.element_type())) {
      in_place = static_cast<int>(k);
    }
  }
  return std::make_unique<ElementwiseKernel>(instruction, *std::move(function), std::move(readers),
                                             std::move(rows), in_place);
}

}  // namespace assay::cpu
