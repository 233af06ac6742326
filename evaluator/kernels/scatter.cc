// Kernel of scatter: start vectors outer, windows inner; a window that does not fit whole is left
// out. Recognised sums and products collect all that meets a cell and round once; other recognised
// reducers and plain overwriting work run by run; any other computation runs as written.
// Source: reference ops_structural.md 4.2. Tests: folding_kernels_test.cc.
#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "evaluator/kernels/cell_fold.h"
#include "evaluator/kernels/cell_sums.h"
#include "evaluator/kernels/element_loops.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/recognised_fold.h"
#include "evaluator/kernels/region_fold.h"
#include "evaluator/kernels/running_sums.h"
#include "evaluator/kernels/scatter_windows.h"
#include "evaluator/kernels/split_fold.h"
#include "runtime/parallel.h"
#include "spec/element/element.h"

namespace assay::evaluator::kernels {
namespace {

// The update replaces what was there.
bool Overwrites(const Computation& computation, int64_t operands) {
  const Instruction* root = computation.root();
  return operands == 1 && root->opcode() == Opcode::kParameter && root->parameter_number() == 1;
}

class ScatterKernel : public Kernel {
 public:
  explicit ScatterKernel(const Instruction& scatter) : plan_(scatter) {
    for (int64_t k = 0; k < plan_.operands; ++k) {
      types_.push_back(scatter.operand(k)->shape().element_type());
      update_types_.push_back(scatter.operand(plan_.operands + 1 + k)->shape().element_type());
    }
    count_ = scatter.operand(0)->shape().element_count();
  }
  int in_place_operand() const override { return 0; }

  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    Meter meter(context, results[0]);
    for (int64_t k = 0; k < plan_.operands; ++k) {
      if (results[k].data == operands[k].data || count_ == 0) continue;
      std::memcpy(results[k].data, operands[k].data, count_ * StorageBytes(types_[k]));
      if (absl::Status status = meter.Add(count_); !status.ok()) return status;
    }
    absl::Status status = Update(operands, results, meter, context);
    return status.ok() ? meter.Flush() : status;
  }

 protected:
  virtual absl::Status Update(absl::Span<const ArrayRef> operands,
                              absl::Span<const MutableArrayRef> results, Meter& meter,
                              EvaluationContext& context) const = 0;

  const std::byte* Indices(absl::Span<const ArrayRef> operands) const {
    return operands[plan_.operands].data;
  }
  const std::byte* Updates(absl::Span<const ArrayRef> operands, int64_t k) const {
    return operands[plan_.operands + 1 + k].data;
  }
  // Calls f(offset in data, offset in updates) for each run of a window.
  template <typename F>
  absl::Status ForEachRun(F f) const {
    Odometer<2> at(plan_.outer_window);
    do {
      if (absl::Status status = f(at.offset(0), at.offset(1)); !status.ok()) return status;
    } while (at.Next());
    return absl::OkStatus();
  }

  ScatterWindows plan_;
  absl::InlinedVector<ElementType, 2> types_, update_types_;
  int64_t count_;
};

// Run by run, with a loop that combines (or copies): for reducers where order and grouping change
// nothing, and for overwriting, whose order is that of the windows.
class LoopScatter : public ScatterKernel {
 public:
  // Without a loop: overwrite.
  LoopScatter(const Instruction& scatter, std::optional<ElementLoop> loop)
      : ScatterKernel(scatter), loop_(loop) {}

 private:
  absl::Status Update(absl::Span<const ArrayRef> operands,
                      absl::Span<const MutableArrayRef> results, Meter& meter,
                      EvaluationContext& context) const override {
    const int64_t bytes = StorageBytes(types_[0]);
    std::byte* data = results[0].data;
    const std::byte* updates = Updates(operands, 0);
    return plan_.ForEachWindow(Indices(operands), meter, [&](int64_t start, int64_t update) {
      return ForEachRun([&](int64_t cell, int64_t from) {
        std::byte* target = data + (start + cell) * bytes;
        const std::byte* source = updates + (update + from) * bytes;
        if (loop_.has_value()) {
          (*loop_)(target, source, target, plan_.run, context);
        } else {
          std::memcpy(target, source, plan_.run * bytes);
        }
        return meter.Add(plan_.run);
      });
    });
  }

  std::optional<ElementLoop> loop_;
};

// Sums and products: everything that meets a cell is rounded together.
class FoldingScatter : public ScatterKernel {
 public:
  FoldingScatter(const Instruction& scatter, const RecognisedFold& fold)
      : ScatterKernel(scatter),
        fold_(fold),
        bytes_(StorageBytes(fold.type())),
        update_bytes_(StorageBytes(update_types_[0])) {}

