// Kernel of select-and-scatter: sums and products of floats collect what meets each cell and round
// once, all else is combined as it is selected. Source: reference ops_structural.md 5.4. Tests:
// folding_kernels_test.cc.
#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "evaluator/kernels/cell_fold.h"
#include "evaluator/kernels/cell_sums.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/region_fold.h"
#include "evaluator/kernels/windows.h"
#include "evaluator/scalar/comparison.h"
#include "evaluator/scalar/scalar_ops.h"
#include "runtime/parallel.h"
#include "spec/element/element.h"

namespace assay::evaluator::kernels {
namespace {

// Returns the direction in which a computation compares its two f32 parameters, if it does nothing
// else.
std::optional<ComparisonDirection> DirectionOf(const Computation& select, ElementType type) {
  const Instruction& root = *select.root();
  if (type != ElementType::kF32 || root.opcode() != Opcode::kCompare) return std::nullopt;
  for (int64_t k = 0; k < 2; ++k) {
    const Instruction& operand = *root.operand(k);
    if (operand.opcode() != Opcode::kParameter || operand.parameter_number() != k) {
      return std::nullopt;
    }
  }
  const ScalarOp op = ScalarOpOf(root);
  if (op.comparison_type == ComparisonType::kTotalOrder) return std::nullopt;
  return op.direction;
}

class SelectAndScatterKernel : public Kernel {
 public:
  SelectAndScatterKernel(const Instruction& instruction, Region select, RegionFold scatter,
                         std::optional<ElementLoop> loop, std::optional<RecognisedFold> fold)
      : grid_(instruction.shape(), instruction.operand(1)->shape(), instruction.window()),
        type_(instruction.operand(0)->shape().element_type()),
        count_(instruction.shape().element_count()),
        direction_(DirectionOf(*instruction.GetComputation(Attr::kSelect), type_)),
        select_(std::move(select)),
        scatter_(std::move(scatter)),
        loop_(loop),
        fold_(fold) {}

  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    Meter meter(context, results[0]);
    const int64_t bytes = StorageBytes(type_);
    std::byte* out = results[0].data;
    WithStorage(bytes, [&](auto sample) {
      const auto init = LoadAt<decltype(sample)>(operands[2].data, 0);
      for (int64_t i = 0; i < count_; ++i) StoreAt(out, i, init);
    });
    if (absl::Status status = meter.Add(count_); !status.ok()) return status;
    if (grid_.output_count() == 0) return meter.Flush();
    absl::Status status = fold_.has_value() ? FoldSelected(operands, out, meter, context)
                                            : ScatterSelected(operands, out, meter, context);
    return status.ok() ? meter.Flush() : status;
  }

 private:
  // Calls f(cell, source, number of the cell in its window) for the cell that each of the windows
  // [first, end) selects, in the order of the sources.
  template <typename F>
  absl::Status ForEachSelected(const std::byte* base, int64_t first, int64_t end, Meter& meter,
                               EvaluationContext& context, F f) const {
    if (direction_.has_value()) {
      const ComparisonDirection direction = *direction_;
      return Walk(first, end, meter, f, [&](int64_t selected, int64_t cell, bool& stays) {
        stays = Holds(direction, LoadAt<float>(base, selected), LoadAt<float>(base, cell));
      });
    }
    Region select = select_;
    return Walk(first, end, meter, f, [&](int64_t selected, int64_t cell, bool& stays) {
      const Element arguments[] = {LoadElement(type_, base, selected),
                                   LoadElement(type_, base, cell)};
      Element result;
      absl::Status status = select.Run(arguments, absl::MakeSpan(&result, 1), context);
      stays = result.bits != 0;
      return status;
    });
  }
  // `select` may return a status; one that cannot fail costs less.
  template <typename F, typename Select>
  absl::Status Walk(int64_t first, int64_t end, Meter& meter, F& f, Select select) const {
    constexpr int64_t kMetered = 256;
    WindowGrid::Walk walk(grid_, first);
    do {
      int64_t selected = -1, number = 0, next = 0;
      const auto visit = [&](int64_t cell, int64_t step, int64_t count) -> absl::Status {
        if (selected < 0) selected = cell;
        for (int64_t i = 0; i < count; ++i, cell += step, ++next) {
          bool stays = true;
          if constexpr (std::is_void_v<decltype(select(selected, cell, stays))>) {
            select(selected, cell, stays);
          } else {
            absl::Status chosen = select(selected, cell, stays);
            if (!chosen.ok()) return chosen;
          }
          if (!stays) {
            selected = cell;
            number = next;
          }
          if (i % kMetered == 0) {
            absl::Status charged = meter.Add(std::min(kMetered, count - i));
            if (!charged.ok()) return charged;
          }
        }
        return absl::OkStatus();
      };
      absl::Status status = walk.ForEachLine(visit);
      if (status.ok() && selected >= 0) status = f(selected, walk.output(), number);
      if (status.ok()) status = meter.Add(1);
      if (!status.ok()) return status;
    } while (walk.Next() && walk.output() < end);
    return absl::OkStatus();
  }

