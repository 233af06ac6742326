// Elementwise operations: block functions over the arrays, shared among the threads. Operands that
// are views are read block by block into room that stays in the cache. Tests: kernels_test.cc.
#include <algorithm>
#include <utility>
#include <vector>

#include "backends/cpu/kernels.h"
#include "backends/cpu/region.h"
#include "runtime/parallel.h"
#include "runtime/view_reader.h"

namespace assay::cpu {
namespace {

class ElementwiseKernel : public Kernel {
 public:
  ElementwiseKernel(const Instruction& instruction, BlockFunction function,
                    std::vector<runtime::ViewReader> readers, int in_place)
      : function_(std::move(function)),
        readers_(std::move(readers)),
        count_(instruction.shape().element_count()),
        result_bytes_(StorageBytes(instruction.shape().element_type())),
        cost_(instruction.info().accuracy == Accuracy::kFunction ? 8 : 1),
        in_place_(in_place) {
    for (const Instruction* operand : instruction.operands()) {
      bytes_.push_back(StorageBytes(operand->shape().element_type()));
      scalar_.push_back(operand->shape().is_scalar());
    }
    for (const runtime::ViewReader& reader : readers_) direct_ &= reader.direct();
  }

  absl::Status Execute(absl::Span<const ArrayRef> operands,
                       absl::Span<const MutableArrayRef> results, Context& context) const override {
    std::byte* out = results[0].data;
    // What is small is done at once.
    if (direct_ && count_ <= kGrain / 8) {
      Apply(operands, nullptr, 0, count_, out);
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

  absl::Status RunBlocks(absl::Span<const ArrayRef> operands, std::byte* out,
                         runtime::Blocks& blocks, Context& context) const {
    // Direct operands need no room, and functions go through memory by themselves.
    const int64_t step = direct_ ? kGrain : kBlockElements;
    std::vector<std::byte> room(direct_ ? 0 : kMostOperands * kBlockElements * 16);
    int64_t filled = 0;  // elements of the uniform operands in the room
    while (blocks.Next()) {
      const int64_t end = blocks.first() + blocks.count();
      absl::Status status = context.Charge(blocks.count());
      if (!status.ok()) return status;
      for (int64_t first = blocks.first(); first < end; first += step) {
        const int64_t n = std::min(step, end - first);
        Apply(operands, room.data(), first, n, out, n <= filled);
        filled = std::max(filled, n);
      }
    }
    return absl::OkStatus();
  }

  void Apply(absl::Span<const ArrayRef> operands, std::byte* room, int64_t first, int64_t n,
             std::byte* out, bool uniform_are_filled = false) const {
    const std::byte* blocks[kMostOperands];
    for (size_t k = 0; k < readers_.size(); ++k) {
      std::byte* own = room == nullptr ? nullptr : room + k * kBlockElements * 16;
      if (scalar_[k]) {
        blocks[k] = readers_[k].data(operands);
      } else if (readers_[k].uniform() && uniform_are_filled) {
        blocks[k] = own;
      } else {
        blocks[k] = readers_[k].Block(operands, first, n, bytes_[k], own);
      }
    }
    function_(absl::MakeConstSpan(blocks, readers_.size()), out + first * result_bytes_, n);
  }

  const BlockFunction function_;
  const std::vector<runtime::ViewReader> readers_;
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
  int in_place = -1;
  for (int64_t k = 0; k < instruction.operand_count(); ++k) {
    const Shape& operand = instruction.operand(k)->shape();
    const int64_t bytes = StorageBytes(operand.element_type());
    readers.emplace_back(views.empty() ? View::Dense(operand.dimensions(), k) : views[k], bytes);
    const bool scalar = operand.is_scalar() && !shape.is_scalar();
    // Through a view elements may be read after others have been written.
    if (views.empty() && !scalar && in_place < 0 && bytes == StorageBytes(shape.element_type())) {
      in_place = static_cast<int>(k);
    }
  }
  return std::make_unique<ElementwiseKernel>(instruction, *std::move(function), std::move(readers),
                                             in_place);
}

}  // namespace assay::cpu
