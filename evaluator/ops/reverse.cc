// reverse: out[i] = operand[j] with j_d = D_d - 1 - i_d in the listed dimensions, else i_d. Source:
// ops_structural.md 3.8.
#include "evaluator/ops/definition.h"

namespace assay::evaluator {

DefinitionOr DefineReverse(const Instruction& reverse) {
  return DefineView([&reverse, dimensions = reverse.GetInts(Attr::kDimensions)](Index i) {
    Source source{0, Dimensions(i.begin(), i.end())};
    for (int64_t d : dimensions) source.index[d] = reverse.shape().dimension(d) - 1 - i[d];
    return source;
  });
}

}  // namespace assay::evaluator
