// reduce-window: the outputs of a box are folded together, one position of the window after the
// other, in the order of the definition. Positions that lie in the padding or between dilated
// elements contribute nothing. Source: reference ops_structural.md 5.3. Tests: kernels_test.cc.
#include <algorithm>
#include <utility>
#include <vector>

#include "backends/cpu/fold.h"
#include "backends/cpu/kernels.h"
#include "backends/cpu/running_window.h"
#include "backends/cpu/window_walk.h"
#include "backends/defect.h"
#include "runtime/parallel.h"
#include "runtime/strided_copy.h"

namespace assay::cpu {
namespace {

class ReduceWindowKernel : public Kernel {
 public:
  ReduceWindowKernel(const Instruction& op, std::shared_ptr<const Fold> fold)
      : fold_(std::move(fold)),
        arrays_(fold_->arrays()),
        walk_(op.operand(0)->shape().dimensions(), Leaves(op.shape())[0]->dimensions(),
              op.window()),
        grid_(Leaves(op.shape())[0]->dimensions(), kBlockElements) {}

  absl::Status Execute(absl::Span<const ArrayRef> operands,
                       absl::Span<const MutableArrayRef> results, Context& context) const override {
    const int64_t box_cost = std::min(walk_.positions(), int64_t{1} << 32) * kBlockElements;
    const int64_t grain =
        fold_->flat() ? runtime::GrainFor(box_cost / 2 * fold_->cost()) : grid_.count();
    return runtime::ParallelFor(context, grid_.count(), std::max<int64_t>(1, grain),
                                [&](runtime::Blocks& blocks, Context& context) {
                                  Room room(*fold_);
                                  for (int64_t number; blocks.NextElement(&number);) {
                                    absl::Status status =
                                        RunBox(operands, grid_.At(number), room, results, context);
                                    if (!status.ok()) return status;
                                  }
                                  return absl::OkStatus();
                                });
  }

 private:
  struct Room {
    explicit Room(const Fold& fold) : space(Bytes(fold)) {
      for (int64_t k = 0; k < fold.arrays(); ++k) {
        for (std::vector<std::byte*>* room : {&acc, &part, &load, &wide}) {
          room->push_back(space.Take(kBlockElements * kCellBytes));
        }
      }
      scratch = space.Take(fold.scratch_bytes());
    }
    static int64_t Bytes(const Fold& fold) {
      return fold.arrays() * 4 * kBlockElements * kCellBytes +
             Workspace::Rounded(fold.scratch_bytes());
    }
    Workspace space;
    std::vector<std::byte*> acc, part, load, wide;
    std::byte* scratch;
  };

  absl::Status RunBox(absl::Span<const ArrayRef> operands, const runtime::Box& box, Room& room,
                      absl::Span<const MutableArrayRef> results, Context& context) const {
    for (int64_t k = 0; k < arrays_; ++k) {
      alignas(16) std::byte wide[kCellBytes];
      const std::byte* init = fold_->WidenInit(k, operands[arrays_ + k].data, 1, wide);
      FillCells(init, fold_->acc_bytes(k), box.count, room.acc[k]);
    }
    for (int64_t position = 0; position < walk_.positions(); ++position) {
      absl::Status status = FoldPosition(operands, position, box, room, context);
      if (!status.ok()) return status;
    }
    for (int64_t k = 0; k < arrays_; ++k) {
      fold_->Narrow(k, room.acc[k], box.count,
                    results[k].data + box.first * fold_->result_bytes(k));
    }
    return absl::OkStatus();
  }

  absl::Status FoldPosition(absl::Span<const ArrayRef> operands, int64_t position,
                            const runtime::Box& box, Room& room, Context& context) const {
    const WindowMeeting meeting = walk_.Meet(position, box);
    const int64_t n = meeting.elements;
    if (n == 0) return context.Charge(1);
    const Dimensions dense = RowMajorStrides(meeting.counts);
    std::vector<const std::byte*> x(arrays_);
    for (int64_t k = 0; k < arrays_; ++k) {
      const int64_t bytes = fold_->element_bytes(k);
      runtime::StridedCopy(bytes, meeting.counts, meeting.base_strides, dense)
          .Run(operands[k].data + meeting.base_offset * bytes, room.load[k]);
      x[k] = fold_->Widen(k, room.load[k], n, room.wide[k]);
    }
    if (absl::Status status = context.Charge(n * fold_->cost()); !status.ok()) return status;
    if (ASSAY_DEFECT(8, false, !meeting.whole)) return context.Charge(1);
    if (meeting.whole) return fold_->Combine(room.acc, x, n, room.scratch, context);
    for (int64_t k = 0; k < arrays_; ++k) {
      const int64_t bytes = fold_->acc_bytes(k);
      runtime::StridedCopy(bytes, meeting.counts, meeting.box_strides, dense)
          .Run(room.acc[k] + meeting.box_offset * bytes, room.part[k]);
    }
    absl::Status status = fold_->Combine(room.part, x, n, room.scratch, context);
    for (int64_t k = 0; k < arrays_; ++k) {
      const int64_t bytes = fold_->acc_bytes(k);
      runtime::StridedCopy(bytes, meeting.counts, dense, meeting.box_strides)
          .Run(room.part[k], room.acc[k] + meeting.box_offset * bytes);
    }
    return status;
  }

  const std::shared_ptr<const Fold> fold_;
  const int64_t arrays_;
  const WindowWalk walk_;
  const runtime::BoxGrid grid_;
};

}  // namespace

KernelOr PrepareReduceWindow(const Instruction& op) {
  const int64_t arrays = op.operand_count() / 2;
  std::vector<ElementType> elements, inits, results;
  const std::vector<const Shape*> leaves = Leaves(op.shape());
  for (int64_t k = 0; k < arrays; ++k) {
    elements.push_back(op.operand(k)->shape().element_type());
    inits.push_back(op.operand(arrays + k)->shape().element_type());
    results.push_back(leaves[k]->element_type());
  }
  auto fold = Fold::Create(*op.to_apply(), elements, inits, results);
  if (!fold.ok()) return fold.status();
  std::unique_ptr<Kernel> running = PrepareRunningWindow(op, *fold);
  if (running != nullptr) return running;
  return std::make_unique<ReduceWindowKernel>(op, *std::move(fold));
}

}  // namespace assay::cpu
