// transpose: out[i] = operand[j] with j[permutation[k]] = i[k]. Source: ops_structural.md 3.7.
#include "evaluator/ops/definition.h"

namespace assay::evaluator {

DefinitionOr DefineTranspose(const Instruction& transpose) {
  return DefineView([&transpose](Index i) {
    Source source{0, Dimensions(i.size())};
    const absl::Span<const int64_t> permutation = transpose.GetInts(Attr::kDimensions);
    for (size_t k = 0; k < i.size(); ++k) source.index[permutation[k]] = i[k];
    return source;
  });
}

}  // namespace assay::evaluator
