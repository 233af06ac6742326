// slice: out[i] = operand[start + i * stride]. Source: ops_structural.md 3.9.
#include "evaluator/ops/definition.h"

namespace assay::evaluator {

DefinitionOr DefineSlice(const Instruction& slice) {
  return DefineView([&slice](Index i) {
    Source source;
    for (size_t d = 0; d < i.size(); ++d) {
      const SliceRange& range = slice.slices()[d];
      source.index.push_back(range.start + i[d] * range.stride);
    }
    return source;
  });
}

}  // namespace assay::evaluator
