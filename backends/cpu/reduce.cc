// reduce: the operand as outer x steps x width, where steps are the reduced dimensions. A task is
// some cells of one outer index, and of few cells a part of their steps; the cut follows from the
// shape alone. Within a task known operations are folded in lanes and then as a tree, regions in
// the order as written. Source: reference ops_structural.md 5.1. Tests: kernels_test.cc.
#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "backends/cpu/fold.h"
#include "backends/cpu/fusion/fused_program.h"
#include "backends/cpu/fusion/fused_reader.h"
#include "backends/cpu/kernels.h"
#include "backends/defect.h"
#include "runtime/parallel.h"
#include "runtime/scratch.h"
#include "runtime/view_reader.h"

namespace assay::cpu {
namespace {

// Steps of wide rows that are summed before they join the accumulator, which keeps errors small.
constexpr int64_t kRun = 128;
// Elements of a task whose steps are a part of all.
constexpr int64_t kPartElements = 1 << 16;

class ReduceKernel : public Kernel {
 public:
  ReduceKernel(const Instruction& reduce, std::shared_ptr<const Fold> fold,
               absl::Span<const View> views);
  // Reduces what a fused computation gives, as it is computed.
  ReduceKernel(const Instruction& reduce, std::shared_ptr<const Fold> fold, FusedProgram fused);

  absl::Status Execute(absl::Span<const ArrayRef> operands,
                       absl::Span<const MutableArrayRef> results, Context& context) const override;

 private:
  struct Task {
    int64_t outer, cell, cells, step, steps;
  };
  // The pointers of one thread, by array.
  struct Room {
    explicit Room(const ReduceKernel& kernel);
    Workspace space;
    std::vector<std::byte*> acc, sum, load, wide;
    std::byte* scratch;
    std::byte* fused_storage = nullptr;
    std::optional<FusedReader::Room> fused;  // from the first block on
  };

  void ChooseShape(const Instruction& reduce);
  void ChooseTasks();
  Task TaskAt(int64_t number) const;
  // Operand k from an element on: widened. Of a fused computation the first array's call computes
  // all arrays, so that the others' must follow with the same elements.
  const std::byte* Load(absl::Span<const ArrayRef> operands, int64_t k, int64_t first, int64_t n,
                        Room& room) const;
  // x[k] = Load for all arrays.
  void LoadAll(absl::Span<const ArrayRef> operands, int64_t first, int64_t n, Room& room,
               std::vector<const std::byte*>* x) const;
  void StartWithInits(absl::Span<const ArrayRef> operands, int64_t n,
                      absl::Span<std::byte* const> acc) const;
  // Each writes the fold of a task into room.acc.
  absl::Status RunRow(absl::Span<const ArrayRef> operands, const Task& task, Room& room,
                      Context& context) const;
  absl::Status RunLanes(absl::Span<const ArrayRef> operands, const Task& task, Room& room,
                        Context& context) const;
  absl::Status RunNeighbours(absl::Span<const ArrayRef> operands, const Task& task, Room& room,
                             Context& context) const;
  absl::Status RunSteps(absl::Span<const ArrayRef> operands, const Task& task, Room& room,
                        Context& context) const;
  absl::Status RunTask(absl::Span<const ArrayRef> operands, const Task& task, Room& room,
                       Context& context) const;
  // Initial values in front of the fold of n cells, which may be room.acc; to the results.
  absl::Status Finish(absl::Span<const ArrayRef> operands, absl::Span<std::byte* const> acc,
                      int64_t first_cell, int64_t n, Room& room,
                      absl::Span<const MutableArrayRef> results, Context& context) const;
  absl::Status RunParts(absl::Span<const ArrayRef> operands,
                        absl::Span<const MutableArrayRef> results, Context& context) const;

