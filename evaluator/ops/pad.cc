// pad: operand element j stands at t_d = low_d + j_d * (interior_d + 1), where that is in the
// result; everything else is the padding value. Source: ops_structural.md 3.13.
#include "evaluator/ops/definition.h"

namespace assay::evaluator {

DefinitionOr DefinePad(const Instruction& pad) {
  return DefineElement([&pad](Index t, OperandElements& operands, EvaluationContext&) {
    Source source;
    for (size_t d = 0; d < t.size(); ++d) {
      const PaddingDimension& padding = pad.padding().dimensions[d];
      const int64_t offset = t[d] - padding.low;
      const int64_t step = padding.interior + 1;
      if (offset < 0 || offset % step != 0 || offset / step >= OperandShape(pad, 0).dimension(d)) {
        source = {1, {}};
        break;
      }
      source.index.push_back(offset / step);
    }
    return ElementAs(pad.shape().element_type(), pad, source.operand, source.index, operands);
  });
}

}  // namespace assay::evaluator
