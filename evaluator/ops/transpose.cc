// transpose: out[i] = operand[j] with j[permutation[k]] = i[k]. Source: ops_structural.md 3.7.
#include "evaluator/ops/definition.h"

namespace assay::evaluator {

DefinitionOr DefineTranspose(const Instruction& transpose) {
  return DefineView([permutation = transpose.GetInts(Attr::kDimensions)](Index i) {
    Source source{0, Dimensions(i.size())};
    for (size_t k = 0; k < i.size(); ++k) source.index[permutation[k]] = i[k];
    return source;
  });
}

}  // namespace assay::evaluator