  const std::shared_ptr<const Fold> fold_;
  const int64_t arrays_;
  std::vector<runtime::ViewReader> readers_;
  std::vector<runtime::ViewReader> init_readers_;  // direct
  std::unique_ptr<const FusedReader> fused_;       // in place of readers_
  int64_t cost_;                                   // of an element
  int64_t outer_ = 1, steps_ = 1, width_ = 1;
  Dimensions order_;         // of the operand's dimensions: outer, steps, width
  int64_t cells_ = 1;        // of a task
  int64_t cell_blocks_ = 1;  // tasks that a width falls into
  int64_t part_ = 1, parts_ = 1;
  bool by_row_ =
      false;  // one cell's elements lie one after the other, and there is a loop for them
};

ReduceKernel::Room::Room(const ReduceKernel& kernel)
    : space([&] {
        int64_t bytes = Workspace::Rounded(kernel.fold_->scratch_bytes());
        for (int64_t k = 0; k < kernel.arrays_; ++k) {
          const int64_t acc = Workspace::Rounded(kBlockElements * kernel.fold_->acc_bytes(k));
          bytes += 2 * acc + Workspace::Rounded(kBlockElements * kernel.fold_->x_bytes(k)) +
                   Workspace::Rounded(kBlockElements * kernel.fold_->element_bytes(k));
        }
        if (kernel.fused_ != nullptr) {
          bytes += Workspace::Rounded(kernel.fused_->RoomBytes(kBlockElements));
        }
        return bytes;
      }()) {
  for (int64_t k = 0; k < kernel.arrays_; ++k) {
    acc.push_back(space.Take(kBlockElements * kernel.fold_->acc_bytes(k)));
    sum.push_back(space.Take(kBlockElements * kernel.fold_->acc_bytes(k)));
    wide.push_back(space.Take(kBlockElements * kernel.fold_->x_bytes(k)));
    load.push_back(space.Take(kBlockElements * kernel.fold_->element_bytes(k)));
  }
  scratch = space.Take(kernel.fold_->scratch_bytes());
  if (kernel.fused_ != nullptr) {
    fused_storage = space.Take(kernel.fused_->RoomBytes(kBlockElements));
  }
}

ReduceKernel::ReduceKernel(const Instruction& reduce, std::shared_ptr<const Fold> fold,
                           absl::Span<const View> views)
    : fold_(std::move(fold)), arrays_(fold_->arrays()), cost_(fold_->cost()) {
  ChooseShape(reduce);
  ChooseTasks();
  for (int64_t k = 0; k < arrays_; ++k) {
    const Shape& shape = reduce.operand(k)->shape();
    const View view = views.empty() ? View::Dense(shape.dimensions(), k) : views[k];
    readers_.emplace_back(view.Transpose(order_), fold_->element_bytes(k));
    const ElementType init = reduce.operand(arrays_ + k)->shape().element_type();
    init_readers_.push_back(views.empty()
                                ? runtime::ViewReader(arrays_ + k)
                                : runtime::ViewReader(views[arrays_ + k], StorageBytes(init)));
  }
}

ReduceKernel::ReduceKernel(const Instruction& reduce, std::shared_ptr<const Fold> fold,
                           FusedProgram fused)
    : fold_(std::move(fold)), arrays_(fold_->arrays()), cost_(fold_->cost() + fused.cost) {
  ChooseShape(reduce);
  ChooseTasks();
  for (const FusedProgram::Input& init : fused.inits) {
    init_readers_.emplace_back(init.view, init.element_bytes);
  }
  fused_ = std::make_unique<const FusedReader>(std::move(fused), order_);
}

void ReduceKernel::ChooseShape(const Instruction& reduce) {
  const Shape& operand = reduce.operand(0)->shape();
  std::vector<bool> reduced(operand.rank(), false);
  int64_t last = -1;
  for (const int64_t d : reduce.GetInts(Attr::kDimensions)) {
    reduced[d] = true;
    last = std::max(last, d);
    steps_ *= operand.dimension(d);
  }
  for (int64_t d = 0; d < operand.rank(); ++d) {
    if (!reduced[d]) (d < last ? outer_ : width_) *= operand.dimension(d);
  }
  // Short runs of elements that are folded together are gathered from many cells.
  const bool gathers =
      fold_->order() == FoldOrder::kAny ? steps_ * width_ < 128 && outer_ > 8 : width_ < 128;
  if (gathers && !(fold_->order() == FoldOrder::kNeighbours && outer_ * width_ < 128)) {
    last = -1;
    width_ *= outer_;
    outer_ = 1;
  }
  for (int64_t d = 0; d < last; ++d) {
    if (!reduced[d]) order_.push_back(d);
  }
  for (int64_t d = 0; d < operand.rank(); ++d) {
    if (reduced[d]) order_.push_back(d);
  }
  for (int64_t d = std::max<int64_t>(0, last); d < operand.rank(); ++d) {
    if (!reduced[d]) order_.push_back(d);
  }
}

void ReduceKernel::ChooseTasks() {
  by_row_ = width_ == 1 && arrays_ == 1 && fold_->order() == FoldOrder::kAny &&
            fold_->rows(0).fold != nullptr;
  cells_ = std::min(width_, kBlockElements);
  cell_blocks_ = cells_ == 0 ? 0 : (width_ + cells_ - 1) / cells_;
  part_ = std::max<int64_t>(1, steps_);
  if (fold_->order() == FoldOrder::kSequential || outer_ * cell_blocks_ >= 16) return;
  const int64_t part = std::max<int64_t>(1, kPartElements / std::max<int64_t>(1, cells_));
  if (steps_ < 2 * part) return;
  part_ = part;
  parts_ = (steps_ + part - 1) / part;
}

ReduceKernel::Task ReduceKernel::TaskAt(int64_t number) const {
  Task task;
  const int64_t part = number % parts_;
  const int64_t block = number / parts_ % cell_blocks_;
  task.outer = number / parts_ / cell_blocks_;
  task.cell = block * cells_;
  task.cells = std::min(cells_, width_ - task.cell);
  task.step = part * part_;
  task.steps = std::min(part_, steps_ - task.step);
  return task;
}

const std::byte* ReduceKernel::Load(absl::Span<const ArrayRef> operands, int64_t k, int64_t first,
                                    int64_t n, Room& room) const {
  const std::byte* block = room.load[k];
  if (fused_ == nullptr) {
    block = readers_[k].Block(operands, first, n, fold_->element_bytes(k), room.load[k]);
  } else if (k == 0) {
    if (!room.fused.has_value()) {
      room.fused = fused_->Start(operands, kBlockElements, room.fused_storage);
    }
    fused_->Read(operands, first, n, room.load, *room.fused);
  }
  if (by_row_ && fold_->rows_of_elements(k)) return block;
  return fold_->Widen(k, block, n, room.wide[k]);
}

void ReduceKernel::LoadAll(absl::Span<const ArrayRef> operands, int64_t first, int64_t n,
                           Room& room, std::vector<const std::byte*>* x) const {
  for (int64_t k = 0; k < arrays_; ++k) (*x)[k] = Load(operands, k, first, n, room);
}

void ReduceKernel::StartWithInits(absl::Span<const ArrayRef> operands, int64_t n,
                                  absl::Span<std::byte* const> acc) const {
  for (int64_t k = 0; k < arrays_; ++k) {
    alignas(16) std::byte wide[kCellBytes];
    const std::byte* init = fold_->WidenInit(k, init_readers_[k].data(operands), 1, wide);
    FillCells(init, fold_->acc_bytes(k), n, acc[k]);
  }
}

// One cell whose elements lie one after the other.
absl::Status ReduceKernel::RunRow(absl::Span<const ArrayRef> operands, const Task& task, Room& room,
                                  Context& context) const {
  const bool as_they_lie = fused_ == nullptr && readers_[0].direct() &&
                           (fold_->rows_of_elements(0) || !fold_->widens(0));
  const int64_t most = as_they_lie ? task.steps : kBlockElements;
  const int64_t base = task.outer * steps_ + task.step;
  for (int64_t step = 0; step < task.steps; step += most) {
    const int64_t n = std::min(most, task.steps - step);
    const std::byte* x = Load(operands, 0, base + step, n, room);
    if (absl::Status status = context.Charge(n * cost_); !status.ok()) return status;
    fold_->rows(0).fold(x, n, step == 0 ? room.acc[0] : room.sum[0]);
    if (step > 0) fold_->rows(0).combine(room.acc[0], room.sum[0], 1);
  }
  return absl::OkStatus();
}

// Several steps side by side: a block of memory is combined with the next one.
absl::Status ReduceKernel::RunLanes(absl::Span<const ArrayRef> operands, const Task& task,
                                    Room& room, Context& context) const {
  const int64_t lanes = std::min(task.steps, std::max<int64_t>(1, kBlockElements / width_));
  const int64_t base = task.outer * steps_ + task.step;
  std::vector<const std::byte*> x(arrays_);
  for (int64_t step = 0; step < task.steps; step += lanes) {
    const int64_t n = std::min(lanes, task.steps - step) * width_;
    LoadAll(operands, (base + step) * width_, n, room, &x);
    absl::Status status = context.Charge(n * cost_);
    if (status.ok() && step > 0) status = fold_->Combine(room.acc, x, n, room.scratch, context);
    if (!status.ok()) return status;
    if (step > 0) continue;
    for (int64_t k = 0; k < arrays_; ++k) {
      std::memcpy(room.acc[k], x[k], n * fold_->acc_bytes(k));
    }
  }
  return FoldRows(*fold_, room.acc, lanes, width_, room.scratch, context);
}

// Neighbouring steps are folded pairwise, block by block.
absl::Status ReduceKernel::RunNeighbours(absl::Span<const ArrayRef> operands, const Task& task,
                                         Room& room, Context& context) const {
  const int64_t rows = std::max<int64_t>(1, kBlockElements / width_);
  const int64_t base = task.outer * steps_ + task.step;
  std::vector<std::byte*> block(arrays_);
  std::vector<const std::byte*> first_row(arrays_);
  std::vector<std::byte> storage;
  int64_t bytes = 0;
  for (int64_t k = 0; k < arrays_; ++k) bytes += kBlockElements * fold_->acc_bytes(k);
  storage.resize(bytes);
  bytes = 0;
  for (int64_t k = 0; k < arrays_; ++k) {
    block[k] = storage.data() + bytes;
    first_row[k] = block[k];
    bytes += kBlockElements * fold_->acc_bytes(k);
  }
  for (int64_t step = 0; step < task.steps; step += rows) {
    const int64_t count = std::min(rows, task.steps - step), n = count * width_;
    for (int64_t k = 0; k < arrays_; ++k) {
      std::memcpy(block[k], Load(operands, k, (base + step) * width_, n, room),
                  n * fold_->acc_bytes(k));
    }
    absl::Status status = context.Charge(n * cost_);
    if (status.ok()) {
      status = FoldNeighbours(*fold_, block, room.sum, count, width_, room.scratch, context);
    }
    if (status.ok() && step > 0) {
      status = fold_->Combine(room.acc, first_row, width_, room.scratch, context);
    }
    if (!status.ok()) return status;
    if (step > 0) continue;
    for (int64_t k = 0; k < arrays_; ++k) {
      std::memcpy(room.acc[k], block[k], width_ * fold_->acc_bytes(k));
    }
  }
  return absl::OkStatus();
}

// One step after the other, all cells of the task at a time. Sequential folds begin with the
// initial values, others with the first element.
absl::Status ReduceKernel::RunSteps(absl::Span<const ArrayRef> operands, const Task& task,
                                    Room& room, Context& context) const {
  const bool sequential = fold_->order() == FoldOrder::kSequential;
  const int64_t run = fold_->order() == FoldOrder::kAny ? kRun : task.steps;
  const int64_t n = task.cells;
  if (sequential) StartWithInits(operands, n, room.acc);
  std::vector<const std::byte*> x(arrays_);
  const std::vector<const std::byte*> sum(room.sum.begin(), room.sum.end());
  bool acc_is_empty = !sequential;
  for (int64_t begin = 0; begin < task.steps; begin += run) {
    const int64_t end = std::min(begin + run, task.steps);
    // Later runs have accumulators of their own.
    const std::vector<std::byte*>& into = begin == 0 ? room.acc : room.sum;
    bool empty = begin > 0 || acc_is_empty;
    for (int64_t step = begin; step < end; ++step) {
      const int64_t row =
          task.outer * steps_ + task.step + ASSAY_DEFECT(2, step, task.steps - 1 - step);
      LoadAll(operands, row * width_ + task.cell, n, room, &x);
      absl::Status status = context.Charge(n * cost_);
      if (status.ok() && !empty) status = fold_->Combine(into, x, n, room.scratch, context);
      if (!status.ok()) return status;
      for (int64_t k = 0; empty && k < arrays_; ++k) {
        std::memcpy(into[k], x[k], n * fold_->acc_bytes(k));
      }
      empty = false;
    }
    acc_is_empty = false;
    if (begin == 0) continue;
    absl::Status status = fold_->Combine(room.acc, sum, n, room.scratch, context);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status ReduceKernel::RunTask(absl::Span<const ArrayRef> operands, const Task& task,
                                   Room& room, Context& context) const {
  if (by_row_) return RunRow(operands, task, room, context);
  if (fold_->order() == FoldOrder::kAny && width_ <= kBlockElements / 2) {
    return RunLanes(operands, task, room, context);
  }
  if (fold_->order() == FoldOrder::kNeighbours && width_ < 128) {
    return RunNeighbours(operands, task, room, context);
  }
  return RunSteps(operands, task, room, context);
}

absl::Status ReduceKernel::Finish(absl::Span<const ArrayRef> operands,
                                  absl::Span<std::byte* const> acc, int64_t first_cell, int64_t n,
                                  Room& room, absl::Span<const MutableArrayRef> results,
                                  Context& context) const {
  absl::Span<std::byte* const> value = acc;
  if (by_row_) {
    alignas(16) std::byte wide[kCellBytes];
    std::memcpy(room.sum[0], fold_->WidenInit(0, init_readers_[0].data(operands), 1, wide),
                fold_->acc_bytes(0));
    fold_->rows(0).combine(room.sum[0], acc[0], ASSAY_DEFECT(1, n, 0));
    fold_->Narrow(0, room.sum[0], n, results[0].data + first_cell * fold_->result_bytes(0));
    return absl::OkStatus();
  }
  if (ASSAY_DEFECT(1, fold_->order() != FoldOrder::kSequential, false)) {
    StartWithInits(operands, n, room.sum);
    const std::vector<const std::byte*> x(acc.begin(), acc.end());
    absl::Status status = fold_->Combine(room.sum, x, n, room.scratch, context);
    if (!status.ok()) return status;
    value = room.sum;
  }
  for (int64_t k = 0; k < arrays_; ++k) {
    fold_->Narrow(k, value[k], n, results[k].data + first_cell * fold_->result_bytes(k));
  }
  return absl::OkStatus();
}

// Tasks that are parts of their cells' steps leave partial values, which are folded in order.
absl::Status ReduceKernel::RunParts(absl::Span<const ArrayRef> operands,
                                    absl::Span<const MutableArrayRef> results,
                                    Context& context) const {
  const int64_t groups = outer_ * cell_blocks_;
  runtime::ScratchLease lease(context);
  int64_t bytes = 0;
  for (int64_t k = 0; k < arrays_; ++k) bytes += groups * parts_ * cells_ * fold_->acc_bytes(k);
  if (absl::Status status = lease.Add(bytes); !status.ok()) return status;
  std::vector<std::byte> partial(bytes);
  std::vector<std::byte*> base(arrays_);
  bytes = 0;
  for (int64_t k = 0; k < arrays_; ++k) {
    base[k] = partial.data() + bytes;
    bytes += groups * parts_ * cells_ * fold_->acc_bytes(k);
  }
  const auto body = [&](runtime::Blocks& blocks, Context& context) {
    Room room(*this);
    for (int64_t number; blocks.NextElement(&number);) {
      const Task task = TaskAt(number);
      absl::Status status = RunTask(operands, task, room, context);
      if (!status.ok()) return status;
      for (int64_t k = 0; k < arrays_; ++k) {
        std::memcpy(base[k] + number * cells_ * fold_->acc_bytes(k), room.acc[k],
                    task.cells * fold_->acc_bytes(k));
      }
    }
    return absl::OkStatus();
  };
  absl::Status status = runtime::ParallelFor(context, groups * parts_, 1, body);
  if (!status.ok()) return status;
  Room room(*this);
  std::vector<std::byte*> acc(arrays_);
  std::vector<const std::byte*> x(arrays_);
  for (int64_t group = 0; group < groups; ++group) {
    const Task task = TaskAt(group * parts_);
    for (int64_t part = 0; part < parts_; ++part) {
      for (int64_t k = 0; k < arrays_; ++k) {
        std::byte* cells = base[k] + (group * parts_ + part) * cells_ * fold_->acc_bytes(k);
        if (part == 0) acc[k] = cells;
        x[k] = cells;
      }
      if (part == 0) continue;
      status = fold_->Combine(acc, x, task.cells, room.scratch, context);
      if (!status.ok()) return status;
    }
    status =
        Finish(operands, acc, task.outer * width_ + task.cell, task.cells, room, results, context);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status ReduceKernel::Execute(absl::Span<const ArrayRef> arrays,
                                   absl::Span<const MutableArrayRef> results,
                                   Context& context) const {
  FusedReader::SourceList sources;
  if (fused_ != nullptr) sources = fused_->Sources(arrays);
  const auto operands = fused_ != nullptr ? absl::MakeConstSpan(sources) : arrays;
  const int64_t total = outer_ * width_;
  if (total == 0) return absl::OkStatus();
  if (parts_ > 1) return RunParts(operands, results, context);
  const int64_t tasks = outer_ * cell_blocks_;
  // Regions that the runtime runs have one thread.
  const int64_t grain = fold_->flat() ? runtime::GrainFor(steps_ * cells_ * cost_ / 4 + 16) : tasks;
  return runtime::ParallelFor(
      context, tasks, grain, [&](runtime::Blocks& blocks, Context& context) {
        Room room(*this);
        for (int64_t number; blocks.NextElement(&number);) {
          const Task task = TaskAt(number);
          const int64_t cell = task.outer * width_ + task.cell;
          absl::Status status;
          if (steps_ == 0) {
            StartWithInits(operands, task.cells, room.acc);
            for (int64_t k = 0; k < arrays_; ++k) {
              fold_->Narrow(k, room.acc[k], task.cells,
                            results[k].data + cell * fold_->result_bytes(k));
            }
            status = context.Charge(task.cells);
          } else {
            status = RunTask(operands, task, room, context);
            if (status.ok()) {
              status = Finish(operands, room.acc, cell, task.cells, room, results, context);
            }
          }
          if (!status.ok()) return status;
        }
        return absl::OkStatus();
      });
}

}  // namespace

namespace {

absl::StatusOr<std::shared_ptr<const Fold>> FoldOf(const Instruction& reduce) {
  const int64_t arrays = reduce.operand_count() / 2;
  std::vector<ElementType> elements, inits, results;
  const std::vector<const Shape*> leaves = Leaves(reduce.shape());
  for (int64_t k = 0; k < arrays; ++k) {
    elements.push_back(reduce.operand(k)->shape().element_type());
    inits.push_back(reduce.operand(arrays + k)->shape().element_type());
    results.push_back(leaves[k]->element_type());
  }
  return Fold::Create(*reduce.to_apply(), elements, inits, results);
}

}  // namespace

KernelOr PrepareReduce(const Instruction& reduce, absl::Span<const View> views) {
  auto fold = FoldOf(reduce);
  if (!fold.ok()) return fold.status();
  return std::make_unique<ReduceKernel>(reduce, *std::move(fold), views);
}

KernelOr PrepareFusedReduce(const Instruction& fusion) {
  const Computation& computation = *fusion.GetComputation(Attr::kCalls);
  const Instruction& reduce = *computation.root();
  if (reduce.opcode() != Opcode::kReduce ||
      static_cast<int64_t>(computation.parameters().size()) != fusion.operand_count()) {
    return nullptr;
  }
  absl::StatusOr<FusedProgram> fused = FuseComputation(computation);
  if (absl::IsUnimplemented(fused.status())) return nullptr;
  if (!fused.ok()) return fused.status();
  // Inputs that another shape's order was read through cannot be put into the reduction's.
  for (const FusedProgram::Input& input : fused->inputs) {
    if (!input.uniform && input.view.sizes() != absl::MakeConstSpan(fused->dimensions)) {
      return nullptr;
    }
  }
  for (const FusedProgram::Input& init : fused->inits) {
    if (!runtime::ViewReader(init.view, init.element_bytes).direct()) return nullptr;
  }
  auto fold = FoldOf(reduce);
  if (!fold.ok()) return fold.status();
  // Regions that the runtime runs need their computation's plan.
  if (!(*fold)->flat()) return nullptr;
  return std::make_unique<ReduceKernel>(reduce, *std::move(fold), *std::move(fused));
}

}  // namespace assay::cpu
