// Which elementwise operations are correctly rounded functions of real_functions.h, by the rows of
// scalar_ops.def. Test: scalar_ops_test.cc.
#ifndef ASSAY_EVALUATOR_SCALAR_ROUNDED_FUNCTIONS_H_
#define ASSAY_EVALUATOR_SCALAR_ROUNDED_FUNCTIONS_H_

#include <optional>

#include "evaluator/real/real_functions.h"
#include "spec/element/element_type.h"
#include "spec/op_info.h"

namespace assay::evaluator {

// The correctly rounded function that an operation is on operands of a type. At most one is set;
// none where the operation is computed in another way.
struct RoundedFunction {
  std::optional<RealFunction> unary = std::nullopt;
  std::optional<RealFunction2> binary = std::nullopt;
};
RoundedFunction FindRoundedFunction(Opcode opcode, ElementType operand_type);

}  // namespace assay::evaluator

#endif  // ASSAY_EVALUATOR_SCALAR_ROUNDED_FUNCTIONS_H_
