// Windows that begin with their line fold its elements in the order of the definition, so that any
// reducer may be carried along. Windows that end with their line are folded from its end, which
// takes a reducer that may have any order. Source: reference ops_structural.md 5.3.
#include "backends/cpu/running_window.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "backends/cpu/lanes.h"
#include "backends/cpu/running_line.h"
#include "backends/defect.h"
#include "runtime/parallel.h"
#include "spec/analysis/reducer.h"
#include "spec/ir/attribute_values.h"

namespace assay::cpu {
namespace {

// The dimension along which windows run, and the end of the line where they begin.
struct Running {
  int64_t dimension;
  bool from_end;
};

std::optional<Running> FindRunning(const Instruction& op) {
  const Shape& operand = op.operand(0)->shape();
  const Shape& result = *Leaves(op.shape())[0];
  if (operand.is_dynamic() || !std::equal(operand.dimensions().begin(), operand.dimensions().end(),
                                          result.dimensions().begin(), result.dimensions().end())) {
    return std::nullopt;
  }
  std::optional<Running> found;
  const std::vector<WindowDimension>& window = op.window().dimensions;
  for (size_t d = 0; d < window.size(); ++d) {
    if (window[d] == WindowDimension()) continue;
    WindowDimension running;
    running.size = window[d].size;
    running.padding_low = window[d].padding_low;
    running.padding_high = window[d].padding_high;
    const int64_t others = running.size - 1;
    const bool from_begin = running.padding_low == others && running.padding_high == 0;
    const bool from_end = running.padding_low == 0 && running.padding_high == others;
    const bool whole = running.size >= operand.dimension(static_cast<int64_t>(d));
    if (found || window[d] != running || !whole || !(from_begin || from_end)) return std::nullopt;
    found = {static_cast<int64_t>(d), from_end};
  }
  return found;
}

class RunningWindowKernel : public Kernel {
 public:
  RunningWindowKernel(const Instruction& op, std::shared_ptr<const Fold> fold, Running running)
      : fold_(std::move(fold)), arrays_(fold_->arrays()), from_end_(running.from_end) {
    const std::vector<const Shape*> leaves = Leaves(op.shape());
    for (int64_t k = 0; k < arrays_; ++k) {
      elements_.emplace_back(op.operand(k)->shape(), running.dimension);
      results_.emplace_back(*leaves[k], running.dimension);
    }
    const ElementType type = leaves[0]->element_type();
    bool one_type = arrays_ == 1;
    for (const Instruction* operand : op.operands()) {
      one_type &= operand->shape().element_type() == type;
    }
    const Shape& own = op.to_apply()->root()->shape();
    if (one_type && own.is_array() && own.element_type() == type) {
      line_ = FindRunningFunction(analysis::RecogniseReducer(*op.to_apply()).kind, type);
    }
  }

  absl::Status Execute(absl::Span<const ArrayRef> operands,
                       absl::Span<const MutableArrayRef> results, Context& context) const override {
    const Lanes& lanes = elements_[0];
    const bool by_line = line_ != nullptr && (lanes.inner < 16 || lanes.lines() < 64);
    const int64_t grain =
        by_line ? runtime::GrainFor(2 * lanes.size)
                : std::min(kBlockElements, runtime::GrainFor(lanes.size * fold_->cost()) + 63);
    return runtime::ParallelFor(
        context, lanes.lines(), grain, [&](runtime::Blocks& blocks, Context& context) {
          while (blocks.Next()) {
            absl::Status status = by_line ? RunLines(operands, results, blocks, context)
                                          : RunBlock(operands, results, blocks, context);
            if (!status.ok()) return status;
          }
          return absl::OkStatus();
        });
  }

 private:
  // One line after the other.
  absl::Status RunLines(absl::Span<const ArrayRef> operands,
                        absl::Span<const MutableArrayRef> results, const runtime::Blocks& blocks,
                        Context& context) const {
    const Lanes& lanes = elements_[0];
    alignas(16) std::byte whole[16];
    for (int64_t lane = blocks.first(); lane < blocks.first() + blocks.count(); ++lane) {
      RunningLine line;
      line.in = operands[0].data;
      line.out = results[0].data;
      line.init = operands[1].data;
      line.carry = whole;
      line.steps = lanes.size;
      line.first = lanes.size == 0 ? 0 : lanes.At(lane, Position(0));
      line.stride = from_end_ ? -lanes.inner : lanes.inner;
      line.after = true;
      if (absl::Status status = context.Charge(lanes.size); !status.ok()) return status;
      line_(line);
    }
    return absl::OkStatus();
  }

  // One element after the other, on a block of lines.
  absl::Status RunBlock(absl::Span<const ArrayRef> operands,
                        absl::Span<const MutableArrayRef> results, const runtime::Blocks& blocks,
                        Context& context) const {
    const int64_t first = blocks.first(), n = blocks.count();
    Workspace space(4 * arrays_ * Workspace::Rounded(n * kCellBytes) +
                    Workspace::Rounded(fold_->scratch_bytes()));
    std::vector<std::byte*> acc, load, wide, narrow;
    for (int64_t k = 0; k < arrays_; ++k) {
      for (std::vector<std::byte*>* room : {&acc, &load, &wide, &narrow}) {
        room->push_back(space.Take(n * kCellBytes));
      }
      const std::byte* init = fold_->WidenInit(k, operands[arrays_ + k].data, 1, wide[k]);
      FillCells(init, fold_->acc_bytes(k), n, acc[k]);
    }
    std::byte* const scratch = space.Take(fold_->scratch_bytes());
    std::vector<const std::byte*> x(arrays_);
    for (int64_t step = 0; step < elements_[0].size; ++step) {
      const int64_t position = Position(step);
      for (int64_t k = 0; k < arrays_; ++k) {
        elements_[k].Read(operands[k].data, first, n, position, load[k]);
        x[k] = fold_->Widen(k, load[k], n, wide[k]);
      }
      absl::Status status = context.Charge(n * fold_->cost());
      if (status.ok()) status = fold_->Combine(acc, x, n, scratch, context);
      if (!status.ok()) return status;
      for (int64_t k = 0; k < arrays_; ++k) {
        fold_->Narrow(k, acc[k], n, narrow[k]);
        results_[k].Write(narrow[k], first, n, position, results[k].data);
      }
    }
    return absl::OkStatus();
  }

  int64_t Position(int64_t step) const {
    return ASSAY_DEFECT(96, from_end_, false) ? elements_[0].size - 1 - step : step;
  }

  const std::shared_ptr<const Fold> fold_;
  const int64_t arrays_;
  const bool from_end_;
  std::vector<Lanes> elements_, results_;  // by array
  RunningFunction line_ = nullptr;
};

}  // namespace

std::unique_ptr<Kernel> PrepareRunningWindow(const Instruction& reduce_window,
                                             std::shared_ptr<const Fold> fold) {
  const std::optional<Running> running = FindRunning(reduce_window);
  if (!running || !fold->flat()) return nullptr;
  if (running->from_end && fold->order() != FoldOrder::kAny) return nullptr;
  return std::make_unique<RunningWindowKernel>(reduce_window, std::move(fold), *running);
}

}  // namespace assay::cpu
