// dynamic-update-slice: s_d = cl(start_d, 0, D_d - U_d); out[i] = update[i - s] where that is
// inside the update, else operand[i]. Source: ops_structural.md 3.11.
#include "evaluator/ops/definition.h"
#include "evaluator/ops/start_indices.h"

namespace assay::evaluator {

DefinitionOr DefineDynamicUpdateSlice(const Instruction& dus) {
  return DefineElement(
      [&dus](Index i, OperandElements& operands, EvaluationContext&) -> absl::StatusOr<Element> {
        const Shape& update = OperandShape(dus, 1);
        absl::StatusOr<Dimensions> starts = ClampedStarts(dus, 2, update.dimensions(), operands);
        if (!starts.ok()) return starts.status();
        Dimensions j;
        for (size_t d = 0; d < i.size(); ++d) {
          j.push_back(i[d] - (*starts)[d]);
          if (j[d] < 0 || j[d] >= update.dimension(d)) return operands.At(0, i);
        }
        return ElementAs(dus.shape().element_type(), dus, 1, j, operands);
      });
}

}  // namespace assay::evaluator
