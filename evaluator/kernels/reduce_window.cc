// Kernels of reduce-window: lines of windows that lie side by side are folded cell by cell, the
// cells of others are gathered window by window; running results where each window holds all of the
// one before (cumulative sums and their like); any other computation runs as written. Source:
// reference ops_structural.md 5.2, 5.3. Tests: folding_kernels_test.cc.
#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/lane_fold.h"
#include "evaluator/kernels/recognised_fold.h"
#include "evaluator/kernels/region_fold.h"
#include "evaluator/kernels/split_fold.h"
#include "evaluator/kernels/windows.h"
#include "runtime/parallel.h"
#include "spec/element/element.h"

namespace assay::evaluator::kernels {
namespace {

class FoldingWindow : public Kernel {
 public:
  FoldingWindow(WindowGrid grid, const RecognisedFold& fold)
      : grid_(std::move(grid)), fold_(fold), bytes_(StorageBytes(fold.type())) {}

  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    if (grid_.output_count() == 0) return absl::OkStatus();
    Meter meter(context, results[0]);
    const std::byte* init = operands[1].data;
    std::byte* out = results[0].data;
    std::vector<std::byte> gathered(kGathered * bytes_);
    int64_t rows = 0, row = 0;
    auto flush = [&] {
      absl::Status status = meter.Add(rows);
      if (!status.ok()) return status;
      status = fold_.Rows(init, 0, gathered.data(), rows, row, out, meter);
      out += rows * bytes_;
      rows = 0;
      return status;
    };
    WindowGrid::Walk walk(grid_);
    do {
      const int64_t cells = walk.cell_count();
      // Windows in the padding alone have no cells.
      if (cells != row || (rows + 1) * std::max<int64_t>(row, 1) > kGathered) {
        if (absl::Status status = flush(); !status.ok()) return status;
        row = cells;
      }
      if (cells > kGathered) {
        absl::Status status = FoldLarge(walk, operands[0].data, init, gathered, out, meter);
        if (!status.ok()) return status;
        out += bytes_;
        continue;
      }
      walk.GatherCells(operands[0].data, bytes_, gathered.data() + rows * row * bytes_);
      ++rows;
    } while (walk.Next());
    absl::Status status = flush();
    return status.ok() ? meter.Flush() : status;
  }

 private:
  static constexpr int64_t kGathered = 4096;  // cells

  // A window whose cells are gathered in parts.
  absl::Status FoldLarge(const WindowGrid::Walk& walk, const std::byte* base, const std::byte* init,
                         std::vector<std::byte>& gathered, std::byte* out, Meter& meter) const {
    RecognisedFold::Running running(fold_, init);
    // Asked for all of them, as there is one result.
    auto show = [&](int64_t, int64_t, RecognisedFold::Running::Visit visit) {
      return walk.GatherParts(base, bytes_, kGathered, gathered.data(),
                              [&](const std::byte* x, int64_t n) {
                                visit(x, n);
                                return meter.Add(n);
                              });
    };
    absl::Status status =
        show(0, walk.cell_count(), [&](const std::byte* x, int64_t n) { running.Add(x, n); });
    return status.ok() ? running.Store(out, 0, show, meter) : status;
  }

  WindowGrid grid_;
  RecognisedFold fold_;
  int64_t bytes_;
};

// Small windows of which many lie side by side along the last dimension: cell by cell for all of
// them, so that the elements of a cell are a line of the operand.
class LineWindow : public Kernel {
 public:
  // Folds in pairs by `pair`, or as RecognisedFold::Columns does.
  LineWindow(const WindowGrid& grid, int64_t rank, const RecognisedFold& fold,
             std::optional<ElementLoop> pair)
      : fold_(fold), pair_(std::move(pair)), bytes_(StorageBytes(fold.type())) {
    for (int64_t d = 0; d < rank; ++d) plans_.push_back(grid.dimension(d));
    for (int64_t d = 0; d + 1 < rank; ++d) lines_ *= plans_[d].window.output_size();
    most_cells_ = grid.most_cells();
    empty_ = grid.output_count() == 0;
  }