 private:
  absl::Status Update(absl::Span<const ArrayRef> operands,
                      absl::Span<const MutableArrayRef> results, Meter& meter,
                      EvaluationContext& context) const override {
    const int64_t updates = operands[2].shape->element_count();
    return FitsIn32Bits(count_, updates) ? Fold<uint32_t>(operands, results, meter, context)
                                         : Fold<int64_t>(operands, results, meter, context);
  }

  template <typename Position>
  absl::Status Fold(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                    Meter& meter, EvaluationContext& context) const {
    const UpdateArray updates = {update_types_[0], Updates(operands, 0)};
    std::byte* data = results[0].data;
    const int64_t update_count = operands[2].shape->element_count();
    // Windows that share no cell unless they begin together are folded whole, others by element.
    const bool whole = plan_.disjoint && plan_.window_count * bytes_ >= kWorthAList;
    if (!whole && AreMany(count_, update_count)) {
      const int64_t data_bytes = count_ * bytes_;
      const int64_t live_bytes =
          data_bytes + (operands[0].data == data ? 0 : data_bytes) + update_count * update_bytes_ +
          operands[1].shape->element_count() * StorageBytes(plan_.index_type);
      const UpdateWalk walk = {updates, plan_.windows,
                               [&](int64_t first, int64_t end, Meter& counted, auto f) {
                                 return ForEachUpdate(operands, first, end, counted, f);
                               }};
      return FoldOrSumManyCells<Position>(fold_, count_, live_bytes, walk, data, meter, context);
    }
    CellUpdates<Position> found(context);
    const auto add = [&](int64_t cell, int64_t update) { return found.Add(cell, update); };
    absl::Status status = whole ? plan_.ForEachWindow(Indices(operands), meter, add)
                                : ForEachUpdate(operands, 0, plan_.windows, meter, add);
    if (!status.ok()) return status;
    if (!whole) return FoldCells(fold_, found, updates, data, meter);
    if (status = found.SortByCell(); !status.ok()) return status;
    return FoldWindows(found.list(), updates.data, results[0], context);
  }

  // Calls f(cell, update) for each element of each of some windows. f may return a status.
  template <typename F>
  absl::Status ForEachUpdate(absl::Span<const ArrayRef> operands, int64_t first, int64_t end,
                             Meter& meter, F f) const {
    if (plan_.window_count == 1) {
      return plan_.ForEachWindow(Indices(operands), first, end, meter, f);
    }
    const auto in_window = [&](int64_t start, int64_t update) {
      return ForEachRun([&](int64_t cell, int64_t from) {
        for (int64_t i = 0; i < plan_.run; ++i) {
          if constexpr (std::is_void_v<decltype(f(cell, from))>) {
            f(start + cell + i, update + from + i);
          } else {
            absl::Status status = f(start + cell + i, update + from + i);
            if (!status.ok()) return status;
          }
        }
        return meter.Add(plan_.run);
      });
    };
    return plan_.ForEachWindow(Indices(operands), first, end, meter, in_window);
  }

  // Windows in the order of their cells. Those that begin at one cell are folded together, some
  // columns of their runs at a time.
  template <typename Position>
  absl::Status FoldWindows(absl::Span<const CellUpdate<Position>> windows, const std::byte* updates,
                           const MutableArrayRef& result, EvaluationContext& context) const {
    std::byte* data = result.data;
    const auto count = static_cast<int64_t>(windows.size());
    const int64_t parts = (plan_.run - 1) / kColumns + 1;
    const auto begins = [&](int64_t w) { return w == 0 || windows[w].cell != windows[w - 1].cell; };
    const int64_t grain = GrainFor(plan_.window_count / parts);
    return ParallelFor(context, count * parts, grain, [&](Blocks& blocks, EvaluationContext& own) {
      Meter meter(own, result);
      for (int64_t i; blocks.NextElement(&i);) {
        const int64_t w = i % count;
        if (!begins(w)) continue;
        int64_t end = w + 1;
        while (end < count && !begins(end)) ++end;
        const int64_t first = i / count * kColumns;
        const CellRange columns = {first, std::min(first + kColumns, plan_.run)};
        FetchAhead(windows.subspan(end), updates, columns);
        absl::Status status = FoldGroup(windows.subspan(w, end - w), updates, data, columns, meter);
        if (!status.ok()) return status;
      }
      return meter.Flush();
    });
  }

  // The order of the cells is not that of the updates: reads would wait for memory.
  template <typename Position>
  void FetchAhead(absl::Span<const CellUpdate<Position>> windows, const std::byte* updates,
                  const CellRange& columns) const {
    constexpr size_t kWindows = 8;
    constexpr int64_t kLine = 64;
    for (const CellUpdate<Position>& window : windows.first(std::min(kWindows, windows.size()))) {
      const std::byte* row = updates + (window.update + columns.first) * update_bytes_;
      const int64_t bytes = (columns.end - columns.first) * update_bytes_;
      for (int64_t i = 0; i < bytes; i += kLine) __builtin_prefetch(row + i);
    }
  }

