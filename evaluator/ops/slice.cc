// slice: out[i] = operand[start + i * stride]. Source: ops_structural.md 3.9.
#include "evaluator/ops/definition.h"

namespace assay::evaluator {

DefinitionOr DefineSlice(const Instruction& slice) {
  return DefineView([ranges = absl::MakeConstSpan(slice.slices())](Index i) {
    Source source;
    for (size_t d = 0; d < i.size(); ++d) {
      source.index.push_back(ranges[d].start + i[d] * ranges[d].stride);
    }
    return source;
  });
}

}  // namespace assay::evaluator
