// iota: out[i] = i[iota_dimension], converted from the exact integer. Source: ops_structural.md
// 3.14.
#include "evaluator/ops/definition.h"
#include "evaluator/scalar/scalar_ops.h"

namespace assay::evaluator {

DefinitionOr DefineIota(const Instruction& iota) {
  const int64_t dimension = iota.GetInt(Attr::kIotaDimension);
  const ElementType type = iota.shape().element_type();
  return DefineElement([dimension, type](Index i, OperandElements&, EvaluationContext&) {
    return Convert(ElementType::kS64, Element{static_cast<uint64_t>(i[dimension])}, type);
  });
}

}  // namespace assay::evaluator