  template <typename Position>
  absl::Status FoldGroup(absl::Span<const CellUpdate<Position>> windows, const std::byte* updates,
                         std::byte* data, const CellRange& columns, Meter& meter) const {
    const bool adds = AddsInDouble(fold_, update_types_[0]);
    const bool few =
        update_types_[0] == fold_.type() && static_cast<int64_t>(windows.size()) < kFewWindows;
    return ForEachRun([&](int64_t cell, int64_t from) {
      return adds  ? AddColumns(windows, updates + from * update_bytes_, data + cell * bytes_,
                                columns, meter)
             : few ? FoldColumns(windows, updates + from * update_bytes_, data + cell * bytes_,
                                 columns, meter)
                   : FoldGathered(windows, updates + from * update_bytes_, data + cell * bytes_,
                                  columns, meter);
    });
  }

  // Windows that begin at one cell: each of these cells and the updates that meet it are a column.
  // Sums of f32, any number of windows.
  template <typename Position>
  absl::Status AddColumns(absl::Span<const CellUpdate<Position>> windows, const std::byte* updates,
                          std::byte* data, const CellRange& columns, Meter& meter) const {
    constexpr size_t kRows = 64;
    const int64_t size = columns.end - columns.first;
    std::byte* target = data + (windows[0].cell + columns.first) * bytes_;
    const std::byte* rows[kRows];
    double s[kColumns], errors[kColumns];
    const bool at_once = windows.size() <= kRows;
    if (!at_once) BeginSums(target, 1, size, s, errors);
    int64_t open = 0;
    for (size_t first = 0; first < windows.size(); first += kRows) {
      const size_t count = std::min(kRows, windows.size() - first);
      for (size_t w = 0; w < count; ++w) {
        rows[w] = updates + (windows[first + w].update + columns.first) * update_bytes_;
      }
      if (at_once) {
        open = SumRows(target, rows, static_cast<int64_t>(count), size, errors, target);
      } else {
        AddRows(rows, static_cast<int64_t>(count), size, s, errors);
      }
      absl::Status status = meter.Add(static_cast<int64_t>(count) * size);
      if (!status.ok()) return status;
    }
    if (!at_once) open = DecideSums(s, errors, size, target);
    if (open == 0) return absl::OkStatus();
    absl::Status status;
    for (int64_t i = 0; i < size && status.ok(); ++i) {
      if (!IsOpen(errors[i])) continue;
      const int64_t column = columns.first + i;
      status = FoldGathered(windows, updates, data, {column, column + 1}, meter);
    }
    return status;
  }