  // Returns true if this path is faster than folding window by window.
  static bool Suits(const WindowGrid& grid, int64_t rank) {
    if (rank == 0 || grid.most_cells() > kMostCells) return false;
    const analysis::WindowTaps& last = grid.dimension(rank - 1).window;
    return last.period() == 1 && last.output_size() >= kFewestColumns;
  }

  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    if (empty_) return absl::OkStatus();
    const int64_t outputs = plans_.back().window.output_size();
    return ParallelFor(context, lines_, GrainFor(outputs * (most_cells_ + 1)),
                       [&](Blocks& lines, EvaluationContext& context) {
                         return RunLines(operands, results[0], lines, context);
                       });
  }

 private:
  static constexpr int64_t kMostCells = 64, kFewestColumns = 8, kColumns = 128;

  struct Room {
    std::vector<std::byte> init;      // kColumns times
    std::vector<int64_t> cells;       // where those of the first window of a line are
    std::vector<std::byte> gathered;  // [cell][column], of lines that are not side by side
    std::vector<const std::byte*> lines;
  };

  absl::Status RunLines(absl::Span<const ArrayRef> operands, const MutableArrayRef& result,
                        Blocks& lines, EvaluationContext& context) const {
    std::byte* out = result.data;
    Room room;
    room.init.resize(kColumns * bytes_);
    for (int64_t i = 0; i < kColumns; ++i) {
      std::memcpy(room.init.data() + i * bytes_, operands[1].data, bytes_);
    }
    Meter meter(context, result);
    const int64_t line_bytes = plans_.back().window.output_size() * bytes_;
    Dimensions position(plans_.size());
    for (int64_t line; lines.NextElement(&line);) {
      int64_t rest = line;
      for (size_t d = plans_.size() - 1; d-- > 0; rest /= plans_[d].window.output_size()) {
        position[d] = rest % plans_[d].window.output_size();
      }
      analysis::TapRuns runs(plans_.back().window);
      do {
        Cells(position, runs, room.cells);
        absl::Status status =
            RunLine(runs, operands[0].data, out + line * line_bytes, room, meter, context);
        if (!status.ok()) return status;
      } while (runs.Next());
    }
    return meter.Flush();
  }

  void Cells(absl::Span<const int64_t> position, const analysis::TapRuns& runs,
             std::vector<int64_t>& cells) const {
    cells.assign(1, 0);
    for (size_t d = 0; d < plans_.size(); ++d) {
      const WindowGrid::DimensionPlan& plan = plans_[d];
      const bool last = d + 1 == plans_.size();
      const analysis::Taps taps = last ? runs.taps() : plan.window.At(position[d]);
      const size_t before = cells.size();
      std::vector<int64_t> next;
      next.reserve(before * taps.count);
      for (const int64_t cell : cells) {
        for (int64_t i = 0; i < taps.count; ++i) {
          next.push_back(cell + (taps.element + i * plan.window.element_step()) * plan.stride);
        }
      }
      cells = std::move(next);
    }
  }