  // Sums and products: everything that meets a cell is rounded together.
  absl::Status FoldSelected(absl::Span<const ArrayRef> operands, std::byte* out, Meter& meter,
                            EvaluationContext& context) const {
    if (AreMany(count_, grid_.output_count())) {
      if (StorageBytes(type_) >= 4 && FitsIn32Bits(count_, grid_.output_count())) {
        return FoldKnown<uint32_t>(operands, out, meter, context);
      }
      if (grid_.most_cells() <= 1 << 8) return FoldMany<uint8_t>(operands, out, meter, context);
      if (grid_.most_cells() <= 1 << 16) return FoldMany<uint16_t>(operands, out, meter, context);
      return FoldMany<int64_t>(operands, out, meter, context);
    }
    return FitsIn32Bits(count_, grid_.output_count())
               ? Fold<uint32_t>(operands, out, meter, context)
               : Fold<int64_t>(operands, out, meter, context);
  }
  template <typename Position>
  absl::Status Fold(absl::Span<const ArrayRef> operands, std::byte* out, Meter& meter,
                    EvaluationContext& context) const {
    CellUpdates<Position> updates(context);
    absl::Status status = ForEachSelected(
        operands[0].data, 0, grid_.output_count(), meter, context,
        [&](int64_t cell, int64_t source, int64_t) { return updates.Add(cell, source); });
    return status.ok() ? FoldCells(*fold_, updates, {type_, operands[1].data}, out, meter) : status;
  }

  // Calls f(cell, source, number) as ForEachSelected for all windows, in any order, by several
  // threads.
  template <typename F>
  absl::Status SelectAll(const std::byte* base, EvaluationContext& context, F f) const {
    constexpr int64_t kStep = 4;  // nanoseconds
    const int64_t outputs = grid_.output_count();
    const int64_t grain = direction_.has_value() ? GrainFor(kStep * grid_.most_cells())
                                                 : GrainOf(select_, grid_.most_cells(), outputs);
    return ParallelFor(context, outputs, grain, [&](Blocks& blocks, EvaluationContext& own) {
      Meter meter(own);
      const auto select = [&](int64_t cell, int64_t source, int64_t number) {
        f(cell, source, number);
        return absl::OkStatus();
      };
      while (blocks.Next()) {
        const int64_t end = blocks.first() + blocks.count();
        absl::Status status = ForEachSelected(base, blocks.first(), end, meter, own, select);
        if (!status.ok()) return status;
      }
      return meter.Flush();
    });
  }

  // Selects once and remembers the cells.
  template <typename Position>
  absl::Status FoldKnown(absl::Span<const ArrayRef> operands, std::byte* out, Meter& meter,
                         EvaluationContext& context) const {
    constexpr auto kNone = std::numeric_limits<Position>::max();
    runtime::ScratchLease lease(context);
    absl::Status status = lease.Add(grid_.output_count() * sizeof(Position));
    if (!status.ok()) return status;
    std::vector<Position> cells(grid_.output_count(), kNone);
    status = SelectAll(operands[0].data, context, [&](int64_t cell, int64_t source, int64_t) {
      cells[source] = static_cast<Position>(cell);
    });
    if (!status.ok()) return status;
    const auto for_each = [&](int64_t first, int64_t end, Meter& counted, auto f) {
      for (int64_t source = first; source < end; ++source) {
        if (cells[source] != kNone) f(cells[source], source);
      }
      return counted.Add(end - first);
    };
    return FoldWalk<Position>(for_each, operands, out, meter, context);
  }

