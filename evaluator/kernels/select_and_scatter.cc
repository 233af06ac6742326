// Kernel of select-and-scatter: sums and products of floats collect what meets each cell and round
// once, all else is combined as it is selected. Source: reference ops_structural.md 5.4. Tests:
// folding_kernels_test.cc.
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "evaluator/kernels/cell_fold.h"
#include "evaluator/kernels/cell_sums.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/region_fold.h"
#include "evaluator/kernels/windows.h"
#include "evaluator/parallel.h"
#include "evaluator/scalar/comparison.h"
#include "evaluator/scalar/scalar_ops.h"
#include "spec/element/element.h"

namespace assay::kernels {
namespace {

// How a computation compares its two f32 parameters, where it does nothing else.
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
    Meter meter(context);
    const int64_t bytes = StorageBytes(type_);
    std::byte* out = results[0].data;
    for (int64_t i = 0; i < count_; ++i) std::memcpy(out + i * bytes, operands[2].data, bytes);
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
        return absl::OkStatus();
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
  template <typename F, typename Select>
  absl::Status Walk(int64_t first, int64_t end, Meter& meter, F& f, Select select) const {
    WindowGrid::Walk walk(grid_, first);
    do {
      int64_t selected = -1, number = 0, next = 0;
      absl::Status status = walk.ForEachCell([&](int64_t cell) -> absl::Status {
        const int64_t here = next++;
        if (selected < 0) selected = cell;
        bool stays = true;
        absl::Status chosen = select(selected, cell, stays);
        if (!chosen.ok()) return chosen;
        if (!stays) {
          selected = cell;
          number = here;
        }
        return meter.Add(1);
      });
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

  // Selects once and remembers which cell of each window it was.
  template <typename Number>
  absl::Status FoldMany(absl::Span<const ArrayRef> operands, std::byte* out, Meter& meter,
                        EvaluationContext& context) const {
    ScratchLease lease(context);
    absl::Status status = lease.Add(grid_.output_count() * sizeof(Number));
    if (!status.ok()) return status;
    std::vector<Number> numbers(grid_.output_count());
    constexpr int64_t kStep = 4;  // nanoseconds
    const int64_t grain = direction_.has_value()
                              ? GrainFor(kStep * grid_.most_cells())
                              : GrainOf(select_, grid_.most_cells(), grid_.output_count());
    status = ParallelFor(context, grid_.output_count(), grain,
                         [&](Blocks& blocks, EvaluationContext& own) {
                           Meter counted(own);
                           while (blocks.Next()) {
                             const int64_t end = blocks.first() + blocks.count();
                             absl::Status selected =
                                 ForEachSelected(operands[0].data, blocks.first(), end, counted,
                                                 own, [&](int64_t, int64_t source, int64_t number) {
                                                   numbers[source] = static_cast<Number>(number);
                                                   return absl::OkStatus();
                                                 });
                             if (!selected.ok()) return selected;
                           }
                           return counted.Flush();
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
    const int64_t live_bytes = (2 * count_ + grid_.output_count()) * StorageBytes(type_);
    const UpdateWalk walk = {UpdateArray{type_, operands[1].data}, grid_.output_count(), for_each};
    return FitsIn32Bits(count_, grid_.output_count())
               ? FoldOrSumManyCells<uint32_t>(*fold_, count_, live_bytes, walk, out, meter, context)
               : FoldOrSumManyCells<int64_t>(*fold_, count_, live_bytes, walk, out, meter, context);
  }

  // One after the other: with a loop where order and grouping change nothing, else as written.
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

}  // namespace assay::kernels
