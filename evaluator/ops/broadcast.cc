// broadcast: out[i] = operand[j] with j_d = i[dimensions[d]]. Source: ops_structural.md 3.2.
#include "evaluator/ops/definition.h"

namespace assay::evaluator {

DefinitionOr DefineBroadcast(const Instruction& broadcast) {
  return DefineView([dimensions = broadcast.GetInts(Attr::kDimensions)](Index i) {
    Source source;
    for (int64_t dimension : dimensions) source.index.push_back(i[dimension]);
    return source;
  });
}

}  // namespace assay::evaluator
