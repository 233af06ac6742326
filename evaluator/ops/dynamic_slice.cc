// dynamic-slice: s_d = cl(start_d, 0, D_d - slice_d); out[i] = operand[s + i]. Source:
// ops_structural.md 3.10.
#include "evaluator/ops/definition.h"
#include "evaluator/ops/start_indices.h"

namespace assay::evaluator {

DefinitionOr DefineDynamicSlice(const Instruction& slice) {
  return DefineElement(
      [&slice](Index i, OperandElements& operands, EvaluationContext&) -> absl::StatusOr<Element> {
        absl::StatusOr<Dimensions> j =
            ClampedStarts(slice, 1, slice.GetInts(Attr::kDynamicSliceSizes), operands);
        if (!j.ok()) return j.status();
        for (size_t d = 0; d < i.size(); ++d) (*j)[d] += i[d];
        return operands.At(0, *j);
      });
}

}  // namespace assay::evaluator