  // `out` is where the first output of the dimension is.
  absl::Status RunLine(const analysis::TapRuns& runs, const std::byte* base, std::byte* out,
                       Room& room, Meter& meter, EvaluationContext& context) const {
    const int64_t advance = runs.element_advance() * plans_.back().stride;
    const auto cells = static_cast<int64_t>(room.cells.size());
    for (int64_t first = 0; first < runs.count(); first += kColumns) {
      const int64_t n = std::min(kColumns, runs.count() - first);
      std::byte* results = out + (runs.output() + first) * bytes_;
      room.lines.assign(1, room.init.data());
      if (advance != 1) room.gathered.resize(cells * kColumns * bytes_);
      for (int64_t c = 0; c < cells; ++c) {
        const std::byte* line = base + (room.cells[c] + first * advance) * bytes_;
        if (advance != 1) {
          std::byte* copy = room.gathered.data() + c * kColumns * bytes_;
          WithStorage(bytes_, [&](auto sample) {
            using T = decltype(sample);
            for (int64_t i = 0; i < n; ++i) StoreAt(copy, i, LoadAt<T>(line, i * advance));
          });
          line = copy;
        }
        room.lines.push_back(line);
      }
      if (pair_.has_value() || cells == 0) {
        std::memcpy(results, room.init.data(), n * bytes_);
        for (int64_t c = 0; c < cells; ++c) {
          (*pair_)(results, room.lines[c + 1], results, n, context);
        }
      } else {
        fold_.Columns(room.lines, n, results, meter);
      }
      if (absl::Status status = meter.Add(n * (cells + 1)); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  RecognisedFold fold_;
  std::optional<ElementLoop> pair_;
  int64_t bytes_;
  std::vector<WindowGrid::DimensionPlan> plans_;
  int64_t lines_ = 1;       // along the last dimension
  int64_t most_cells_ = 0;  // of a window
  bool empty_;
};

// Windows along one dimension that all begin (or all end) at the same end of the base and grow.
class RunningWindow : public Kernel {
 public:
  RunningWindow(const Instruction& instruction, const WindowGrid& grid, int64_t dimension,
                bool reversed)
      : kind_(analysis::RecogniseReducer(*instruction.to_apply()).kind),
        type_(instruction.operand(0)->shape().element_type()),
        loop_(PairwiseLoop(kind_, type_)),
        reversed_(reversed),
        taps_(grid.dimension(dimension).window) {
    const Shape& operand = instruction.operand(0)->shape();
    for (int64_t d = 0; d < operand.rank(); ++d) {
      (d < dimension ? outer_ : inner_) *= d == dimension ? 1 : operand.dimension(d);
    }
    base_ = operand.dimension(dimension);
  }

  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    constexpr int64_t kSteps = 32;  // of an exact running sum
    return ParallelFor(context, outer_ * inner_, GrainFor(kSteps * taps_.output_size()),
                       [&](Blocks& lines, EvaluationContext& context) {
                         return RunLines(operands, results, lines, context);
                       });
  }

  // The dimension and direction, if the windows are of that form and long enough.
  struct Form {
    int64_t dimension;
    bool reversed;
  };
  static std::optional<Form> Recognise(const Instruction& instruction, const WindowGrid& grid);

 private:
  absl::Status RunLines(absl::Span<const ArrayRef> operands,
                        absl::Span<const MutableArrayRef> results, Blocks& lines,
                        EvaluationContext& context) const {
    Meter meter(context, results[0]);
    const int64_t outputs = taps_.output_size(), bytes = StorageBytes(type_);
    for (int64_t line; lines.NextElement(&line);) {
      const int64_t outer = line / inner_, inner = line % inner_;
      LaneFold fold(kind_, type_, loop_, operands[1].data);
      const auto element_at = [&](int64_t n) {
        const int64_t element = reversed_ ? base_ - 1 - n : n;
        return operands[0].data + ((outer * base_ + element) * inner_ + inner) * bytes;
      };
      int64_t added = 0;
      for (int64_t i = 0; i < outputs; ++i) {
        const int64_t o = reversed_ ? outputs - 1 - i : i;
        for (const int64_t count = taps_.At(o).count; added < count; ++added) {
          fold.Add(element_at(added), context);
          if (absl::Status status = meter.Add(1); !status.ok()) return status;
        }
        absl::Status stored =
            fold.Store(results[0].data, (outer * outputs + o) * inner_ + inner, element_at, meter);
        if (!stored.ok()) return stored;
        if (absl::Status status = meter.Add(2); !status.ok()) return status;
      }
    }
    return meter.Flush();
  }

  analysis::ReducerKind kind_;
  ElementType type_;
  std::optional<ElementLoop> loop_;
  bool reversed_;
  int64_t outer_ = 1, inner_ = 1, base_ = 0;
  analysis::WindowTaps taps_;
};

bool IsIdentity(const WindowDimension& window) { return window == WindowDimension(); }

std::optional<RunningWindow::Form> RunningWindow::Recognise(const Instruction& instruction,
                                                            const WindowGrid& grid) {
  constexpr int64_t kWorthIt = 64;
  constexpr int64_t kMostOutputs = int64_t{1} << 24;  // looked at one by one
  const std::vector<WindowDimension>& window = instruction.window().dimensions;
  int64_t dimension = -1;
  for (size_t d = 0; d < window.size(); ++d) {
    if (IsIdentity(window[d])) continue;
    if (dimension >= 0) return std::nullopt;
    dimension = static_cast<int64_t>(d);
  }
  if (dimension < 0) return std::nullopt;
  const analysis::WindowTaps& taps = grid.dimension(dimension).window;
  if (taps.most() < kWorthIt || taps.element_step() != 1 || taps.position_step() != 1 ||
      taps.output_size() > kMostOutputs || taps.output_size() < 2) {
    return std::nullopt;
  }
  const int64_t base = instruction.operand(0)->shape().dimension(dimension);
  bool forward = true, backward = true;
  int64_t before = 0;
  for (int64_t o = 0; o < taps.output_size() && (forward || backward); ++o) {
    const analysis::Taps here = taps.At(o);
    if (here.count > 0 && here.element != 0) forward = false;
    if (here.count > 0 && here.element + here.count != base) backward = false;
    if (o > 0 && here.count < before) forward = false;
    if (o > 0 && here.count > before) backward = false;
    before = here.count;
  }
  if (forward) return Form{dimension, false};
  if (backward) return Form{dimension, true};
  return std::nullopt;
}

// Any computation, any number of operands.
class RegionWindow : public Kernel {
 public:
  RegionWindow(const Instruction& instruction, WindowGrid grid, RegionFold fold)
      : grid_(std::move(grid)), fold_(std::move(fold)) {
    for (const Instruction* operand : instruction.operands()) {
      types_.push_back(operand->shape().element_type());
    }
  }
  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    if (grid_.output_count() == 0) return absl::OkStatus();
    RegionFold fold = fold_;
    Meter meter(context);
    const int64_t n = fold.size();
    WindowGrid::Walk walk(grid_);
    do {
      for (int64_t k = 0; k < n; ++k) {
        fold.accumulator(k) = LoadElement(types_[n + k], operands[n + k].data, 0);
      }
      absl::Status status = walk.ForEachCell([&](int64_t cell) -> absl::Status {
        for (int64_t k = 0; k < n; ++k) {
          fold.element(k) = LoadElement(types_[k], operands[k].data, cell);
        }
        if (absl::Status stepped = fold.Step(context); !stepped.ok()) return stepped;
        return meter.Add(1);
      });
      if (!status.ok()) return status;
      for (int64_t k = 0; k < n; ++k) {
        StoreElement(types_[n + k], fold.accumulator(k), results[k].data, walk.output());
      }
      if (status = meter.Add(1); !status.ok()) return status;
    } while (walk.Next());
    return meter.Flush();
  }

 private:
  WindowGrid grid_;
  RegionFold fold_;
  absl::InlinedVector<ElementType, 4> types_;
};

}  // namespace