  // Few windows.
  template <typename Position>
  absl::Status FoldColumns(absl::Span<const CellUpdate<Position>> windows, const std::byte* updates,
                           std::byte* data, const CellRange& columns, Meter& meter) const {
    const auto n = static_cast<int64_t>(windows.size());
    const int64_t part = kColumnElements / (n + 1);
    absl::InlinedVector<const std::byte*, 16> members(n + 1);
    for (int64_t first = columns.first; first < columns.end; first += part) {
      const int64_t size = std::min(part, columns.end - first);
      std::byte* target = data + (windows[0].cell + first) * bytes_;
      members[0] = target;
      for (int64_t w = 0; w < n; ++w) {
        members[w + 1] = updates + (windows[w].update + first) * bytes_;
      }
      fold_.Columns(members, size, target, meter);
      if (absl::Status status = meter.Add(n * size); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  // Any number of them, laid side by side.
  template <typename Position>
  absl::Status FoldGathered(absl::Span<const CellUpdate<Position>> windows,
                            const std::byte* updates, std::byte* data, const CellRange& columns,
                            Meter& meter) const {
    const auto n = static_cast<int64_t>(windows.size());
    // Few columns at a time, so that what is gathered stays small.
    const int64_t part = std::min(columns.end - columns.first, std::max<int64_t>(1, kGathered / n));
    std::vector<std::byte> gathered(part * n * update_bytes_);
    for (int64_t first = columns.first; first < columns.end; first += part) {
      const int64_t size = std::min(part, columns.end - first);
      for (int64_t w = 0; w < n; ++w) {
        const std::byte* source = updates + (windows[w].update + first) * update_bytes_;
        for (int64_t i = 0; i < size; ++i) {
          std::memcpy(gathered.data() + (i * n + w) * update_bytes_, source + i * update_bytes_,
                      update_bytes_);
        }
      }
      absl::Status status =
          FoldRows(gathered.data(), size, n, data + (windows[0].cell + first) * bytes_, meter);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  // Cells side by side, with n updates each.
  absl::Status FoldRows(const std::byte* updates, int64_t cells, int64_t n, std::byte* target,
                        Meter& meter) const {
    if (update_types_[0] == fold_.type()) {
      return fold_.Rows(target, 1, updates, cells, n, target, meter);
    }
    absl::Status status;
    for (int64_t i = 0; i < cells && status.ok(); ++i) {
      status = FoldRow(fold_, update_types_[0], updates + i * n * update_bytes_, n,
                       target + i * bytes_, meter);
    }
    return status;
  }

  static constexpr int64_t kColumns = 256;             // of a group, added at once
  static constexpr int64_t kGathered = 1 << 14;        // elements
  static constexpr int64_t kColumnElements = 1 << 10;  // decoded at once
  static constexpr int64_t kFewWindows = kColumnElements / 16;
  static constexpr int64_t kWorthAList = 16;  // bytes of a window: its place takes 8
  RecognisedFold fold_;
  int64_t bytes_, update_bytes_;
};

// Any computation, any number of operands, in order.
class RegionScatter : public ScatterKernel {
 public:
  RegionScatter(const Instruction& scatter, RegionFold fold)
      : ScatterKernel(scatter), fold_(std::move(fold)) {}

 private:
  absl::Status Update(absl::Span<const ArrayRef> operands,
                      absl::Span<const MutableArrayRef> results, Meter& meter,
                      EvaluationContext& context) const override {
    RegionFold fold = fold_;
    auto step = [&](int64_t cell, int64_t update) -> absl::Status {
      for (int64_t k = 0; k < fold.size(); ++k) {
        fold.accumulator(k) = LoadElement(types_[k], results[k].data, cell);
        const ElementType type = update_types_[k];
        const Element x = LoadElement(type, Updates(operands, k), update);
        fold.element(k) = type == types_[k] ? x : Convert(type, x, types_[k]);
      }
      if (absl::Status status = fold.Step(context); !status.ok()) return status;
      for (int64_t k = 0; k < fold.size(); ++k) {
        StoreElement(types_[k], fold.accumulator(k), results[k].data, cell);
      }
      return meter.Add(1);
    };
    return plan_.ForEachWindow(Indices(operands), meter, [&](int64_t start, int64_t update) {
      return ForEachRun([&](int64_t cell, int64_t from) {
        for (int64_t i = 0; i < plan_.run; ++i) {
          absl::Status status = step(start + cell + i, update + from + i);
          if (!status.ok()) return status;
        }
        return absl::OkStatus();
      });
    });
  }

  RegionFold fold_;
};

}  // namespace

KernelOrNull PrepareScatter(const Instruction& instruction) {
  const int64_t n = instruction.operand_count() / 2;
  const Computation& computation = *instruction.to_apply();
  absl::InlinedVector<ElementType, 2> data, updates;
  for (int64_t k = 0; k < n; ++k) {
    data.push_back(instruction.operand(k)->shape().element_type());
    updates.push_back(instruction.operand(n + 1 + k)->shape().element_type());
  }
  if (!HasReducerTypes(computation, data, data)) return nullptr;
  // Updates of other types are converted one by one; only floats may be mixed.
  const bool mixed = data != updates;
  for (int64_t k = 0; k < n; ++k) {
    if (data[k] != updates[k] && !(IsFloat(data[k]) && IsFloat(updates[k]))) return nullptr;
  }
  if (!mixed && Overwrites(computation, n)) {
    return std::make_unique<LoopScatter>(instruction, std::nullopt);
  }
  if (n == 1) {
    std::optional<ElementLoop> loop = PairwiseLoop(computation, data[0]);
    if (!mixed && loop.has_value()) return std::make_unique<LoopScatter>(instruction, loop);
    const std::optional<RecognisedFold> fold = RecognisedFold::For(computation, data[0]);
    if (fold.has_value() && !loop.has_value())
      return std::make_unique<FoldingScatter>(instruction, *fold);
  }
  const auto as_written = [&]() -> KernelOrNull {
    absl::StatusOr<RegionFold> fold = RegionFold::Prepare(computation);
    if (!fold.ok()) return fold.status();
    return std::make_unique<RegionScatter>(instruction, *std::move(fold));
  };
  const auto part = [](const Instruction& one, absl::Span<const int64_t>) {
    return PrepareScatter(one);
  };
  KernelOrNull split = PrepareSplitFold(instruction, PartOperands::kOwn, part, as_written);
  if (!split.ok() || *split != nullptr) return split;
  return as_written();
}

}  // namespace assay::evaluator::kernels
