// broadcast: out[i] = operand[j] with j_d = i[dimensions[d]]. Source: ops_structural.md 3.2.
#include "evaluator/ops/definition.h"

namespace assay::evaluator {

DefinitionOr DefineBroadcast(const Instruction& broadcast) {
  return DefineView([&broadcast](Index i) {
    Source source;
    for (int64_t dimension : broadcast.GetInts(Attr::kDimensions)) {
      source.index.push_back(i[dimension]);
    }
    return source;
  });
}

}  // namespace assay::evaluator