KernelOrNull PrepareReduceWindow(const Instruction& instruction) {
  const Computation& reducer = *instruction.to_apply();
  const FoldTypes types(instruction);
  if (!HasReducerTypes(reducer, types.inits, types.elements)) return nullptr;
  const Shape& operand = instruction.operand(0)->shape();
  const Shape& shape =
      instruction.shape().is_array() ? instruction.shape() : instruction.shape().tuple_shape(0);
  WindowGrid grid(operand, shape, instruction.window());
  if (types.single()) {
    const std::optional<RecognisedFold> fold = RecognisedFold::For(reducer, types.elements[0]);
    if (fold.has_value()) {
      const auto form = RunningWindow::Recognise(instruction, grid);
      // Growing backwards the elements would come in another order.
      if (form.has_value() && (fold->any_order() || !form->reversed)) {
        return std::make_unique<RunningWindow>(instruction, grid, form->dimension, form->reversed);
      }
      const std::optional<ElementLoop> pair = PairwiseLoop(reducer, types.elements[0]);
      const bool in_lines = !pair.has_value() || !pair->one_by_one;
      if (in_lines && LineWindow::Suits(grid, operand.rank())) {
        return std::make_unique<LineWindow>(grid, operand.rank(), *fold, pair);
      }
      return std::make_unique<FoldingWindow>(std::move(grid), *fold);
    }
  }
  const auto as_written = [&]() -> KernelOrNull {
    absl::StatusOr<RegionFold> fold = RegionFold::Prepare(reducer);
    if (!fold.ok()) return fold.status();
    return std::make_unique<RegionWindow>(instruction, grid, *std::move(fold));
  };
  const auto part = [](const Instruction& one, absl::Span<const int64_t>) {
    return PrepareReduceWindow(one);
  };
  KernelOrNull split = PrepareSplitFold(instruction, PartOperands::kOwn, part, as_written);
  if (!split.ok() || *split != nullptr) return split;
  return as_written();
}

}  // namespace assay::evaluator::kernels