  // Selects once and remembers which cell of its window each was, which takes less room.
  template <typename Number>
  absl::Status FoldMany(absl::Span<const ArrayRef> operands, std::byte* out, Meter& meter,
                        EvaluationContext& context) const {
    runtime::ScratchLease lease(context);
    absl::Status status = lease.Add(grid_.output_count() * sizeof(Number));
    if (!status.ok()) return status;
    std::vector<Number> numbers(grid_.output_count());
    status = SelectAll(operands[0].data, context, [&](int64_t, int64_t source, int64_t number) {
      numbers[source] = static_cast<Number>(number);
    });
    if (!status.ok()) return status;
    const auto for_each = [&](int64_t first, int64_t end, Meter& counted, auto f) {
      if (first >= end) return absl::OkStatus();
      WindowGrid::Walk walk(grid_, first);
      do {
        if (absl::Status done = counted.Add(1); !done.ok()) return done;
        if (walk.cell_count() > 0) f(walk.CellAt(numbers[walk.output()]), walk.output());
      } while (walk.Next() && walk.output() < end);
      return absl::OkStatus();
    };
    return FitsIn32Bits(count_, grid_.output_count())
               ? FoldWalk<uint32_t>(for_each, operands, out, meter, context)
               : FoldWalk<int64_t>(for_each, operands, out, meter, context);
  }

  template <typename Position, typename ForEach>
  absl::Status FoldWalk(const ForEach& for_each, absl::Span<const ArrayRef> operands,
                        std::byte* out, Meter& meter, EvaluationContext& context) const {
    const int64_t live_bytes = (2 * count_ + grid_.output_count()) * StorageBytes(type_);
    const UpdateWalk walk = {UpdateArray{type_, operands[1].data}, grid_.output_count(), for_each};
    return FoldOrSumManyCells<Position>(*fold_, count_, live_bytes, walk, out, meter, context);
  }

  // Scatters one element after the other, with a loop if order and grouping change nothing,
  // otherwise as written.
  absl::Status ScatterSelected(absl::Span<const ArrayRef> operands, std::byte* out, Meter& meter,
                               EvaluationContext& context) const {
    RegionFold scatter = scatter_;
    const std::byte* source = operands[1].data;
    const int64_t bytes = StorageBytes(type_);
    auto step = [&](int64_t cell, int64_t update, int64_t) -> absl::Status {
      if (loop_.has_value()) {
        std::byte* target = out + cell * bytes;
        (*loop_)(target, source + update * bytes, target, 1, context);
        return meter.Add(1);
      }
      scatter.accumulator(0) = LoadElement(type_, out, cell);
      scatter.element(0) = LoadElement(type_, source, update);
      if (absl::Status status = scatter.Step(context); !status.ok()) return status;
      StoreElement(type_, scatter.accumulator(0), out, cell);
      return meter.Add(1);
    };
    return ForEachSelected(operands[0].data, 0, grid_.output_count(), meter, context, step);
  }

  WindowGrid grid_;
  ElementType type_;
  int64_t count_;
  std::optional<ComparisonDirection> direction_;  // a short cut of this:
  Region select_;
  RegionFold scatter_;
  std::optional<ElementLoop> loop_;  // at most one of these two
  std::optional<RecognisedFold> fold_;
};

}  // namespace

KernelOrNull PrepareSelectAndScatter(const Instruction& instruction) {
  const ElementType type = instruction.shape().element_type();
  for (const Instruction* operand : instruction.operands()) {
    if (operand->shape().element_type() != type) return nullptr;
  }
  const Computation& select = *instruction.GetComputation(Attr::kSelect);
  const Computation& scatter = *instruction.GetComputation(Attr::kScatter);
  if (!HasReducerTypes(select, {type}, {type}) || !HasReducerTypes(scatter, {type}, {type})) {
    return nullptr;
  }
  absl::StatusOr<Region> prepared = Region::Prepare(select);
  if (!prepared.ok()) return prepared.status();
  absl::StatusOr<RegionFold> fold = RegionFold::Prepare(scatter);
  if (!fold.ok()) return fold.status();
  const std::optional<ElementLoop> loop = PairwiseLoop(scatter, type);
  return std::make_unique<SelectAndScatterKernel>(
      instruction, *std::move(prepared), *std::move(fold), loop,
      loop.has_value() ? std::nullopt : RecognisedFold::For(scatter, type));
}

}  // namespace assay::evaluator::kernels
