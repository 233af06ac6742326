// select-and-scatter: for the sources of a box, the element that each window selects, one position
// of the window after the other; then the sources are folded into the selected cells.
// Source: reference ops_structural.md 5.4. Tests: kernels_test.cc.
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "backends/cpu/cell_fold.h"
#include "backends/cpu/kernels.h"
#include "backends/cpu/window_walk.h"
#include "backends/defect.h"
#include "runtime/parallel.h"
#include "runtime/scratch.h"
#include "runtime/strided_copy.h"
#include "spec/views/odometer.h"

namespace assay::cpu {
namespace {

class SelectAndScatterKernel : public Kernel {
 public:
  SelectAndScatterKernel(const Instruction& op, std::shared_ptr<const Fold> fold)
      : fold_(std::move(fold)),
        select_(*op.GetComputation(Attr::kSelect),
                {op.operand(0)->shape().element_type(), op.operand(0)->shape().element_type()}),
        bytes_(StorageBytes(op.operand(0)->shape().element_type())),
        cells_(op.shape().element_count()),
        sources_(op.operand(1)->shape().element_count()),
        walk_(op.operand(0)->shape().dimensions(), op.operand(1)->shape().dimensions(),
              op.window()),
        grid_(op.operand(1)->shape().dimensions(), kBlockElements) {}

  absl::Status Execute(absl::Span<const ArrayRef> operands,
                       absl::Span<const MutableArrayRef> results, Context& context) const override {
    if (cells_ == 0) return absl::OkStatus();
    runtime::ScratchLease lease(context);
    const int64_t wide_bytes = fold_->narrows(0) ? cells_ * fold_->acc_bytes(0) : 0;
    if (absl::Status status = lease.Add(sources_ * 8 + wide_bytes); !status.ok()) return status;
    std::vector<std::byte> wide(wide_bytes);
    std::byte* acc = fold_->narrows(0) ? wide.data() : results[0].data;
    alignas(16) std::byte one[kCellBytes];
    FillCells(fold_->WidenInit(0, operands[2].data, 1, one), fold_->acc_bytes(0), cells_, acc);
    std::vector<int64_t> selected(sources_, -1);
    absl::Status status = context.Charge(cells_);
    if (status.ok()) status = SelectAll(operands, selected, context);
    if (status.ok()) status = Scatter(operands, selected, acc, context);
    if (status.ok() && fold_->narrows(0)) fold_->Narrow(0, acc, cells_, results[0].data);
    return status;
  }

 private:
  // Of one thread: elements selected and met, and what the region says of them.
  struct Room {
    explicit Room(const Region& select)
        : space(4 * kBlockElements * 16 + Workspace::Rounded(select.scratch_bytes())),
          best(space.Take(kBlockElements * 16)),
          part(space.Take(kBlockElements * 16)),
          met(space.Take(kBlockElements * 16)),
          keep(space.Take(kBlockElements * 16)),
          scratch(space.Take(select.scratch_bytes())) {}
    Workspace space;
    std::byte *best, *part, *met, *keep, *scratch;
  };

  absl::Status SelectAll(absl::Span<const ArrayRef> operands, std::vector<int64_t>& selected,
                         Context& context) const {
    const int64_t positions = std::min(walk_.positions(), int64_t{1} << 32);
    const int64_t grain = select_.flat()
                              ? runtime::GrainFor(positions * kBlockElements * select_.cost())
                              : grid_.count();
    return runtime::ParallelFor(
        context, grid_.count(), std::max<int64_t>(1, grain),
        [&](runtime::Blocks& blocks, Context& context) {
          Room room(select_);
          for (int64_t number; blocks.NextElement(&number);) {
            const runtime::Box box = grid_.At(number);
            for (int64_t position = 0; position < walk_.positions(); ++position) {
              absl::Status status = SelectAt(operands[0].data, position, box, room,
                                             selected.data() + box.first, context);
              if (!status.ok()) return status;
            }
          }
          return absl::OkStatus();
        });
  }

  // Compares what the sources of a box have selected with the elements at one position.
  absl::Status SelectAt(const std::byte* base, int64_t position, const runtime::Box& box,
                        Room& room, int64_t* selected, Context& context) const {
    const WindowMeeting meeting = walk_.Meet(position, box);
    const int64_t n = meeting.elements;
    if (n == 0) return context.Charge(1);
    const Dimensions dense = RowMajorStrides(meeting.counts);
    runtime::StridedCopy(bytes_, meeting.counts, meeting.base_strides, dense)
        .Run(base + meeting.base_offset * bytes_, room.met);
    runtime::StridedCopy(bytes_, meeting.counts, meeting.box_strides, dense)
        .Run(room.best + meeting.box_offset * bytes_, room.part);
    const std::byte* inputs[] = {room.part, room.met};
    std::byte* outputs[] = {room.keep};
    absl::Status status = select_.Run(inputs, outputs, n, room.scratch, context);
    if (status.ok()) status = context.Charge(n * select_.cost());
    if (!status.ok()) return status;
    Odometer<2>::Loops loops;
    for (size_t d = 0; d < meeting.counts.size(); ++d) {
      loops.push_back({meeting.counts[d], {meeting.base_strides[d], meeting.box_strides[d]}});
    }
    Odometer<2> place(loops);
    for (int64_t i = 0; i < n; ++i, place.Next()) {
      const int64_t at = meeting.box_offset + place.offset(1);
      if (selected[at] >= 0 && room.keep[i] != std::byte{0}) continue;
      selected[at] = meeting.base_offset + place.offset(0);
      if (ASSAY_DEFECT(50, false, i > 0)) continue;
      std::memcpy(room.best + at * bytes_, room.met + i * bytes_, bytes_);
    }
    return absl::OkStatus();
  }

  absl::Status Scatter(absl::Span<const ArrayRef> operands, const std::vector<int64_t>& selected,
                       std::byte* acc, Context& context) const {
    CellFold cells(*fold_, absl::MakeConstSpan(&acc, 1), context);
    cells.SetUpdates({operands[1].data});
    for (int64_t source = 0; source < sources_; ++source) {
      if (selected[source] < 0) continue;
      if (absl::Status status = cells.Add(selected[source], source); !status.ok()) return status;
    }
    return cells.Flush();
  }

  const std::shared_ptr<const Fold> fold_;
  const Region select_;
  const int64_t bytes_, cells_, sources_;
  const WindowWalk walk_;
  const runtime::BoxGrid grid_;
};

}  // namespace

KernelOr PrepareSelectAndScatter(const Instruction& op) {
  const ElementType source = op.operand(1)->shape().element_type();
  const ElementType init = op.operand(2)->shape().element_type();
  auto fold = Fold::Create(*op.GetComputation(Attr::kScatter), {source}, {init},
                           {op.shape().element_type()});
  if (!fold.ok()) return fold.status();
  return std::make_unique<SelectAndScatterKernel>(op, *std::move(fold));
}

}  // namespace assay::cpu
