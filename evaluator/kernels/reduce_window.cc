// Kernels of reduce-window: the cells of each window are gathered and folded; running results where
// each window holds all of the one before (cumulative sums and their like); any other computation
// runs as written. Source: reference ops_structural.md 5.2, 5.3. Tests: folding_kernels_test.cc.
#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/odometer.h"
#include "evaluator/kernels/recognised_fold.h"
#include "evaluator/kernels/region_fold.h"
#include "evaluator/kernels/windows.h"
#include "spec/element/element.h"

namespace assay::kernels {
namespace {

class FoldingWindow : public Kernel {
 public:
  FoldingWindow(WindowGrid grid, const RecognisedFold& fold)
      : grid_(std::move(grid)), fold_(fold), bytes_(StorageBytes(fold.type())) {}

  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    if (grid_.output_count() == 0) return absl::OkStatus();
    Meter meter(context);
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
    return status.ok() ? running.Store(out, 0, show) : status;
  }

  WindowGrid grid_;
  RecognisedFold fold_;
  int64_t bytes_;
};

// Windows along one dimension that all begin (or all end) at the same end of the base and grow.
class RunningWindow : public Kernel {
 public:
  RunningWindow(const Instruction& instruction, const WindowGrid& grid, int64_t dimension,
                bool reversed, const RecognisedFold& fold)
      : fold_(fold),
        bytes_(StorageBytes(fold.type())),
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
    Meter meter(context);
    const int64_t outputs = taps_.output_size();
    for (int64_t line = 0; line < outer_ * inner_; ++line) {
      const int64_t outer = line / inner_, inner = line % inner_;
      RecognisedFold::Running running(fold_, operands[1].data);
      auto show = [&](int64_t first, int64_t n, RecognisedFold::Running::Visit visit) {
        for (int64_t i = first; i < first + n; ++i) {
          const int64_t element = reversed_ ? base_ - 1 - i : i;
          visit(operands[0].data + ((outer * base_ + element) * inner_ + inner) * bytes_, 1);
          if (absl::Status status = meter.Add(1); !status.ok()) return status;
        }
        return absl::OkStatus();
      };
      int64_t added = 0;
      for (int64_t i = 0; i < outputs; ++i) {
        const int64_t o = reversed_ ? outputs - 1 - i : i;
        const int64_t count = std::max(added, taps_.At(o).count);
        absl::Status status =
            show(added, count - added, [&](const std::byte* x, int64_t n) { running.Add(x, n); });
        if (!status.ok()) return status;
        added = count;
        status = running.Store(results[0].data, (outer * outputs + o) * inner_ + inner, show);
        if (status.ok()) status = meter.Add(2);
        if (!status.ok()) return status;
      }
    }
    return meter.Flush();
  }

  // The dimension and direction, if the windows are of that form and long enough.
  struct Form {
    int64_t dimension;
    bool reversed;
  };
  static std::optional<Form> Recognise(const Instruction& instruction, const WindowGrid& grid);

 private:
  RecognisedFold fold_;
  int64_t bytes_;
  bool reversed_;
  int64_t outer_ = 1, inner_ = 1, base_ = 0;
  WindowTaps taps_;
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
  const WindowTaps& taps = grid.dimension(dimension).window;
  if (taps.most() < kWorthIt || taps.element_step() != 1 || taps.position_step() != 1 ||
      taps.output_size() > kMostOutputs || taps.output_size() < 2) {
    return std::nullopt;
  }
  const int64_t base = instruction.operand(0)->shape().dimension(dimension);
  bool forward = true, backward = true;
  int64_t before = 0;
  for (int64_t o = 0; o < taps.output_size() && (forward || backward); ++o) {
    const Taps here = taps.At(o);
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
  const int64_t n = instruction.operand_count() / 2;
  const Computation& reducer = *instruction.to_apply();
  absl::InlinedVector<ElementType, 4> elements, inits;
  for (int64_t k = 0; k < n; ++k) {
    elements.push_back(instruction.operand(k)->shape().element_type());
    inits.push_back(instruction.operand(n + k)->shape().element_type());
  }
  if (!HasReducerTypes(reducer, inits, elements)) return nullptr;
  const Shape& operand = instruction.operand(0)->shape();
  const Shape& shape = n == 1 && instruction.shape().is_array()
                           ? instruction.shape()
                           : instruction.shape().tuple_shape(0);
  WindowGrid grid(operand, shape, instruction.window());
  if (n == 1 && elements[0] == inits[0]) {
    const std::optional<RecognisedFold> fold = RecognisedFold::For(reducer, elements[0]);
    if (fold.has_value()) {
      if (const auto form = RunningWindow::Recognise(instruction, grid); form.has_value()) {
        return std::make_unique<RunningWindow>(instruction, grid, form->dimension, form->reversed,
                                               *fold);
      }
      return std::make_unique<FoldingWindow>(std::move(grid), *fold);
    }
  }
  absl::StatusOr<RegionFold> fold = RegionFold::Prepare(reducer);
  if (!fold.ok()) return fold.status();
  return std::make_unique<RegionWindow>(instruction, std::move(grid), *std::move(fold));
}

}  // namespace assay::kernels
