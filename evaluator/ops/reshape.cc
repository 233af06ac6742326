// reshape: the element at a row-major position stays at that position. Source: ops_structural.md
// 3.4.
#include "evaluator/ops/definition.h"

namespace assay::evaluator {

DefinitionOr DefineReshape(const Instruction& reshape) {
  return DefineView([&reshape](Index i) {
    const int64_t position = PositionOf(i, reshape.shape().dimensions());
    return Source{0, IndexAt(position, OperandShape(reshape, 0).dimensions())};
  });
}

}  // namespace assay::evaluator
