// Kernel of select-and-scatter: the selections first, then the folding of what meets each cell.
// Source: reference ops_structural.md 5.4. Tests: kernels_test.cc.
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "evaluator/kernels/cell_fold.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/region_fold.h"
#include "evaluator/kernels/windows.h"
#include "spec/element/element.h"

namespace assay::kernels {
namespace {

class SelectAndScatterKernel : public Kernel {
 public:
  SelectAndScatterKernel(const Instruction& instruction, Region select, RegionFold scatter,
                         std::optional<RecognisedFold> fold)
      : grid_(instruction.shape(), instruction.operand(1)->shape(), instruction.window()),
        type_(instruction.operand(0)->shape().element_type()),
        source_type_(instruction.operand(1)->shape().element_type()),
        count_(instruction.shape().element_count()),
        select_(std::move(select)),
        scatter_(std::move(scatter)),
        fold_(fold) {}

  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    Meter meter(context);
    const int64_t bytes = StorageBytes(type_);
    std::byte* out = results[0].data;
    for (int64_t i = 0; i < count_; ++i) std::memcpy(out + i * bytes, operands[2].data, bytes);
    if (absl::Status status = meter.Add(count_); !status.ok()) return status;
    if (grid_.output_count() == 0) return meter.Flush();
    std::vector<CellUpdate> updates;
    absl::Status status = Select(operands[0].data, updates, meter, context);
    if (!status.ok()) return status;
    status = fold_.has_value() ? FoldCells(*fold_, updates, operands[1].data, out, meter)
                               : Scatter(updates, operands[1].data, out, meter, context);
    return status.ok() ? meter.Flush() : status;
  }

 private:
  // The cell that each window selects, in the order of the sources.
  absl::Status Select(const std::byte* base, std::vector<CellUpdate>& updates, Meter& meter,
                      EvaluationContext& context) const {
    Region select = select_;
    WindowGrid::Walk walk(grid_);
    do {
      int64_t selected = -1;
      Element arguments[2];
      absl::Status status = walk.ForEachCell([&](int64_t cell) -> absl::Status {
        arguments[1] = LoadElement(type_, base, cell);
        if (selected < 0) {
          selected = cell;
          arguments[0] = arguments[1];
        }
        Element stays;
        absl::Status ran = select.Run(arguments, absl::MakeSpan(&stays, 1), context);
        if (!ran.ok()) return ran;
        if (stays.bits == 0) {
          selected = cell;
          arguments[0] = arguments[1];
        }
        return meter.Add(1);
      });
      if (!status.ok()) return status;
      if (selected >= 0) updates.push_back({selected, walk.output()});
      if (status = meter.Add(1); !status.ok()) return status;
    } while (walk.Next());
    return absl::OkStatus();
  }

  // As written, in the order of the sources.
  absl::Status Scatter(absl::Span<const CellUpdate> updates, const std::byte* source,
                       std::byte* out, Meter& meter, EvaluationContext& context) const {
    RegionFold scatter = scatter_;
    for (const CellUpdate& update : updates) {
      scatter.accumulator(0) = LoadElement(type_, out, update.cell);
      scatter.element(0) = LoadElement(source_type_, source, update.update);
      if (absl::Status status = scatter.Step(context); !status.ok()) return status;
      StoreElement(type_, scatter.accumulator(0), out, update.cell);
      if (absl::Status status = meter.Add(1); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  WindowGrid grid_;
  ElementType type_;
  ElementType source_type_;
  int64_t count_;
  Region select_;
  RegionFold scatter_;
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
  return std::make_unique<SelectAndScatterKernel>(
      instruction, *std::move(prepared), *std::move(fold), RecognisedFold::For(scatter, type));
}

}  // namespace assay::kernels
